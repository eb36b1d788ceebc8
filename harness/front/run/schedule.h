/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUN_SCHEDULE_H
#define VBM_RUN_SCHEDULE_H

#include "run/selection.h"

/*
 * In which order the places of a run begin its variants. If a long one comes last, one
 * place works and the others wait. So those that took long in the stored run at @rerun or in the
 * last one of @history (either may be NULL) come first, the longest first; the others keep their
 * order, because neighbours share fabrics. Reports have the order of the plan.
 *
 * Returns the numbers of the variants, which the caller frees; NULL for the order of the plan: with
 * one place, and if no time is known.
 */
size_t *schedule_make(const struct selection *sel, const char *rerun, const char *history, int jobs);

#endif
