/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_NO_DEVICE_H
#define VBM_TESTS_NO_DEVICE_H

#include "lib/handshake/negotiator.h"

/*
 * For the table of calls that a negotiator makes to a device: calls that need none. A queue
 * pair is in INIT at any time, and goes to RTS by taking the peer's address.
 */
bool no_device_in_init(const struct vbm_qp *qp);
int no_device_to_rts(const struct handshake *h, struct vbm_qp *qp, struct vbm_error *error);
void no_device_give_up(struct vbm_qp *qp);

/* Send the right first message of a client with that GID. False: it is not sent. */
bool no_device_begin(int socket, const union ibv_gid *gid);

#endif
