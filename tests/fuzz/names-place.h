/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FUZZ_NAMES_PLACE_H
#define VBM_FUZZ_NAMES_PLACE_H

#include <verbatim/error.h>

#include "names-zone.h"

/*
 * A network and an /etc of this process's own, so that the C library can be
 * sent to the test's name server. False, with @why, where that cannot be had:
 * no namespaces for this user, or no unbound.
 */
bool place_open(char *why, size_t room);
void place_close(void);

/* Serve @z and write the resolv.conf that goes with it. */
int place_serve(const struct zone *z, struct vbm_error *err);
void place_stop(void);

#endif
