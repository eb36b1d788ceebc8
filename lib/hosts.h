/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_HOSTS_H
#define VBM_LIB_HOSTS_H

#include <stdbool.h>
#include <stddef.h>

#include "addr.h"

/* What a hosts file says of one name. */
struct hosts_match {
	struct addr_list addrs;		/* owned; of the family asked for */
	char canon[256];		/* the first name of the first such line */
	bool other_family;		/* it has addresses that were not asked for */
};

/* Search the text of hosts(5). 0 (found or not) or -ENOMEM. */
int vbm_hosts_scan(const char *text, size_t len, const char *name, int family,
		   struct hosts_match *match);

void vbm_hosts_match_clear(struct hosts_match *match);

#endif
