/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiled outside the tree, as C and as C++. */
#include <verbatim/addrinfo.h>
#include <verbatim/error.h>
#include <verbatim/resolve.h>

#include <stdio.h>
#include <string.h>

typedef int getaddrinfo_call(const char *, const char *, const struct rdma_addrinfo *,
			     struct rdma_addrinfo **);

static int asynchronous(void)
{
	struct vbm_channel *channel;
	struct vbm_event *event;
	struct vbm_error err;
	struct vbm_id *id;
	int status = 1;

	if (vbm_create_channel(&channel, &err) || vbm_create_id(channel, NULL, &id, &err))
		return 1;
	if (!vbm_resolve_addrinfo(id, "192.0.2.1", "7471", NULL) &&
	    !vbm_get_event(channel, &event, 1000, &err)) {
		status = event->event != RDMA_CM_EVENT_ADDRINFO_RESOLVED;
		vbm_ack_event(event);
	}
	vbm_destroy_id(id, NULL);
	vbm_destroy_channel(channel, NULL);
	return status;
}

int main(void)
{
	getaddrinfo_call *call = vbm_getaddrinfo;
	struct rdma_addrinfo hints, *res;
	int ret;

	memset(&hints, 0, sizeof(hints));
	hints.ai_qp_type = IBV_QPT_UD;
	hints.ai_port_space = RDMA_PS_TCP;
	ret = call("192.0.2.1", "7471", &hints, &res);
	if (ret != EAI_QPTYPE || res)
		return 1;
	hints.ai_port_space = RDMA_PS_UDP;
	if (call("192.0.2.1", "7471", &hints, &res))
		return 1;
	printf("%s\n", res->ai_dst_canonname);
	vbm_freeaddrinfo(res);
	return asynchronous();
}
