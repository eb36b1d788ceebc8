/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_RESOLVCONF_H
#define VBM_LIB_RESOLVCONF_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/addr.h"

#define RESOLV_SERVERS 3
#define RESOLV_SEARCH 6

/* What resolv.conf(5) and its environment variables ask for. */
struct resolv_conf {
	union addr server[RESOLV_SERVERS];
	size_t servers;
	char search[RESOLV_SEARCH][256];
	size_t searches;
	int ndots;
	int timeout;		/* seconds for one attempt */
	int attempts;		/* on each server */
	bool rotate;
	bool use_tcp;
};

/* Read the text of the file over the built-in defaults. Never fails. */
void vbm_resolv_parse(struct resolv_conf *conf, const char *text, size_t len);

/*
 * Then: LOCALDOMAIN and RES_OPTIONS, the host's own domain where there is no
 * search list, and the local name server where there is none.
 */
void vbm_resolv_complete(struct resolv_conf *conf);

/* Read @path and complete it. A missing file is an empty one; 0 or -errno. */
int vbm_resolv_load(struct resolv_conf *conf, const char *path);

/*
 * The @n-th full name to ask for @name, into @out of @room bytes; false when
 * there are no more.
 */
bool vbm_resolv_candidate(const struct resolv_conf *conf, const char *name, size_t n,
			  char *out, size_t room);

#endif
