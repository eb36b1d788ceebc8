/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_REMOTE_SCP_SCRIPT_H
#define VBM_REMOTE_SCP_SCRIPT_H

#include <stdbool.h>

/* A file or folder of scp(1), "user@host:path" or "path". */
struct scp_place {
	const char *path;
	char name[256];		/* of the host, without the user; empty: this one */
};

/* The options of scp(1) that matter between hosts. */
struct scp_options {
	bool recursive, preserve;
};

/*
 * Pure. False: the name of the host is too long. A colon behind a slash belongs to a
 * path. An IPv6 address stands in brackets.
 */
bool scp_place_read(struct scp_place *place, const char *text);

/*
 * Pure. Scripts for sh(1): one writes the files that the pattern @from means to standard output, as
 * a tar(1) archive; the other reads the archive and puts them at @to, by the rules of
 * cp(1). @many: there are more, so @to has to be a folder. The caller frees.
 */
char *scp_sender(const char *from, const struct scp_options *options);
char *scp_receiver(const char *from, const char *to, bool many, const struct scp_options *options);

#endif
