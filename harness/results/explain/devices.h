/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXPLAIN_DEVICES_H
#define VBM_EXPLAIN_DEVICES_H

#include <verbatim/error.h>

#include "coverage/coverage.h"

struct value;

/*
 * Gives each clause and code of @matches (explain_name(), explain_line()) that a scenario shows the list
 * "by_device": how it is covered on devices of each type. Reads these scenarios again, because fragments have
 * other steps for some devices.
 */
int explain_devices_add(struct value *matches, const struct survey *s, const struct coverage *c, struct vbm_error *err);

#endif
