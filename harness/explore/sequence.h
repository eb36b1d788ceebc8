/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXPLORE_SEQUENCE_H
#define VBM_EXPLORE_SEQUENCE_H

#include <stddef.h>
#include <stdint.h>

#include "model/model.h"

struct text;

/* A sequence of operations, which becomes a scenario. */
#define SEQUENCE_MAX 400

struct sequence {
	struct model_op op[SEQUENCE_MAX];
	size_t count;
};

/* Draws at most @steps operations. The same numbers give the same sequence. */
void sequence_draw(struct sequence *s, uint64_t seed, unsigned groups, unsigned exceptions, size_t steps);

/*
 * @s without the operations from @from on, @count of them, and without those that are not
 * possible any more.
 */
void sequence_cut(struct sequence *out, const struct sequence *s, size_t from, size_t count, unsigned exceptions);

/*
 * A file with a row of cases for each sequence; the row number N has the label sN. Each step
 * is one line. The caller frees the text.
 */
char *sequence_file(const struct sequence *s, size_t count, unsigned exceptions);

/* A scenario file for one sequence. @head is its first lines: comments. The caller frees the text. */
char *sequence_scenario(const struct sequence *s, unsigned exceptions, const char *head, const char *title);

#endif
