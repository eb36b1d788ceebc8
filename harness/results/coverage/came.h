/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COVERAGE_CAME_H
#define VBM_COVERAGE_CAME_H

#include "coverage/uses.h"
#include "runs/stored.h"

/*
 * Whether the expected value @use is in the answer that the evidence of @run keeps of that
 * item of @v. False when the evidence of @v is not there.
 */
bool came_use(const struct stored_run *run, const struct variant *v, const struct code_use *use);

#endif
