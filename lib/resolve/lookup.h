/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_RESOLVE_LOOKUP_H
#define VBM_LIB_RESOLVE_LOOKUP_H

#include <stdbool.h>

#include "lib/base/addr.h"
#include "lib/resolve/dns.h"

struct gai_config;
struct resolv_conf;

/* The result of a look-up. Its pointers are valid during the call of lookup_done. */
struct lookup_result {
	int code;			/* 0 or an EAI_ code */
	int error;			/* errno of EAI_SYSTEM */
	const struct addr_list *addrs;
	const char *canon;
};

typedef void lookup_done(void *arg, const struct lookup_result *result);

/*
 * Looks up one name along the search list, A and AAAA at once. When only one family is
 * wanted and the name has no record of it, the look-up asks for the other family as well,
 * to learn whether the host has addresses at all.
 */
struct lookup {
	struct dns_client *client;
	const struct resolv_conf *conf;
	const char *name;		/* borrowed */
	int family;
	bool other_family;		/* the hosts file has the name with the other family */
	lookup_done *done;
	void *arg;

	size_t candidate;
	bool probing;			/* asking for the other family */
	enum dns_status worst;		/* of the candidates so far */
	struct dns_question *question[2];
	unsigned int pending;
	enum dns_status status[2];
	int error;
	struct addr_list addrs;		/* owned */
	char canon[256];
};

/* The caller sets the first seven members of @l; the rest is zero. @done is called once. */
void vbm_lookup_start(struct lookup *l);

/* Stop without calling @done, and release what @l owns. Also to be called after the end. */
void vbm_lookup_clear(struct lookup *l);

#endif
