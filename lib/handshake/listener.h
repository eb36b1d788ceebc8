/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_LISTENER_H
#define VBM_LIB_LISTENER_H

#include "lib/handshake/negotiation.h"

/* Make the listener of a request. 0; or a positive errno, and *@listener is NULL. */
int vbm_listener_open(struct listener **listener, struct vbm_negotiator *n,
		      const struct negotiator_request *r);

/*
 * End the listener, its clients and its offers, and free it, at once or after the calls that
 * another thread makes for its clients. Then the outcome of @r (NULL: there is none) is
 * written.
 */
void vbm_listener_close(struct listener *l, const struct negotiator_request *r);

#endif
