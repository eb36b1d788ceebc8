/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_EXPLAIN_SETUP_H
#define VBM_TESTS_EXPLAIN_SETUP_H

#include "explain/explain.h"

struct value;

/* The scenarios of tests/data/coverage, from load() to unload(). */
extern struct survey survey;
extern struct coverage coverage;

int load(void **state);
int unload(void **state);

/* The one match that there must be. */
const struct value *only(const struct value *matches);

#endif
