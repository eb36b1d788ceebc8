/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_HANDSHAKE_TALK_H
#define VBM_LIB_HANDSHAKE_TALK_H

#include "lib/handshake/auth.h"
#include "lib/handshake/drive.h"

/*
 * One end's handshake over one socket. No call here waits: the owner waits for the socket,
 * in a call of its own or in the program's loop, and calls again.
 */
struct handshake_talk {
	struct vbm_qp *qp;	/* not owned */
	int socket;		/* not owned */
	struct vbm_handshake_options options;
	struct vbm_handshake_peer peer;	/* for the program's function */
	struct handshake h;
	enum handshake_action action;
	struct handshake_auth *auth;	/* owned; until the peer is known; or NULL */
	bool is_over;
	short events;		/* for poll(2): what the talk waits for while it is not over */
	int refused;		/* the return value of the program's function */
	int result;		/* when it is over */
};

/*
 * Begin with checked options, and go on as far as possible without waiting; the result is
 * that of vbm_talk_go(). The queue pair is in INIT, and in a handshake until the talk is
 * over.
 */
int vbm_talk_begin(struct handshake_talk *t, bool is_client, struct vbm_qp *qp, int socket,
		   const struct vbm_handshake_options *options);

/*
 * Go on as far as possible. While the talk is not over, the socket is not ready for
 * @events, and the result has no meaning. When it is over: 0, or a code of
 * vbm_handshake_client() with the message in the queue pair's error.
 */
int vbm_talk_go(struct handshake_talk *t);

/* The step took too long: the talk fails with ETIMEDOUT, which this call returns. */
int vbm_talk_time_is_up(struct handshake_talk *t);

/* The owner gives up a talk that is not over. */
void vbm_talk_drop(struct handshake_talk *t);

#endif
