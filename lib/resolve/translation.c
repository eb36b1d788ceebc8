/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/resolve/translation.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/addr.h"
#include "lib/resolve/databases.h"
#include "lib/resolve/order.h"
#include "lib/resolve/result.h"

/* The EAI_ code for @ret, which is 0 or a negative errno. */
static int code_of(int ret)
{
	if (!ret || ret == -ENOMEM)
		return ret ? EAI_MEMORY : 0;
	errno = -ret;
	return EAI_SYSTEM;
}

/* Clears only the members that are read: clearing half a kilobyte costs more than the call. */
void vbm_gai_init(struct gai_work *w, const struct gai_config *cfg)
{
	w->cfg = cfg;
	w->has_service = w->needs_lookup = w->other_family = false;
	w->port = 0;
	w->literal.sa.sa_family = AF_UNSPEC;
	memset(&w->addrs, 0, sizeof(w->addrs));
	w->canon = NULL;
}

int vbm_gai_service(struct gai_work *w, const char *service)
{
	w->has_service = service;
	return vbm_service_port(w->cfg, service, w->q.qp_type == IBV_QPT_UD, &w->port);
}

static int add_translated(struct gai_work *w, const union addr *a)
{
	union addr copy = *a;

	vbm_addr_set_service(&copy, w->port, w->q.port_space);
	return code_of(vbm_addr_list_add(&w->addrs, &copy));
}

/* The family that results must have: the family of the hints, or else of their source. */
int vbm_gai_lookup_family(const struct gai_work *w)
{
	if (w->q.family != AF_UNSPEC || gai_passive(&w->q))
		return w->q.family;
	return w->q.src.sa.sa_family;
}

/* Whether this is an active call with a source address of another family than wanted. */
static bool source_disagrees(const struct gai_work *w)
{
	return !gai_passive(&w->q) && addr_is_set(&w->q.src) &&
	       w->q.src.sa.sa_family != vbm_gai_lookup_family(w);
}

static bool reads_gids(const struct gai_work *w)
{
	return vbm_gai_lookup_family(w) == AF_IB && w->q.flags & RAI_FAMILY;
}

static int literal_node(struct gai_work *w, const char *node)
{
	union addr *a = &w->literal;
	int family = vbm_gai_lookup_family(w);

	w->canon = node;
	if (reads_gids(w) && a->sa.sa_family == AF_INET6) {
		union addr gid;

		vbm_addr_from_gid(&gid, a->in6.sin6_addr.s6_addr, true);
		gid.ib.sib_scope_id = a->in6.sin6_scope_id;
		*a = gid;
	} else if (family != AF_UNSPEC && family != a->sa.sa_family) {
		return EAI_ADDRFAMILY;
	}
	vbm_addr_set_service(a, w->port, w->q.port_space);
	return 0;
}

int vbm_gai_found(struct gai_work *w, const struct addr_list *addrs, const char *canon)
{
	int ret = 0;

	snprintf(w->name, sizeof(w->name), "%s", canon);
	w->canon = *w->name ? w->name : NULL;
	for (size_t i = 0; i < addrs->count && !ret; i++)
		ret = add_translated(w, &addrs->item[i]);
	return ret ? ret : code_of(vbm_order_addresses(&w->addrs));
}

static int named_node(struct gai_work *w, const char *node)
{
	struct addr_list addrs = {0};
	char canon[sizeof(w->name)];
	int ret;

	if (w->q.flags & RAI_NUMERICHOST)
		return EAI_NONAME;
	if (vbm_gai_lookup_family(w) == AF_IB)
		return EAI_ADDRFAMILY;
	ret = vbm_lookup_local(w->cfg, node, vbm_gai_lookup_family(w), &addrs, canon,
			       &w->other_family);
	if (!ret && addrs.count)
		ret = vbm_gai_found(w, &addrs, canon);
	else if (!ret)
		w->needs_lookup = true;
	vbm_addr_list_clear(&addrs);
	return ret;
}

/*
 * The wildcard address for the passive side, loopback for the active side, as in
 * getaddrinfo(3).
 */
static int any_node(struct gai_work *w)
{
	bool passive = gai_passive(&w->q);
	const struct in6_addr *in6 = passive ? &in6addr_any : &in6addr_loopback;
	int family = vbm_gai_lookup_family(w), ret = 0;
	union addr a;

	if (family == AF_IB) {
		vbm_addr_from_gid(&a, in6->s6_addr, true);
		return add_translated(w, &a);
	}
	if (family != AF_INET6) {
		vbm_addr_set_in(&a, passive ? INADDR_ANY : INADDR_LOOPBACK, 0);
		ret = add_translated(w, &a);
	}
	if (family != AF_INET && !ret) {
		vbm_addr_set_in6(&a, in6->s6_addr, 0);
		ret = add_translated(w, &a);
	}
	if (!ret && !passive)
		ret = code_of(vbm_order_addresses(&w->addrs));
	return ret;
}

