/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_AGENT_NAMES_H
#define VBM_AGENT_NAMES_H

#include "agent/agent.h"

/*
 * Put the files in front of those in /etc, for this process only: it has its
 * own mounts by now, and they go with it.
 */
int names_install(const struct host_files *names, struct vbm_error *err);

/* An empty folder in front of the one where services leave their sockets. */
int names_hide_services(struct vbm_error *err);

/* That folder also where a librdmacm looks that was built to look elsewhere. */
int names_show_services(struct vbm_error *err);

#endif
