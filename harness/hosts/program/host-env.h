/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROGRAM_HOST_ENV_H
#define VBM_PROGRAM_HOST_ENV_H

#include <stddef.h>

#include "names/host.h"

struct host_info;
struct value;

/*
 * The environment of a program on a host: the environment of the @job (its "env", a map of
 * strings, and its "env_bytes", a list of "NAME=VALUE" that are not UTF-8, see
 * json_bytes()), and these variables about the fabric:
 *
 *   VERBATIM_HOST            "a"
 *   VERBATIM_DEV             RDMA device; VERBATIM_PORT its port
 *   VERBATIM_NETDEV          network interface
 *   VERBATIM_IP              the host's IPv4 address, and VERBATIM_IP6 the IPv6 one
 *   VERBATIM_GID_INDEX       the index of VERBATIM_IP in the device's GID table, and
 *                            VERBATIM_GID_INDEX6 that of VERBATIM_IP6
 *   VERBATIM_IP_A, _IP6_A, VERBATIM_IP_B ...   the addresses of all hosts
 *   VERBATIM_READY_A ...     what @found has under the name of a host: a text that a
 *                            program there has printed; @found may be NULL
 *
 * Pure. NULL-terminated, like environ; free with host_env_free().
 */
char **host_env(const struct host_info *hosts, size_t count, size_t self,
		const struct value *job, const struct value *found);
void host_env_free(char **env);

/*
 * The first line of a terminal on the host. @cable: the faults of its cable, or "". @more, a sentence, may be NULL. The caller
 * frees the text.
 */
char *host_greeting(const struct host_info *host, const char *cable, const char *more);

#endif