int vbm_gai_node(struct gai_work *w, const char *node)
{
	if (!node) {
		/* The result is built directly from the addresses of the hints. */
		if (addr_is_set(&w->q.dst) || addr_is_set(&w->q.src) || w->q.route)
			return 0;
		return any_node(w);
	}
	if (source_disagrees(w))
		return EAI_ADDRFAMILY;
	switch (vbm_literal_read(node, &w->literal)) {
	case LITERAL_ADDRESS:
		return literal_node(w, node);
	case LITERAL_NAME:
		return named_node(w, node);
	case LITERAL_FAILED:
		return code_of(-errno);
	case LITERAL_NEITHER:
		break;
	}
	return EAI_NONAME;
}

/*
 * Append one entry. Addresses that are not set are left out; for an active call the source
 * is looked up.
 */
static int append_entry(struct gai_work *w, const union addr *src, const union addr *dst,
			const char *canon, struct rdma_addrinfo ***tail)
{
	struct rdma_addrinfo *r;
	union addr found;

	if (gai_passive(&w->q)) {
		dst = NULL;
	} else if (!addr_is_set(src)) {
		int ret = vbm_source_discover(w->cfg, dst, &found);

		if (ret < 0)
			return code_of(ret);
		src = &found;
	}
	r = vbm_result_new(&w->q, src, dst, canon);
	if (!r)
		return EAI_MEMORY;
	**tail = r;
	*tail = &r->ai_next;
	return 0;
}

static int append_node(struct gai_work *w, const union addr *a, struct rdma_addrinfo ***tail)
{
	return gai_passive(&w->q) ? append_entry(w, a, NULL, w->canon, tail) :
		append_entry(w, &w->q.src, a, w->canon, tail);
}

static int build_from_list(struct gai_work *w, struct rdma_addrinfo ***tail)
{
	int ret = 0;

	for (size_t i = 0; i < w->addrs.count && !ret; i++)
		ret = append_node(w, &w->addrs.item[i], tail);
	return ret;
}

/* The port of the service, if there is one, is set in the address that is used. */
static int build_pair(struct gai_work *w, union addr *src, union addr *dst,
		      struct rdma_addrinfo ***tail)
{
	bool passive = gai_passive(&w->q);
	union addr *used = passive || !addr_is_set(dst) ? src : dst;
	int family = w->q.family;

	if (family != AF_UNSPEC && used->sa.sa_family != family)
		return EAI_ADDRFAMILY;
	if (!passive && addr_is_set(src) && src->sa.sa_family != used->sa.sa_family)
		return EAI_ADDRFAMILY;
	if (w->has_service)
		vbm_addr_set_service(used, w->port, w->q.port_space);
	return append_entry(w, src, dst, NULL, tail);
}

static int build_from_routes(struct gai_work *w, struct rdma_addrinfo ***tail)
{
	int ret = EAI_NONAME;

	for (size_t i = 0; i < w->q.route_count; i++) {
		union addr src, dst;
		int one;

		vbm_route_hint_addresses(&w->q, i, &src, &dst);
		if (!addr_is_set(&src) && (gai_passive(&w->q) || !addr_is_set(&dst)))
			continue;
		one = build_pair(w, &src, &dst, tail);
		if (one && one != EAI_ADDRFAMILY)
			return one;
		if (!one || ret)
			ret = one;
	}
	return ret;
}

/* A passive call with a destination only gets the wildcard of its family as source. */
static void wildcard_like(union addr *src, const union addr *dst)
{
	static const uint8_t none[16];

	if (dst->sa.sa_family == AF_INET)
		vbm_addr_set_in(src, INADDR_ANY, 0);
	else if (dst->sa.sa_family == AF_INET6)
		vbm_addr_set_in6(src, none, 0);
	else
		vbm_addr_from_gid(src, none, true);
}

static int build_from_hints(struct gai_work *w, struct rdma_addrinfo ***tail)
{
	union addr src = w->q.src, dst = w->q.dst;

	if (!addr_is_set(&src) && !addr_is_set(&dst))
		return build_from_routes(w, tail);
	if (gai_passive(&w->q) && !addr_is_set(&src))
		wildcard_like(&src, &dst);
	return build_pair(w, &src, &dst, tail);
}

int vbm_gai_build(struct gai_work *w, struct rdma_addrinfo **list)
{
	struct rdma_addrinfo *head = NULL, **tail = &head;
	int ret;

	if (addr_is_set(&w->literal))
		ret = append_node(w, &w->literal, &tail);
	else if (w->addrs.count)
		ret = build_from_list(w, &tail);
	else
		ret = build_from_hints(w, &tail);
	if (ret) {
		vbm_result_free(head);
		head = NULL;
	}
	*list = head;
	return ret;
}

void vbm_gai_clear(struct gai_work *w)
{
	if (w->addrs.item)
		vbm_addr_list_clear(&w->addrs);
}
