/* SPDX-License-Identifier: BSD-2-Clause */
#include "no-device.h"

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
