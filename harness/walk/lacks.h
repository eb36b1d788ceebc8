/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_WALK_LACKS_H
#define VBM_WALK_LACKS_H

#include "walk/hosts.h"

/* What the devices of the hosts lack, as bits of enum model_lack. An attempt says it. */
unsigned walk_lacks(const struct walk_hosts *w);

#endif
