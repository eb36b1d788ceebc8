/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SESSION_EXEC_HINT_H
#define VBM_SESSION_EXEC_HINT_H

#include <stddef.h>

#include "base/text.h"

/* The end of what a command printed on both streams, in which its failure may have a name. */
struct exec_hint {
	struct text tail;
};

void exec_hint_hear(struct exec_hint *h, const char *data, size_t len);
void exec_hint_fini(struct exec_hint *h);

/*
 * Pure. One line about the last name or text in the output of command @first, else of
 * another of the @count commands, that 'verbatim explain' knows: an event
 * of rdma_cm, a status of a completion, an event of a device, a result of address
 * resolution, or, if there is none of these, a text of a well-known program, or an errno.
 * NULL if it has none. The caller frees.
 */
char *exec_hint_say(const struct exec_hint *h, size_t count, size_t first);

#endif
