/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_HANDSHAKE_DRIVE_H
#define VBM_LIB_HANDSHAKE_DRIVE_H

#include "lib/base/addr.h"
#include "lib/handshake/state.h"

/*
 * Functions that both drivers of the state machine share: they use the bytes of a socket
 * and the values of a queue pair.
 */

#define HANDSHAKE_STEP_MS 5000

/*
 * Make a non-blocking TCP socket that listens at @at, a wildcard of IPv6 for both families
 * whatever the host's default is. Returns 0 with *@fd; else the errno of *@call, and *@fd
 * is -1.
 */
int vbm_handshake_listener(int *fd, const struct sockaddr *at, socklen_t len, int backlog,
			   const char **call);

/* The same, and each connection that it accepts has the settings of vbm_handshake_mind_peer(). */
int vbm_handshake_listener_like(int *fd, const struct sockaddr *at, socklen_t len, int backlog,
				int keepalive_ms, uint8_t traffic_class, const char **call);

/*
 * Settings of a TCP socket: it breaks with ETIMEDOUT when the other end has been silent for
 * about @keepalive_ms milliseconds, although it was asked (-1: never); and its packets have
 * the traffic class of the queue pair (0: the socket keeps its own). A setting that the kernel refuses is left out.
 */
void vbm_handshake_mind_peer(int socket, int keepalive_ms, uint8_t traffic_class);

/*
 * Copy the members of @from over the defaults in @to, and check them. 0, or EINVAL with the
 * mistake in @error.
 */
int vbm_handshake_take_options(struct vbm_handshake_options *to, const struct vbm_handshake_options *from,
			       struct vbm_error *error);

/* 0, or EINVAL with the mistake in @error. */
int vbm_handshake_check(const struct vbm_handshake_options *options, struct vbm_error *error);

/*
 * The GIDs that the two ends of a socket must have: their IP addresses. @is_any: any GIDs,
 * because the program allows them (foreign_gid) or the socket has no IP addresses. @own_end
 * and @peer are the addresses of the two ends; NULL: the function asks the socket.
 */
struct handshake_gids {
	bool is_any;
	union ibv_gid own, peer;
};

void vbm_handshake_gids(struct handshake_gids *gids, int socket, const union addr *own_end,
			const union addr *peer, const struct vbm_handshake_options *options);

/* Whether @qp has the GID that this end must have. */
bool vbm_handshake_fits(const struct handshake_gids *gids, const struct vbm_qp *qp);

/*
 * Begin a handshake for @qp with checked options. This end of @socket is the client or the
 * server. Returns 0; or EPROTO with a message in @error when @qp does not fit the socket.
 */
int vbm_handshake_prepare(struct handshake *h, bool is_client, const struct vbm_qp *qp, int socket,
			  const union addr *peer, const struct vbm_handshake_options *options,
			  struct vbm_error *error);

/*
 * The same in two calls, for a server that chooses its queue pair, which fits, when the
 * first message is there. vbm_handshake_peer_fits(): the GID in that message is the peer's
 * address.
 */
void vbm_handshake_await(struct handshake *h, const struct vbm_handshake_options *options);
void vbm_handshake_adopt(struct handshake *h, const struct vbm_qp *qp, const struct handshake_gids *gids);
bool vbm_handshake_peer_fits(const struct handshake *h, const struct handshake_gids *gids);

/*
 * Move the bytes of HANDSHAKE_SEND or HANDSHAKE_RECEIVE, without waiting. Returns 0 with
 * the next *@action; EAGAIN when the socket is not ready; else the error of the socket's
 * call.
 */
int vbm_handshake_carry(struct handshake *h, int socket, enum handshake_action *action);

/* Carry out HANDSHAKE_GO_TO_RTS: 0, or the code of ibv_modify_qp(3) with a message. */
int vbm_handshake_to_rts(const struct handshake *h, struct vbm_qp *qp, struct vbm_error *error);

/* After a failure: move the queue pair to ERR, unless it is still in INIT. */
void vbm_handshake_give_up(struct vbm_qp *qp);

/* Write the message of a failure. Returns its code. */
int vbm_handshake_explain(const struct handshake *h, const struct vbm_qp *qp, struct vbm_error *error);

void vbm_handshake_tell(const struct handshake *h, struct vbm_handshake_peer *peer);

#endif
