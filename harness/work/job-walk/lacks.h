/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_WALK_LACKS_H
#define VBM_JOB_WALK_LACKS_H

#include "job-walk/hosts.h"

/* Lacks of devices with the abilities @can ("ud srq"), as bits of enum model_lack. Pure. */
unsigned lacks_of_abilities(const char *can);

/* Lacks of the hosts' devices that no ability tells: it tries. */
unsigned walk_lacks(const struct walk_hosts *w);

#endif
