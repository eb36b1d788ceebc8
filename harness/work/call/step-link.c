/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "call/step-util.h"
#include "fabric/host-devices.h"
#include "names/device-types.h"
#include "names/host.h"
#include "net/nl.h"

/*
 * Changes of a host's interface and RDMA device while programs use them. Each
 * step changes the fabric, so no other scenario uses it afterwards: see
 * "disturbs" in step.h.
 */
struct link_change {
	struct netlink *nl;
	const struct host_info *host;
	const struct value *args;
	bool device_changed;
	const char *device, *second;	/* borrowed; NULL: the host no longer has it */
};

typedef int change_fn(struct link_change *c, struct vbm_error *err);

/* The kernel's answer is the result of the step. The agent is in its host's namespace. */
static int carry_out(struct step_ctx *ctx, const struct value *args, struct value *result,
		     change_fn *fn, struct vbm_error *err)
{
	struct link_change c = {.host = ctx->host, .args = args};
	struct vbm_error why;
	int ret;

	ret = netlink_open(&c.nl, -1, err);
	if (ret < 0)
		return ret;
	put_errval(result, -fn(&c, &why));
	netlink_close(c.nl);
	return c.device_changed ? host_devices_show(c.device, c.second, err) : 0;
}

static int link_down(struct link_change *c, struct vbm_error *err)
{
	return netlink_link_down(c->nl, c->host->netdev, err);
}

static int link_up(struct link_change *c, struct vbm_error *err)
{
	return netlink_link_up(c->nl, c->host->netdev, err);
}

/* Notes the host's new device if the kernel has changed it (@ret is 0). Its second one stays. */
static int note_device(struct link_change *c, int ret, const char *device)
{
	c->device_changed = ret == 0;
	c->device = device;
	c->second = c->host->dev2[0] ? c->host->dev2 : NULL;
	return ret;
}

/* The kernel also removes the device, a little later. */
static int delete_link(struct link_change *c, struct vbm_error *err)
{
	int ret = note_device(c, netlink_link_del(c->nl, c->host->netdev, err), NULL);

	c->second = NULL;
	return ret;
}

static int set_mtu(struct link_change *c, struct vbm_error *err)
{
	return netlink_link_mtu(c->nl, c->host->netdev, (int)value_get_int(c->args, "mtu", 0), err);
}

static int delete_rdma_link(struct link_change *c, struct vbm_error *err)
{
	return note_device(c, netlink_rdma_del(c->nl, c->host->dev, err), NULL);
}

static int add_rdma_link(struct link_change *c, struct vbm_error *err)
{
	const struct device_type *type = c->host->type;

	if (value_get_bool(c->args, "siw", false))
		type = device_type_find("siw");
	return note_device(c, netlink_rdma_add(c->nl, type, c->host->dev, c->host->netdev, err),
			   c->host->dev);
}

static int arg_address(struct link_change *c, struct ip_prefix *address, int *ifindex,
		       struct vbm_error *err)
{
	const char *text = value_get_string(c->args, "address", "");
	struct link link;
	int ret;

	if (!ip_parse(text, address))
		return vbm_fail(err, EINVAL, "'%s' is not an IP address", text);
	ret = netlink_link_get(c->nl, c->host->netdev, &link, err);
	*ifindex = link.ifindex;
	return ret;
}

/* Adds no route to the network of the address, so the fabric's traffic keeps its path. */
static int add_address(struct link_change *c, struct vbm_error *err)
{
	struct ip_prefix address;
	int ifindex, ret;

	ret = arg_address(c, &address, &ifindex, err);
	if (ret < 0)
		return ret;
	return netlink_addr_add(c->nl, ifindex, &address, false, err);
}

struct wanted {
	struct ip_prefix address;
	int ifindex, len;
};

/* The prefix length of a host's address depends on the layout. */
static void note_length(const struct ifaddr_info *info, void *arg)
{
	struct ip_prefix here = info->address;
	struct wanted *w = arg;

	here.len = w->address.len;
	if (info->ifindex == w->ifindex && ip_equal(&here, &w->address))
		w->len = info->address.len;
}

static int remove_address(struct link_change *c, struct vbm_error *err)
{
	struct wanted w;
	int ret;

	ret = arg_address(c, &w.address, &w.ifindex, err);
	w.len = w.address.len;
	if (ret == 0)
		ret = netlink_addr_each(c->nl, note_length, &w, err);
	if (ret < 0)
		return ret;
	w.address.len = w.len;
	return netlink_addr_del(c->nl, w.ifindex, &w.address, err);
}

