/* SPDX-License-Identifier: BSD-2-Clause */
/* A port that goes down and a queue pair that fails, seen by both ways. */
#include "endpoint-program.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "../help/link.h"

static char netdev[64];

/* The network device of the RDMA device, from sysfs. */
static void find_netdev(void)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/gid_attrs/ndevs/0", rdma_device);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%63s", netdev) != 1)
		die("no network device");
	fclose(f);
}

static bool stirs(struct vbm_endpoint *ep)
{
	struct pollfd p = {.fd = vbm_endpoint_fd(ep), .events = POLLIN};

	return poll(&p, 1, PATIENCE_MS) == 1;
}

static bool is_quiet(struct vbm_endpoint *ep)
{
	struct pollfd p = {.fd = vbm_endpoint_fd(ep), .events = POLLIN};

	return vbm_endpoint_event(ep, NULL, NULL) == 0 && poll(&p, 1, 0) == 0;
}

/* All events that there are, until one has this reason. */
static int event_with(struct vbm_endpoint *ep, int reason)
{
	int rc = 0;

	do {
		rc = stirs(ep) ? vbm_endpoint_event(ep, NULL, NULL) : ETIMEDOUT;
	} while (rc == 0 && ep->reason != reason);
	return rc;
}

static void port(struct pair *p)
{
	int rc;

	ok(is_quiet(p->client) && is_quiet(p->server), "without an event of the device nothing is told");
	set_link(netdev, false);
	ok(returns(p->client, event_with(p->client, IBV_EVENT_PORT_ERR), ENETDOWN) &&
	   p->client->state == VBM_ENDPOINT_CONNECTED && p->client->reason == IBV_EVENT_PORT_ERR,
	   "a port that goes down is told: ENETDOWN, and the connection is kept");
	rc = vbm_wait_disconnect(p->server, PATIENCE_MS);
	ok(returns(p->server, rc, ENETDOWN) && p->server->state == VBM_ENDPOINT_CONNECTED &&
	   strstr(p->server->error.msg, "port 1 of the device"), "likewise by a call that waits");
	ok(is_quiet(p->client), "once");
	set_link(netdev, true);
	ok(returns(p->client, event_with(p->client, IBV_EVENT_PORT_ACTIVE), 0), "and when it is up again");
	rc = vbm_wait_disconnect(p->server, 0);
	ok(returns(p->server, rc, ETIMEDOUT) && p->server->state == VBM_ENDPOINT_CONNECTED, "the connection is still there");
}

/* The kernel has no event for a queue pair that the program itself moves, so that of the port wakes. */
static void queue_pair(struct pair *p)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};
	int rc;

	ibv_modify_qp(p->client->qp->qp, &attr, IBV_QP_STATE);
	set_link(netdev, false);
	set_link(netdev, true);
	ok(returns(p->client, event_with(p->client, IBV_EVENT_QP_FATAL), EIO) && p->client->state == VBM_ENDPOINT_FAILED &&
	   p->client->reason == IBV_EVENT_QP_FATAL && strstr(p->client->error.msg, "is in ERR"),
	   "a queue pair that fails ends the connection: EIO");
	do {
		rc = vbm_wait_disconnect(p->server, PATIENCE_MS);
	} while (rc == ENETDOWN);
	ok(returns(p->server, rc, 0) && p->server->state == VBM_ENDPOINT_DISCONNECTED, "and its peer is told");
	ok(vbm_disconnect(p->client) == ENOTCONN, "afterwards there is no connection");
}

void device_fails(void)
{
	struct vbm_endpoint_options o = usual();
	struct pair p;

	/* An interface that goes down loses its addresses of IPv6. */
	if (getenv("VBM_DEVICE_STAYS") || strchr(self, ':'))
		return;
	find_netdev();
	if (!make_pair(&p, &o))
		die("no connection");
	port(&p);
	queue_pair(&p);
	end_pair(&p);
}
