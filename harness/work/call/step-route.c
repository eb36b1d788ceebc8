/* SPDX-License-Identifier: BSD-2-Clause */
#include <sys/socket.h>

#include "call/step-util.h"
#include "names/host.h"
#include "net/nl.h"

/*
 * Changes of a host's routes while programs use them. In layout shared the routes of a host
 * are in a table of its own, so a route is found by its interface, and not by its table.
 */
struct route_search {
	struct ip_prefix to;	/* an address */
	int ifindex;
	struct route found;	/* the longest that fits; AF_UNSPEC: none */
};

static void look_at(const struct route *route, void *arg)
{
	struct route_search *s = arg;

	if (route->local || route->ifindex != s->ifindex || route->dst.family != s->to.family ||
	    !ip_overlap(&route->dst, &s->to))
		return;
	if (!s->found.dst.family || route->dst.len > s->found.dst.len)
		s->found = *route;
}

/* -ESRCH: no route of the host's interface leads to the address. */
static int find_route(struct netlink *nl, const struct step_ctx *ctx, const struct value *args,
		      struct route_search *s, struct vbm_error *err)
{
	const char *text = value_get_string(args, "to", "");
	struct link link;
	int ret;

	if (!ip_parse(text, &s->to))
		return vbm_fail(err, EINVAL, "'%s' is not an IP address", text);
	ret = netlink_link_get(nl, ctx->host->netdev, &link, err);
	s->ifindex = link.ifindex;
	if (ret == 0)
		ret = netlink_route_each(nl, look_at, s, err);
	if (ret == 0 && !s->found.dst.family)
		return vbm_fail(err, ESRCH, "host %s has no route to %s", ctx->host->name, text);
	return ret;
}

/* The kernel's answer is the result of the step. The agent is in its host's namespace. */
static int carry_out(struct step_ctx *ctx, const struct value *args, struct value *result,
		     int (*change)(struct netlink *nl, const struct route *route, struct vbm_error *err),
		     struct vbm_error *err)
{
	struct route_search s = {0};
	struct vbm_error why;
	struct netlink *nl;
	int ret = netlink_open(&nl, -1, err);

	if (ret < 0)
		return ret;
	ret = find_route(nl, ctx, args, &s, &why);
	s.found.hop_limit = (uint32_t)value_get_int(args, "hop_limit", 0);
	if (ret == 0)
		ret = change(nl, &s.found, &why);
	put_errval(result, -ret);
	netlink_close(nl);
	return 0;
}

STEP(run_remove_route)
{
	return carry_out(ctx, args, result, netlink_route_del, err);
}

STEP(run_set_route)
{
	return carry_out(ctx, args, result, netlink_route_replace, err);
}

#define P_TO \
	{.name = "to", .type = PARAM_ADDRESS, .required = true, .doc = "the address that the route leads to"}
static const struct param remove_params[] = {
	P_TO,
	{NULL},
};
static const struct param set_params[] = {
	P_TO,
	P_INT("hop_limit", 0, 255, "hop limit of the packets that take this route; default 0: the kernel's usual one"),
	{NULL},
};

#define ROUTE_STEP(n, r, d)                                                   \
	.name = (n), .call = "rtnetlink(7)", .doc = (d), .fields = step_errval_fields, .disturbs = DISTURBS_SETTINGS, .run = (r)

static const struct step_kind steps[] = {
	{ROUTE_STEP("remove_route", run_remove_route,
		    "Remove the host's route that leads to an address: behind a router, its way to all other hosts."),
	 .params = remove_params},
	{ROUTE_STEP("set_route", run_set_route, "Change the host's route that leads to an address."),
	 .params = set_params},
	{NULL},
};

const struct step_family family_route = {
	"route", "Changes of a host's routes.", steps
};
