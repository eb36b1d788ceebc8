/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COVERAGE_CROSSINGS_H
#define VBM_COVERAGE_CROSSINGS_H

#include "coverage/uses.h"

/*
 * Codes for what scenarios do to packets: an operation of a transport, which has a position in its message, and a fault
 * ("RC_SEND_FIRST:drop"), or that a scripted peer sends it ("RC_SEND_FIRST:sent"); and a message of the connection manager
 * that is seen, sent or lost ("REQ:lost"). The sets have no entries of their own: a value is an index.
 */
extern const struct const_set crossing_set, crossing_message_set;

/* The name of a code; NULL beyond the last one. The caller frees it. */
char *crossing_name(size_t index);
char *crossing_message_name(size_t index);

/*
 * Reports what the steps of @v do to packets. A rule counts for the operation that its words name: a scenario in which a
 * rule acts on nothing fails.
 */
void crossings_collect(const struct variant *v, code_use_fn *fn, void *arg);

#endif
