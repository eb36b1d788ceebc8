/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VERBATIM_HANDSHAKE_H
#define VERBATIM_HANDSHAKE_H

#include <verbatim/qp.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The calls, in their order, for one queue pair and a TCP socket that is connected:
 *	vbm_create_qp(), vbm_qp_to_init()	from qp.h, and the first receives from transfer.h
 *	vbm_handshake_options_init()	if the defaults are not enough
 *	vbm_handshake_client()	at the end that has called connect(2)
 *	vbm_handshake_server()	at the end that has called accept(2)
 *	the queue pair is in RTS, and the socket is the program's
 */

/*
 * Connect two queue pairs by a handshake of three messages over a TCP socket. Source:
 * docs/handshake.md. vbm_handshake(7) has both versions byte by byte.
 *
 * Both calls wait. They return 0 or a positive errno value, and the member error of the
 * queue pair then has a message. NULL for @qp is EINVAL.
 */

/* The versions of the messages that an end uses. */
enum vbm_handshake_version {
	/*
	 * A server accepts both versions. A client sends version 1. If the peer does not
	 * know it, the call returns EPROTONOSUPPORT, and the program can continue with a
	 * new connection and VBM_HANDSHAKE_ONLY_0.
	 */
	VBM_HANDSHAKE_ANY,
	VBM_HANDSHAKE_ONLY_0,
	VBM_HANDSHAKE_ONLY_1,
	/*
	 * Both ends send the struct of docs/handshake.md as it is printed, with the header
	 * that the member plain of the options describes. A server takes nothing else. The
	 * rules are those of version 0.
	 */
	VBM_HANDSHAKE_PLAIN,
};

#define VBM_HANDSHAKE_HEADER_MAX 64	/* bytes */

/*
 * The document leaves open how the header of its struct is declared, and which values its
 * constants have. Here a program says how its peer declares them. Zero is the default of
 * each member.
 */
struct vbm_handshake_plain {
	/* The header of each message. The flag is written over it. A receiver looks only at the flag. */
	uint8_t header[VBM_HANDSHAKE_HEADER_MAX];
	uint8_t header_length;		/* bytes; 0: 4 */
	uint8_t flag_offset;		/* where in the header the flag is */
	uint8_t flag_length;		/* 1, 2, 4 or 8 bytes; 0: 4 */
	uint16_t magic;			/* kRdmaHandShakeV0Magic; 0: 0x5642 */
	uint32_t sync, ack;		/* kSetupSync and kSetupAck; 0: 1 and 2 */
	/* 0: numbers have the byte order of this machine. Not 0: that of the network. */
	int network_order;
};

/* The peer's rights to the memory of this end: bits of vbm_handshake_peer. */
enum vbm_handshake_capability {
	VBM_HANDSHAKE_CAN_WRITE = 1,	/* IBV_ACCESS_REMOTE_WRITE */
	VBM_HANDSHAKE_CAN_READ = 2,	/* IBV_ACCESS_REMOTE_READ */
	VBM_HANDSHAKE_CAN_ATOMIC = 4,	/* IBV_ACCESS_REMOTE_ATOMIC */
};

#define VBM_HANDSHAKE_PRIVATE_MAX 192	/* bytes */

/* The peer's values that struct vbm_qp does not have. In version 0 all except @version are 0. */
struct vbm_handshake_peer {
	int version;			/* the version in use: 0 or 1; of the plain struct 0 */
	unsigned int capabilities;	/* VBM_HANDSHAKE_CAN_x */
	uint8_t gid_index;		/* of the peer's GID in the peer's table */
	uint8_t private_length;		/* bytes */
	uint8_t private_data[VBM_HANDSHAKE_PRIVATE_MAX];
};

/*
 * One end of a socket, for the program's function authenticate. The library makes it. The
 * function may read and write the socket, without waiting, and must not close it.
 */
struct vbm_handshake_auth {
	int socket;
	int is_client;		/* not 0: this end opened the TCP connection */
	int events;		/* for EAGAIN: what to wait for, POLLIN, POLLOUT or both; at first POLLIN */
	int is_over;		/* not 0: the last call, so that the program can release what it has in room */
	uint64_t room[32];	/* the program's, for what it has to keep between calls; zero at first */
};

