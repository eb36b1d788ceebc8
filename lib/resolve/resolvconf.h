/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_RESOLVE_RESOLVCONF_H
#define VBM_LIB_RESOLVE_RESOLVCONF_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/addr.h"

#define RESOLV_SERVERS 3
#define RESOLV_SEARCH 6

/* The settings of resolv.conf(5) and of its environment variables. */
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

/* Read the text of the file; the defaults stay for all that it does not set. Never fails. */
void vbm_resolv_parse(struct resolv_conf *conf, const char *text, size_t len);

/*
 * After that: apply LOCALDOMAIN and RES_OPTIONS; without a search list take the host's
 * domain; without a name server take the local one.
 */
void vbm_resolv_complete(struct resolv_conf *conf);

/* Read @path and complete it. A missing file is an empty one; 0 or -errno. */
int vbm_resolv_load(struct resolv_conf *conf, const char *path);

/*
 * Write the @n-th full name to ask for when the program looks for @name to @out, which has
 * @room bytes. False when there are no more names.
 */
bool vbm_resolv_candidate(const struct resolv_conf *conf, const char *name, size_t n,
			  char *out, size_t room);

#endif
