/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_STEP_PATTERN_H
#define VBM_STEP_PATTERN_H

#include <stddef.h>

#include <verbatim/error.h>

/*
 * What buffers are filled with, by name: "counter" (32-bit words, little
 * endian, counting from 1: misplaced packets show), "zero", or the text of one
 * byte's value ("90", "0x5a").
 */
int pattern_fill(unsigned char *buf, size_t len, const char *name, struct vbm_error *err);

/*
 * The name of what @buf holds: "empty", "counter", "zero", "0x5a", or "other:
 * counter up to byte N". Owned by the caller.
 */
char *pattern_name(const unsigned char *buf, size_t len);

#endif
