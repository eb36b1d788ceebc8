/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXPORT_EXPORT_H
#define VBM_EXPORT_EXPORT_H

/*
 * Runs in: any process, in the thread of the caller; no state of its own.
 * Owns:    the values that it returns belong to the caller.
 * Ends:    with the call.
 * Tests:   tests/cli/docs.test; tests/guest/uml-export.test.
 */

#include <verbatim/error.h>

#include "base/text.h"
#include "plan/plan.h"

/*
 * Writes a variant as one C program that uses libibverbs alone, for those who want to
 * see a failure without Verbatim. It runs once on each of the two hosts, which take turns
 * over a TCP connection. Pure. -ENOTSUP and where, if C cannot say a step in this way.
 */
int export_c(const struct variant *v, struct text *out, struct vbm_error *err);

#endif
