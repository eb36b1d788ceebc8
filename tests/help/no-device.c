/* SPDX-License-Identifier: BSD-2-Clause */
#include "no-device.h"

#include <sys/socket.h>

bool no_device_in_init(const struct vbm_qp *qp)
{
	(void)qp;
	return true;
}

int no_device_to_rts(const struct handshake *h, struct vbm_qp *qp, struct vbm_error *error)
{
	(void)error;
	qp->peer = h->peer.address;
	return 0;
}

void no_device_give_up(struct vbm_qp *qp)
{
	(void)qp;
}

bool no_device_begin(int socket, const union ibv_gid *gid)
{
	struct handshake_message m = {
		.version = 1, .flag = HANDSHAKE_SYNC,
		.client = {.address = {.qp_num = 273, .gid = *gid}, .psn = 1, .mtu = IBV_MTU_1024},
	};
	uint8_t bytes[HANDSHAKE_BYTES_MAX];
	size_t length = vbm_handshake_encode(bytes, &m);

	return send(socket, bytes, length, 0) == (ssize_t)length;
}
