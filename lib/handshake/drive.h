/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_HANDSHAKE_DRIVE_H
#define VBM_LIB_HANDSHAKE_DRIVE_H

#include "lib/base/addr.h"
#include "lib/handshake/state.h"

/* What both drivers of the state machine need: a socket's bytes, a queue pair's values. */

#define HANDSHAKE_STEP_MS 5000

/* 0, or EINVAL with what is wrong in @error. */
int vbm_handshake_check(const struct vbm_handshake_options *options, struct vbm_error *error);

/* The versions that the options stand for, a bit each. */
uint8_t vbm_handshake_versions(const struct vbm_handshake_options *options);

/*
 * Begin for @qp, at the end @is_client of @socket, with checked options. @peer is
 * the address of the socket's other end; NULL: the socket knows.
 */
void vbm_handshake_prepare(struct handshake *h, bool is_client, const struct vbm_qp *qp, int socket,
			   const union addr *peer, const struct vbm_handshake_options *options);

/*
 * The same in two parts, for a server whose queue pair is found when the first
 * message is there: false when that message's GID is not the peer's address.
 */
void vbm_handshake_await(struct handshake *h, const struct vbm_handshake_options *options);
bool vbm_handshake_adopt(struct handshake *h, const struct vbm_qp *qp, int socket,
			 const union addr *peer, const struct vbm_handshake_options *options);

/*
 * Move the bytes of HANDSHAKE_SEND or HANDSHAKE_RECEIVE, without waiting. 0 and
 * the next *@action; EAGAIN: the socket has to be ready first; else what the
 * socket's call said.
 */
int vbm_handshake_carry(struct handshake *h, int socket, enum handshake_action *action);

/* Carry out HANDSHAKE_GO_TO_RTS: 0, or what ibv_modify_qp(3) said, with the words in @qp. */
int vbm_handshake_to_rts(const struct handshake *h, struct vbm_qp *qp);

/* What was begun with the peer's values is not left half-way. */
void vbm_handshake_give_up(struct vbm_qp *qp);

/* The words of a failure go to @qp; its code is returned. */
int vbm_handshake_explain(const struct handshake *h, struct vbm_qp *qp);

void vbm_handshake_tell(const struct handshake *h, struct vbm_handshake_peer *peer);

#endif
