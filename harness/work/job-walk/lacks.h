/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_WALK_LACKS_H
#define VBM_WALK_LACKS_H

#include "job-walk/hosts.h"

/* What devices with the abilities @can ("ud srq") lack, as bits of enum model_lack. Pure. */
unsigned lacks_of_abilities(const char *can);

/* What no ability says about the devices of the hosts: an attempt does. */
unsigned walk_lacks(const struct walk_hosts *w);

#endif
