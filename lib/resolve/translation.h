/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_RESOLVE_TRANSLATION_H
#define VBM_LIB_RESOLVE_TRANSLATION_H

#include <stdbool.h>
#include <stdint.h>

#include <verbatim/addrinfo.h>

#include "lib/base/addr.h"
#include "lib/resolve/hints.h"

struct gai_config;

/*
 * The steps of a translation that need no waiting. request.c calls them in the order of
 * this file. Each returns 0 or an EAI_ code, with errno for EAI_SYSTEM. vbm_hints_check()
 * has filled @q before the first.
 */
struct gai_work {
	const struct gai_config *cfg;
	struct gai_query q;
	bool has_service;
	uint16_t port;
	union addr literal;		/* the node's address, when the node is an address */
	struct addr_list addrs;		/* owned: the addresses found for the node */
	const char *canon;		/* borrowed: the node's canonical name, or name; NULL: unknown */
	char name[256];
	bool needs_lookup;		/* after vbm_gai_node(): ask a name server */
	bool other_family;		/* the hosts file has the name with the other family */
};

void vbm_gai_init(struct gai_work *w, const struct gai_config *cfg);
int vbm_gai_service(struct gai_work *w, const char *service);

/*
 * Find the addresses of @node: from the hints if it is NULL, from a literal, or from the
 * hosts file. Otherwise needs_lookup is set: the caller asks DNS for the family
 * vbm_gai_lookup_family() and passes the answer to vbm_gai_found().
 */
int vbm_gai_node(struct gai_work *w, const char *node);
int vbm_gai_lookup_family(const struct gai_work *w);
int vbm_gai_found(struct gai_work *w, const struct addr_list *addrs, const char *canon);

/* Build one entry for each address, in *@list, which the caller owns. */
int vbm_gai_build(struct gai_work *w, struct rdma_addrinfo **list);

void vbm_gai_clear(struct gai_work *w);

#endif
