/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_TRANSLATION_H
#define VBM_LIB_TRANSLATION_H

#include <stdbool.h>
#include <stdint.h>

#include <verbatim/addrinfo.h>

#include "lib/base/addr.h"
#include "lib/resolve/hints.h"

struct gai_config;

/*
 * The steps of one translation that need no waiting; request.c takes them in
 * the order of this file. Each returns 0 or an EAI_ code, with errno for
 * EAI_SYSTEM. vbm_hints_check() has filled @q before the first.
 */
struct gai_work {
	const struct gai_config *cfg;
	struct gai_query q;
	bool has_service;
	uint16_t port;
	union addr literal;		/* what the node is, or not set */
	struct addr_list addrs;		/* owned: what it came to otherwise */
	const char *canon;		/* borrowed: the node, or name; NULL: none */
	char name[256];
	bool needs_lookup;		/* after vbm_gai_node(): ask a name server */
	bool other_family;		/* known locally with the other family */
};

void vbm_gai_init(struct gai_work *w, const struct gai_config *cfg);
int vbm_gai_service(struct gai_work *w, const char *service);

/*
 * Without a node, from the hints; a literal; a name of the hosts file; or,
 * with needs_lookup set, a question that the caller has to put to DNS for the
 * family vbm_gai_lookup_family() and answer with vbm_gai_found().
 */
int vbm_gai_node(struct gai_work *w, const char *node);
int vbm_gai_lookup_family(const struct gai_work *w);
int vbm_gai_found(struct gai_work *w, const struct addr_list *addrs, const char *canon);

/* One entry for each address, in *@list, owned by the caller. */
int vbm_gai_build(struct gai_work *w, struct rdma_addrinfo **list);

void vbm_gai_clear(struct gai_work *w);

#endif
