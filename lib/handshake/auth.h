/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_HANDSHAKE_AUTH_H
#define VBM_LIB_HANDSHAKE_AUTH_H

#include <stdbool.h>

#include <verbatim/handshake.h>

/* The program's function that finds out who is at the other end of a socket, and its context. */
typedef int (*vbm_authenticate)(void *context, struct vbm_handshake_auth *auth);

struct handshake_auth {
	struct vbm_handshake_auth pub;
	vbm_authenticate ask;
	void *context;
};

/* NULL: ENOMEM. The caller ends it with vbm_auth_end(). */
struct handshake_auth *vbm_auth_begin(vbm_authenticate ask, void *context, int socket, bool is_client);

/*
 * Ask the program. 0: the peer is the right one. EAGAIN: the socket is not ready for
 * pub.events. Otherwise the code with which the program refuses the peer.
 */
int vbm_auth_go(struct handshake_auth *auth);

/* NULL is allowed. */
void vbm_auth_end(struct handshake_auth *auth);

#endif
