/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CODEC_SETTING_H
#define VBM_CODEC_SETTING_H

#include "codec/build.h"
#include "codec/pattern.h"

/*
 * Words that say what fields of a packet shall have: "psn=5", "nak_code=INVALID_REQUEST", "ack_req".
 * Pure. They are those words of codec/pattern.h that name a field behind UDP and one value.
 */

/* Adds a word. -EINVAL with a message that names the word. */
int setting_add(struct pattern *settings, const char *word, struct vbm_error *err);

/*
 * Writes the fields. A field that exists only with a certain value of another one gives the other one
 * that value: "rnr_timer=5" makes an RNR NAK. -EINVAL: the packet has no such field, or not that much room.
 */
int settings_apply(struct build *b, const struct pattern *settings, struct vbm_error *err);

#endif
