/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VERBATIM_HANDSHAKE_H
#define VERBATIM_HANDSHAKE_H

#include <verbatim/qp.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Connect two queue pairs by a handshake of three messages over a TCP socket:
 * docs/handshake.md, version 0.
 *
 * Both calls wait. They return 0 or a positive errno value, and the member error
 * of the queue pair then says more. NULL is EINVAL.
 */

/*
 * The end that opened the TCP connection. @qp is in INIT. @socket is connected,
 * and stays the caller's. When the call returns 0, @qp is in RTS, its member
 * peer is filled in, and it may send.
 *
 * A step that takes longer than @timeout_ms milliseconds (0: 5000) ends in
 * ETIMEDOUT. ECONNRESET: the peer closed the connection. EPROTO: it sent
 * something else than the step wants; nothing of that reached the queue pair.
 * Else what ibv_modify_qp(3), poll(2) or send(2) say. After a failure the queue
 * pair is in INIT when the peer's values never came, else in ERR.
 */
VBM_API int vbm_handshake_client(struct vbm_qp *qp, int socket, int timeout_ms);

/*
 * The end that accepted it. The peer may send as soon as it has the answer, so
 * the receives have to be posted before the call. It may send itself when the
 * call returns 0.
 */
VBM_API int vbm_handshake_server(struct vbm_qp *qp, int socket, int timeout_ms);

#ifdef __cplusplus
}
#endif
#endif