/* Zero is the default of each member except the first. */
struct vbm_handshake_options {
	size_t size;			/* sizeof(struct vbm_handshake_options) */
	enum vbm_handshake_version version;	/* VBM_HANDSHAKE_ANY */
	int timeout_ms;			/* of each step; 0: 5000 */
	/*
	 * Data for the peer's program, up to VBM_HANDSHAKE_PRIVATE_MAX bytes. A client
	 * sends them with its first message, a server with its answer. Version 0 and the
	 * plain struct cannot carry them. The program owns them; they must stay until the call returns.
	 */
	const void *private_data;
	size_t private_length;
	/*
	 * 0: the GID of this queue pair must be the address of the socket's own end, and
	 * the peer's GID that of the peer's end; else EPROTO. So no peer leads the queue
	 * pair to a third host. A socket without IP addresses has no such check. Not 0:
	 * both may be any; a GID that no host has then takes about a second in
	 * ibv_modify_qp(3), which a negotiator calls in other threads then.
	 */
	int foreign_gid;
	/*
	 * A server calls it with a client's request, before its queue pair leaves INIT;
	 * may be NULL. It can set @reply's private data, which must live until the call
	 * ends. 0: accept. A positive errno: refuse the client, with that private data,
	 * and return this value from the call.
	 */
	int (*request)(void *context, const struct vbm_handshake_peer *client,
		       struct vbm_handshake_options *reply);
	void *context;
	struct vbm_handshake_plain plain;	/* for VBM_HANDSHAKE_PLAIN only */
	/*
	 * Who is the peer? Both ends find that out over the socket, before the first message
	 * and before a queue pair is moved. NULL: the addresses are all that is known. The
	 * library calls the function with @context when the handshake begins, and again each
	 * time the socket is ready. 0: the peer is the right one, and the handshake begins.
	 * EAGAIN: call again when the socket is ready for the member events of @auth. Any
	 * other value ends the handshake, and is returned. The function must not wait, and
	 * must not read more than its own messages, because the handshake's may follow. Then
	 * comes one more call, with is_over, whose return value has no meaning.
	 */
	int (*authenticate)(void *context, struct vbm_handshake_auth *auth);
	/*
	 * 0: none. Else a descriptor, such as an eventfd(2): when it is readable the call
	 * that waits ends with ECANCELED. The program reads it. Not for negotiators, which
	 * have vbm_negotiator_cancel().
	 */
	int interrupt;
	/*
	 * 0: silence is no end. Else: when the peer's host has been silent for so many
	 * milliseconds, at least 1000, although the kernel asked it, the TCP connection breaks
	 * with ETIMEDOUT, during the handshake and afterwards.
	 */
	int keepalive_ms;
	uint64_t reserved[14];		/* 0: room for later versions, so the size stays the same */
};

/* Sets the size, and all other members to 0. */
VBM_API void vbm_handshake_options_init_sized(struct vbm_handshake_options *options, size_t size);

static inline void vbm_handshake_options_init(struct vbm_handshake_options *options)
{
	vbm_handshake_options_init_sized(options, sizeof(*options));
}

/*
 * For the end that opened the TCP connection. @qp is in INIT. @socket is connected, and
 * the caller keeps it. After 0 @qp is in RTS, its members peer and terms have the values
 * on which both ends agreed, and it may send. @options may be NULL. @peer may be NULL; it
 * is filled in after a success and after a refusal, else zero.
 *
 * ETIMEDOUT: a step took too long. ECONNRESET: the peer closed the connection. EPROTO: the
 * peer sent a wrong message, and the queue pair got none of its values; or its GID is not
 * the address of this end: see foreign_gid. EPROTONOSUPPORT:
 * the peer knows none of the versions of this end; with VBM_HANDSHAKE_ANY also: the peer
 * closed the connection without an answer. ECONNREFUSED: the peer's program refused.
 * EBUSY: the peer cannot take another connection. ECANCELED: see interrupt. What the
 * function authenticate returned. EINVAL: @qp is not in INIT, or an option
 * is wrong. Otherwise the errno of ibv_modify_qp(3), poll(2) or send(2). After a failure
 * the queue pair is in INIT if the peer's values never arrived or this end refused, else in
 * ERR; vbm_reset_qp() moves it back to INIT for another try.
 */
VBM_API int vbm_handshake_client(struct vbm_qp *qp, int socket,
				 const struct vbm_handshake_options *options,
				 struct vbm_handshake_peer *peer);

/*
 * For the end that accepted the TCP connection. The peer may send as soon as it has the
 * answer, so the receives must be posted before the call, or by @request. Until the call
 * returns 0 this end may not send: vbm_post_sends() returns ENOTCONN.
 */
VBM_API int vbm_handshake_server(struct vbm_qp *qp, int socket,
				 const struct vbm_handshake_options *options,
				 struct vbm_handshake_peer *peer);

#ifdef __cplusplus
}
#endif
#endif
