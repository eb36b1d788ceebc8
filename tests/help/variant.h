/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_VARIANT_H
#define VBM_TESTS_VARIANT_H

#include "plan/plan.h"

/*
 * A plan of one variant, "x" of the file x.yaml, out of two lists in JSON with single quotes:
 * its actors, and its items, to each of which 'args' and 'deadline_ms' are added where they
 * are missing. The caller calls plan_fini().
 */
void make_variant(struct plan *plan, const char *actors, const char *items);

#endif
