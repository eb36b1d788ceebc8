/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VERBATIM_HANDSHAKE_H
#define VERBATIM_HANDSHAKE_H

#include <verbatim/qp.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Connect two queue pairs by a handshake of three messages over a TCP socket.
 * Source: docs/handshake.md. vbm_handshake(7) has both versions byte by byte.
 *
 * Both calls wait. They return 0 or a positive errno value, and the member error
 * of the queue pair then says more. NULL for @qp is EINVAL.
 */

/* Which version of the message an end speaks. */
enum vbm_handshake_version {
	/*
	 * A server takes both. A client speaks version 1, and a peer that does not
	 * is EPROTONOSUPPORT: the program can go on with a new connection and
	 * VBM_HANDSHAKE_ONLY_0.
	 */
	VBM_HANDSHAKE_ANY,
	VBM_HANDSHAKE_ONLY_0,
	VBM_HANDSHAKE_ONLY_1,
};

/* What the peer may do to the memory of this end: bits of vbm_handshake_peer. */
enum vbm_handshake_capability {
	VBM_HANDSHAKE_CAN_WRITE = 1,	/* IBV_ACCESS_REMOTE_WRITE */
	VBM_HANDSHAKE_CAN_READ = 2,	/* IBV_ACCESS_REMOTE_READ */
	VBM_HANDSHAKE_CAN_ATOMIC = 4,	/* IBV_ACCESS_REMOTE_ATOMIC */
};

#define VBM_HANDSHAKE_PRIVATE_MAX 192	/* bytes */

/* What the peer said, beside what struct vbm_qp has of it. In version 0 all but @version is 0. */
struct vbm_handshake_peer {
	int version;			/* that both ends spoke: 0 or 1 */
	unsigned int capabilities;	/* VBM_HANDSHAKE_CAN_x */
	uint8_t gid_index;		/* of the peer's GID in the peer's table */
	uint8_t private_length;		/* bytes */
	uint8_t private_data[VBM_HANDSHAKE_PRIVATE_MAX];
};

/* Zero is the default of each member. */
struct vbm_handshake_options {
	enum vbm_handshake_version version;	/* VBM_HANDSHAKE_ANY */
	int timeout_ms;			/* of each step; 0: 5000 */
	/*
	 * For the peer's program, up to VBM_HANDSHAKE_PRIVATE_MAX bytes: a client's
	 * go with its first message, a server's with its answer. Version 0 has no
	 * place for them. The program's until the call returns.
	 */
	const void *private_data;
	size_t private_length;
	/*
	 * 0: where the GID of this queue pair is the address of the socket's own
	 * end, the peer's has to be the address of the peer's end. Else any GID
	 * will do.
	 */
	int foreign_gid;
	/*
	 * A server's word on what a client asks, before its queue pair leaves INIT;
	 * may be NULL. It can set @reply's private data, which has to live as long
	 * as the call. 0: go on; else the client is refused with that private data,
	 * and the call returns this value, a positive errno.
	 */
	int (*request)(void *context, const struct vbm_handshake_peer *client,
		       struct vbm_handshake_options *reply);
	void *context;
};

/*
 * The end that opened the TCP connection. @qp is in INIT. @socket is connected,
 * and stays the caller's. When the call returns 0, @qp is in RTS, its member
 * peer is filled in, its member terms has what both ends agreed on, and it may
 * send. @options may be NULL. @peer may be NULL; it is filled in after a success
 * and after a refusal, else zero.
 *
 * ETIMEDOUT: a step took longer than it may. ECONNRESET: the peer closed the
 * connection. EPROTO: it sent something else than the step wants; nothing of
 * that reached the queue pair. EPROTONOSUPPORT: it speaks none of our versions;
 * with VBM_HANDSHAKE_ANY also: it closed the connection without a word.
 * ECONNREFUSED: its program refused; EBUSY: it had no place. EINVAL: @qp is not
 * in INIT, or an option is wrong. Else what ibv_modify_qp(3), poll(2) or send(2)
 * say. After a failure the queue pair is in INIT when the peer's values never
 * came, else in ERR.
 */
VBM_API int vbm_handshake_client(struct vbm_qp *qp, int socket,
				 const struct vbm_handshake_options *options,
				 struct vbm_handshake_peer *peer);

/*
 * The end that accepted it. The peer may send as soon as it has the answer, so
 * the receives have to be posted before the call, or by @request. Until the call
 * returns 0 this end may not send: vbm_post_sends() returns ENOTCONN.
 */
VBM_API int vbm_handshake_server(struct vbm_qp *qp, int socket,
				 const struct vbm_handshake_options *options,
				 struct vbm_handshake_peer *peer);

#ifdef __cplusplus
}
#endif
#endif
