/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_VOCAB_VOCAB_H
#define VBM_VOCAB_VOCAB_H

/*
 * Runs in: any process, in the thread of the caller; no state of its own.
 * Owns:    the values that it returns belong to the caller.
 * Ends:    with the call.
 * Tests:   tests/cli/docs.test, pages.test, complete.test.
 */

#include <stdio.h>

#include "step/step.h"

struct value;

/*
 * The documentation in the step table: for people, for programs, for editors
 * (JSON schema 2020-12) and for the manual page (roff; it follows the part that
 * is written by hand).
 */
void vocab_text(FILE *f);
struct value *vocab_json(void);
/* @fragments: from fragments_describe(). */
struct value *vocab_schema(const struct value *fragments);
void vocab_man(FILE *f, const struct value *fragments);

/* The type as text: "integer", "name of qp_type", "list of names of access". The caller frees it. */
char *vocab_param_type(const struct param *p);
char *vocab_field_type(const struct field *f);

#endif
