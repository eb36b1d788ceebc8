/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXPLORE_SEQUENCE_H
#define VBM_EXPLORE_SEQUENCE_H

#include <stddef.h>

#include "model/draw.h"

/*
 * @s without the operations from @from on, @count of them, and without those that are not
 * possible any more.
 */
void sequence_cut(struct sequence *out, const struct sequence *s, size_t from, size_t count, struct model_stack stack);

/*
 * A file with a row of cases for each sequence; the labels are those of @first, @first + 1 ...: the sequence N has the label sN. Each
 * step is one line. The caller frees the text.
 */
char *sequence_file(const struct sequence *s, size_t count, size_t first, struct model_stack stack);

/* A scenario file for one sequence. @head is its first lines: comments. The caller frees the text. */
char *sequence_scenario(const struct sequence *s, struct model_stack stack, const char *head, const char *title);

#endif
