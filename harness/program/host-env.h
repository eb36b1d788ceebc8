/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROGRAM_HOST_ENV_H
#define VBM_PROGRAM_HOST_ENV_H

#include <stddef.h>

struct host_info;
struct value;

/*
 * The environment of a program on a host: that of the @job (its "env", a map of
 * strings, and its "env_bytes", a list of "NAME=VALUE" that are not UTF-8, as
 * of json_bytes()) and what the fabric is like, seen from there:
 *
 *   VERBATIM_HOST            "a"
 *   VERBATIM_DEV             RDMA device; VERBATIM_PORT its port
 *   VERBATIM_NETDEV          network interface
 *   VERBATIM_IP, _IP6        own addresses
 *   VERBATIM_GID_INDEX, 6    of them in the device's GID table
 *   VERBATIM_IP_A, _IP6_A, VERBATIM_IP_B ...   everybody's
 *
 * Pure. NULL-terminated, like environ; free with host_env_free().
 */
char **host_env(const struct host_info *hosts, size_t count, size_t self,
		const struct value *job);
void host_env_free(char **env);

/* What a terminal on the host begins with; @more, a sentence, may be NULL. The caller frees. */
char *host_greeting(const struct host_info *host, const char *more);

#endif
