/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_WALK_CONNECT_H
#define VBM_JOB_WALK_CONNECT_H

#include "job-walk/hosts.h"

/* Connects the queue pairs of a pair, which are in INIT, by rdma_cm. Host 0 connects, and host 1 listens. */
int walk_cm_connect(struct walk_hosts *w, int pair, struct vbm_error *err);

/* Ends the connection, and destroys its identifiers. The queue pairs have to be made anew. */
void walk_cm_disconnect(struct walk_hosts *w, int pair);

#endif
