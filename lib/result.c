/* SPDX-License-Identifier: BSD-2-Clause */
#include "result.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

/*
 * The parts lie where no block of malloc's can begin, which is aligned to 16
 * bytes as this one is: so an entry's own parts are known by their place, in
 * a list of anybody's making.
 */
struct entry {
	struct rdma_addrinfo ai;
	uint64_t off_by_half;
	union addr src, dst;
	char canon[];
};

_Static_assert(offsetof(struct entry, src) % 16 == 8 && offsetof(struct entry, dst) % 16 == 8 &&
	       offsetof(struct entry, canon) % 16 == 8, "parts where malloc puts none");

static bool place(const union addr *from, union addr *to, struct sockaddr **addr, socklen_t *len)
{
	if (!from || !addr_is_set(from))
		return false;
	*to = *from;
	*addr = &to->sa;
	*len = addr_len(from);
	return true;
}

struct rdma_addrinfo *vbm_result_new(const struct gai_query *q, const union addr *src,
				     const union addr *dst, const char *canon, size_t len)
{
	struct entry *e = vbm_mem_alloc(sizeof(*e) + len + 1);
	bool has_dst;

	if (!e)
		return NULL;
	e->ai = (struct rdma_addrinfo){
		.ai_flags = q->flags,
		.ai_qp_type = q->qp_type,
		.ai_port_space = q->port_space,
	};
	if (place(src, &e->src, &e->ai.ai_src_addr, &e->ai.ai_src_len))
		e->ai.ai_family = src->sa.sa_family;
	has_dst = place(dst, &e->dst, &e->ai.ai_dst_addr, &e->ai.ai_dst_len);
	if (has_dst)
		e->ai.ai_family = dst->sa.sa_family;
	if (canon) {
		memcpy(e->canon, canon, len);
		e->canon[len] = '\0';
		if (has_dst)
			e->ai.ai_dst_canonname = e->canon;
		else
			e->ai.ai_src_canonname = e->canon;
	}
	return &e->ai;
}

int vbm_result_set_src(struct rdma_addrinfo *r, const union addr *a)
{
	r->ai_src_addr = vbm_mem_dup(a, addr_len(a));
	if (!r->ai_src_addr)
		return -ENOMEM;
	r->ai_src_len = addr_len(a);
	return 0;
}

/* Most parts are not there, and a call for each is what a plain result costs. */
static void drop(void *part)
{
	if (part)
		free(part);
}

static void release(struct rdma_addrinfo *ai, void *part)
{
	const char *own = (char *)ai, *at = part;

	if (!at || at == own + offsetof(struct entry, src) || at == own + offsetof(struct entry, dst) ||
	    at == own + offsetof(struct entry, canon))
		return;
	free(part);
}

void vbm_result_free(struct rdma_addrinfo *list)
{
	while (list) {
		struct rdma_addrinfo *next = list->ai_next;

		release(list, list->ai_src_addr);
		release(list, list->ai_dst_addr);
		release(list, list->ai_src_canonname);
		release(list, list->ai_dst_canonname);
		drop(list->ai_route);
		drop(list->ai_connect);
		free(list);
		list = next;
	}
}
