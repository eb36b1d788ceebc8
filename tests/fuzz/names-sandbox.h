/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FUZZ_NAMES_SANDBOX_H
#define VBM_FUZZ_NAMES_SANDBOX_H

#include <verbatim/error.h>

#include "names-zone.h"

/*
 * Make a network and an /etc for this process only, so that the C library asks the test's
 * name server. False, with @why, if that is not possible: this user may not make
 * namespaces, or there is no unbound.
 */
bool sandbox_open(char *why, size_t room);
void sandbox_close(void);

/* Serve @z, and write its resolv.conf. */
int sandbox_serve(const struct zone *z, struct vbm_error *err);
void sandbox_stop(void);

#endif
