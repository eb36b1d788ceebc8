/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FINDINGS_MARKDOWN_H
#define VBM_FINDINGS_MARKDOWN_H

#include <stdio.h>

struct value;

/* A text in which no character has a meaning in Markdown. */
void markdown_put(FILE *f, const char *s);

/* "- **LABEL**: TEXT", and nothing if there is no text. */
void markdown_put_item(FILE *f, const char *label, const char *text);

/* "rdma_cm, deviation, wrong-result. What happens.", without the end of a line */
void markdown_put_what(FILE *f, const struct value *finding);

#endif
