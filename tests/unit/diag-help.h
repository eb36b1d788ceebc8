/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_DIAG_HELP_H
#define VBM_TESTS_DIAG_HELP_H

#include "base/diag.h"

/* What a reader of values had to say: the first complaint, and how many. */
struct heard {
	char text[512];
	int count;
};

/* What @diag collected, which is empty then. */
void hear(struct heard *h, struct diagnostics *diag);

/* Values from a text that must be well-formed. The caller frees them. */
struct value *must_read_json(const char *text);
struct value *must_read_yaml(const char *text);

/* Texts that begin with "$" become what the compiler leaves of references. */
void make_references(struct value **slot);

/* Fails unless @h heard @complaint about @text first. */
void must_have_heard(const struct heard *h, const char *text, const char *complaint);

#endif
