/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_AGENT_AGENT_NAMES_H
#define VBM_AGENT_AGENT_NAMES_H

#include "agent/agent.h"

/*
 * Puts the scenario's files over those in /etc, for this process only: it must
 * have mounts of its own by now, and the files end with them.
 */
int names_install(const struct host_files *names, struct vbm_error *err);

/* Mounts an empty folder over the one in which services leave their sockets. */
int names_hide_services(struct vbm_error *err);

/* Shows that folder also at the path where this librdmacm looks, if it was built with another path. */
int names_show_services(struct vbm_error *err);

#endif
