/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_ENDPOINT_TCP_H
#define VBM_LIB_ENDPOINT_TCP_H

#include "lib/endpoint/endpoint.h"

/* The declarations that the files of the way by the handshake share. */

/* The error of a call for the address under way. Returns @code. */
int vbm_tcp_failed(struct endpoint *e, const char *call, int code);

/* Nothing has come in the time of a wait, which is no failure. Returns ETIMEDOUT. */
int vbm_tcp_none_in_time(struct endpoint *e, const char *call);

/* As vbm_tcp_failed() for an error of the queue pair, which does not name the address. */
int vbm_tcp_qp_failed(struct endpoint *e, const struct vbm_error *error, int code);

/*
 * The steps of an operation under way, none of which waits. vbm_tcp_go() takes as many as
 * it can; vbm_tcp_time_is_up() is for the time limit of the step. Both return 0, or the
 * code with which the operation has ended.
 */
int vbm_tcp_go(struct endpoint *e);
int vbm_tcp_time_is_up(struct endpoint *e);

/* End the operation under way with @code, whose message is in the endpoint's error. */
int vbm_tcp_give_up(struct endpoint *e, int code);

/*
 * The descriptors that a step or an event waits for: first the socket or that of the
 * resolver, then the device's. Those that nothing waits for are -1.
 */
#define TCP_WAITS 2
struct pollfd;
void vbm_tcp_waits(const struct endpoint *e, struct pollfd p[TCP_WAITS]);

/* Make a queue pair on the device of the address that the peer sees. */
int vbm_tcp_make_qp(struct endpoint *e);

/*
 * A client's or a server's handshake begins, with private data and version of @options;
 * the step goes on with it. 0, or ENOMEM with the message in the endpoint's error.
 */
struct vbm_handshake_options;
int vbm_tcp_begin_talk(struct endpoint *e, const struct vbm_handshake_options *options);
void vbm_tcp_end_talk(struct endpoint *e);

/* Close the socket of the connection. */
void vbm_tcp_drop_socket(struct endpoint *e);

/*
 * Look at the device and the connection: ENODEV, and the state is REMOVED, when the device
 * has gone; 0, and the state is DISCONNECTED, when the peer has ended the connection; else
 * what vbm_endpoint_look_at_device() returns.
 */
int vbm_tcp_look(struct endpoint *e);

/* The peer has ended the connection. */
void vbm_tcp_hang_up(struct endpoint *e);

/* Whether the peer has ended the connection. */
bool vbm_tcp_has_ended(struct endpoint *e);

/* tcp-listen.c */
int vbm_tcp_listen(struct endpoint *e, const struct rdma_addrinfo *at);
int vbm_tcp_get_request(struct endpoint *e, int timeout_ms);

#endif
