/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LITMUS_SHAPES_H
#define VBM_LITMUS_SHAPES_H

#include <stdbool.h>
#include <stddef.h>

struct value;

/* A shape: a program, and the outcome that tells a weak order from a strong one. */
struct litmus_shape {
	const char *name, *program, *outcome;
	const char *clause;	/* that forbids the outcome; NULL: no document forbids it */
};

const struct litmus_shape *litmus_shape(size_t i);	/* NULL after the last one */

/* Rows for "cases: {from: NAME}": case, clause, program, outcome. */
struct value *litmus_cases(void);	/* the outcome is forbidden */
struct value *litmus_open_cases(void);	/* it is not */

#endif
