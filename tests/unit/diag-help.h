/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_DIAG_HELP_H
#define VBM_TESTS_DIAG_HELP_H

#include "base/diag.h"

/* The complaints of a reader of values: the first one, and their number. */
struct heard {
	char text[512];
	int count;
};

/* Take the complaints of @diag, which is empty afterwards. */
void hear(struct heard *h, struct diagnostics *diag);

/* Read values from a text that must be well-formed. The caller frees them. */
struct value *must_read_json(const char *text);
struct value *must_read_yaml(const char *text);

/* Replace texts that begin with "$" by expressions, as the compiler does with references. */
void make_references(struct value **slot);

/* Fails unless @h heard @complaint about @text first. */
void must_have_heard(const struct heard *h, const char *text, const char *complaint);

#endif
