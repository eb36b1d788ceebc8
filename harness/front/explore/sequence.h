/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXPLORE_SEQUENCE_H
#define VBM_EXPLORE_SEQUENCE_H

#include <stdbool.h>
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

#define SHRINK_MAX 32

/* The result of candidates: the first @tried of them ran, and @fails has those that failed in the same way. */
struct shrink_tried {
	size_t tried;
	bool fails[SHRINK_MAX];
};

/* Runs @count candidates, at most SHRINK_MAX, or those up to the first that fails, and fills @out. A negative value: stop. */
typedef int shrink_try(void *arg, const struct sequence *candidate, size_t count, struct shrink_tried *out);

/* Leaves operations out of @s as long as what is left still fails. Pure, except for @try. */
void shrink(struct sequence *s, struct model_stack stack, shrink_try *try, void *arg);

#endif