/* No host has this address, unless a fabric has 65,281 hosts. */
#define NOBODYS_MAC "02:56:42:00:ff:01"

static int set_neighbour(struct link_change *c, struct vbm_error *err)
{
	const char *text = value_get_string(c->args, "mac", NOBODYS_MAC);
	struct ip_prefix address;
	int ifindex, ret, end = 0;
	uint8_t m[6];

	if (sscanf(text, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx%n", &m[0], &m[1], &m[2], &m[3], &m[4],
		   &m[5], &end) != 6 || text[end])
		return vbm_fail(err, EINVAL, "'%s' is not a hardware address", text);
	ret = arg_address(c, &address, &ifindex, err);
	if (ret < 0)
		return ret;
	return netlink_neigh_add(c->nl, ifindex, &address, m, err);
}

#define RUN(fn)                                                               \
	STEP(run_##fn)                                                        \
	{                                                                     \
		return carry_out(ctx, args, result, fn, err);                 \
	}
RUN(link_down)
RUN(link_up)
RUN(delete_link)
RUN(set_mtu)
RUN(delete_rdma_link)
RUN(add_rdma_link)
RUN(add_address)
RUN(remove_address)
RUN(set_neighbour)

static const struct param mtu_params[] = {
	{.name = "mtu", .type = PARAM_INT, .required = true, .min = 0, .max = INT32_MAX,
	 .doc = "bytes of a packet on the interface, at most; RoCE uses 80 of them for headers"},
	{NULL},
};
static const struct param address_params[] = {
	{.name = "address", .type = PARAM_STRING, .required = true,
	 .doc = "an IPv4 or IPv6 address"},
	{NULL},
};
static const struct param neighbour_params[] = {
	{.name = "address", .type = PARAM_STRING, .required = true,
	 .doc = "an IPv4 or IPv6 address"},
	P_STRING("mac", "its new hardware address; default: an address that no host has"),
	{NULL},
};
static const struct param device_params[] = {
	P_BOOL("siw", "an iWARP device of the driver siw instead of the host's type; kernels of verbatim kernel build have it"),
	{NULL},
};

#define LINK_STEP(n, w, r, d)                                                 \
	.name = (n), .call = "rtnetlink(7)", .doc = (d), .fields = step_errval_fields, .disturbs = DISTURBS_##w, .run = (r)

static const struct step_kind steps[] = {
	{LINK_STEP("link_down", SETTINGS, run_link_down, "Take the host's interface down.")},
	{LINK_STEP("link_up", SETTINGS, run_link_up,
		   "Bring the host's interface up again. Its IPv6 address does not come back.")},
	{LINK_STEP("delete_link", INTERFACE, run_delete_link,
		   "Remove the host's interface, as ip(8) link delete does. Its RDMA device goes with it."),
	 .deadline_ms = DEADLINE_CONNECT_MS, .needs = "kernel>=7.3"},
	{LINK_STEP("set_mtu", SETTINGS, run_set_mtu, "Change the MTU of the host's interface."),
	 .params = mtu_params},
	{LINK_STEP("add_address", BY_ADDRESS, run_add_address,
		   "Add an address to the host's interface, without a route."),
	 .params = address_params},
	{LINK_STEP("remove_address", SETTINGS, run_remove_address,
		   "Remove an address from the host's interface."),
	 .params = address_params},
	{LINK_STEP("set_neighbour", BY_NEIGHBOUR, run_set_neighbour,
		   "Change the hardware address of a neighbour in the host's table."),
	 .params = neighbour_params},
	/* Older kernels wait until nobody uses the device before rxe removes it. */
	{LINK_STEP("delete_rdma_link", DEVICE, run_delete_rdma_link,
		   "Remove the host's RDMA device, as rdma(8) link delete does."),
	 .deadline_ms = DEADLINE_CONNECT_MS, .needs = "kernel>=7.3"},
	{LINK_STEP("add_rdma_link", DEVICE, run_add_rdma_link,
		   "Make the host's RDMA device again, as rdma(8) link add does."),
	 .params = device_params, .deadline_ms = DEADLINE_CONNECT_MS},
	{NULL},
};

const struct step_family family_link = {
	"link", "Changes of a host's interface and RDMA device.", steps
};
