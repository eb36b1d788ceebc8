/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/resolve/order.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/resolve/databases.h"
#include "lib/base/fail.h"
#include "lib/resolve/gid-table.h"
#include "lib/resolve/locals.h"
#include "lib/base/mem.h"

#define SCOPE_LINK 2
#define SCOPE_SITE 5
#define SCOPE_GLOBAL 14

/* RFC 6724, section 2.1. The longest prefix that matches decides. */
static const struct policy {
	uint8_t prefix[16];
	int bits, precedence, label;
} policies[] = {
	{{[15] = 1}, 128, 50, 0},
	{{[10] = 0xff, [11] = 0xff}, 96, 35, 4},
	{{0}, 96, 1, 3},
	{{0x20, 0x01}, 32, 5, 5},
	{{0x20, 0x02}, 16, 30, 2},
	{{0x3f, 0xfe}, 16, 1, 12},
	{{0xfe, 0xc0}, 10, 1, 11},
	{{0xfc}, 7, 3, 13},
	{{0}, 0, 40, 1},
};

static int common_bits(const uint8_t *a, const uint8_t *b, int bytes)
{
	for (int i = 0; i < bytes; i++)
		if (a[i] != b[i])
			return 8 * i + __builtin_clz((unsigned int)(a[i] ^ b[i])) - 24;
	return 8 * bytes;
}

static const struct policy *policy(const union addr *a)
{
	const struct policy *p = policies;
	uint8_t gid[16];

	vbm_addr_to_gid(a, gid);
	while (common_bits(gid, p->prefix, 16) < p->bits)
		p++;
	return p;
}

static int scope_in(uint32_t host_order)
{
	bool link = host_order >> 24 == 127 || host_order >> 16 == 0xa9fe;

	return link ? SCOPE_LINK : SCOPE_GLOBAL;
}

/*
 * An IPv4 address and its IPv4-mapped form get the same rank; else the order would not be
 * consistent.
 */
static bool is_four(const uint8_t gid[16])
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	return !memcmp(gid, mapped, sizeof(mapped));
}

static int scope(const union addr *a)
{
	const struct in6_addr *in6 = &a->in6.sin6_addr;
	uint8_t gid[16];
	uint32_t in;

	vbm_addr_to_gid(a, gid);
	if (is_four(gid)) {
		memcpy(&in, gid + 12, sizeof(in));
		return scope_in(ntohl(in));
	}
	if (IN6_IS_ADDR_MULTICAST(in6))
		return in6->s6_addr[1] & 0xf;
	if (IN6_IS_ADDR_LINKLOCAL(in6) || IN6_IS_ADDR_LOOPBACK(in6))
		return SCOPE_LINK;
	return IN6_IS_ADDR_SITELOCAL(in6) ? SCOPE_SITE : SCOPE_GLOBAL;
}

/* Positive when only @b has the property. */
static int prefer(bool a, bool b)
{
	return (int)b - (int)a;
}

static int shared_prefix(const struct order_item *i)
{
	uint8_t dst[16], src[16];
	int bits;

	vbm_addr_to_gid(&i->dst, dst);
	vbm_addr_to_gid(&i->src, src);
	bits = common_bits(dst, src, 16);
	if (!is_four(dst))
		return bits;
	return bits - 96 < i->prefix ? 0 : bits - 96;
}

int vbm_order_compare(const struct order_item *a, const struct order_item *b)
{
	bool routed = addr_is_set(&a->src);
	int r = prefer(routed, addr_is_set(&b->src));

	if (r)
		return r;
	if (routed)
		r = prefer(scope(&a->dst) == scope(&a->src),
			   scope(&b->dst) == scope(&b->src));
	if (!r)
		r = prefer(!a->deprecated, !b->deprecated);
	if (!r)
		r = prefer(a->home, b->home);
	if (!r && routed)
		r = prefer(policy(&a->dst)->label == policy(&a->src)->label,
			   policy(&b->dst)->label == policy(&b->src)->label);
	if (!r)
		r = policy(&b->dst)->precedence - policy(&a->dst)->precedence;
	if (!r)
		r = scope(&a->dst) - scope(&b->dst);
	/* At this point either both are IPv4 or neither is. */
	if (!r && routed)
		r = shared_prefix(b) - shared_prefix(a);
	return r;
}

/* Find the source address and its properties. */
static int judge_source(struct order_item *item, const struct locals *locals)
{
	const struct local *own;
	int ret = vbm_source_discover(NULL, &item->dst, &item->src);
	union addr src = item->src;
	uint8_t gid[16];

	if (ret <= 0)
		return ret;
	vbm_addr_to_gid(&src, gid);
	if (is_four(gid))
		vbm_addr_from_gid(&src, gid, false);
	own = vbm_locals_find(locals, &src);
	item->prefix = own ? own->prefix : 32;
	item->deprecated = own && own->deprecated;
	item->home = own && own->home;
	return 0;
}

/* When the kernel does not list the host's addresses, their properties are left out. */
static int judge_all(struct order_item *item, const struct addr_list *list)
{
	struct locals locals;
	int ret = vbm_locals_read(&locals);

	if (is_shortage(-ret))
		return ret;
	ret = 0;
	for (size_t i = 0; i < list->count && !ret; i++) {
		item[i].dst = list->item[i];
		item[i].given = i;
		ret = judge_source(&item[i], &locals);
	}
	vbm_locals_clear(&locals);
	return ret;
}

static int compare_items(const void *a, const void *b)
{
	const struct order_item *x = a, *y = b;
	int r = vbm_order_compare(x, y);

	/* qsort(3) need not be stable. */
	return r ? r : (x->given > y->given) - (x->given < y->given);
}

int vbm_order_addresses(struct addr_list *list)
{
	struct order_item *item;
	int ret;

	if (list->count < 2)
		return 0;
	item = vbm_mem_zalloc(list->count * sizeof(*item));
	if (!item)
		return -ENOMEM;
	ret = judge_all(item, list);
	if (!ret) {
		qsort(item, list->count, sizeof(*item), compare_items);
		for (size_t i = 0; i < list->count; i++)
			list->item[i] = item[i].dst;
	}
	free(item);
	return ret;
}

/* After a failed call: a negative errno if memory or descriptors ran out, else 0. */
static int ask_route(int fd, const union addr *dst, union addr *src)
{
	socklen_t len = sizeof(*src);

	if (connect(fd, &dst->sa, addr_len(dst)) || getsockname(fd, &src->sa, &len))
		return shortage_of_call();
	vbm_addr_set_service(src, 0, 0);
	return 1;
}

/* With @cfg only the address of an RDMA device is a source. */
int vbm_source_discover(const struct gai_config *cfg, const union addr *dst, union addr *src)
{
	int family = dst->sa.sa_family, fd, ret;

	memset(src, 0, sizeof(*src));
	if (family != AF_INET && family != AF_INET6)
		return 0;
	fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return shortage_of_call();
	ret = ask_route(fd, dst, src);
	if (ret > 0 && cfg)
		ret = vbm_gids_have(cfg->sys, fd, src);
	close(fd);
	if (ret <= 0)
		src->sa.sa_family = AF_UNSPEC;
	return ret;
}
