/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_VARIANT_H
#define VBM_TESTS_VARIANT_H

#include "plan/plan.h"

/*
 * Make a plan of one variant, "x" in the file x.yaml, from two lists in JSON with single
 * quotes: its actors and its items. Items without 'args' or 'deadline_ms' get default
 * ones. The caller calls plan_fini().
 */
void make_variant(struct plan *plan, const char *actors, const char *items);

#endif
