/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXPLORE_BATCH_H
#define VBM_EXPLORE_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "model/draw.h"

/*
 * @s without the operations from @from on, @count of them, and without those that are not
 * possible any more.
 */
void batch_cut(struct sequence *out, const struct sequence *s, size_t from, size_t count, struct model_stack stack);

/*
 * A file with a row of cases for each sequence; the labels are those of @first, @first + 1 ...: the sequence N has the label sN. Each
 * step is one line. The caller frees the text.
 */
char *batch_file(const struct sequence *s, size_t count, size_t first, struct model_stack stack);

/* A scenario file for one sequence. @head is its first lines: comments. The caller frees the text. */
char *batch_scenario(const struct sequence *s, struct model_stack stack, const char *head, const char *title);

#define SHRINK_MAX 32

/* The result of candidates: the first @tried of them ran, and @fails has those that failed in the same way. */
struct shrink_tried {
	size_t tried;
	bool fails[SHRINK_MAX];
};

/* Runs @count candidates, at most SHRINK_MAX, or those up to the first that fails, and fills @out. A negative value: stop. */
typedef int shrink_try(void *arg, const struct sequence *candidate, size_t count, struct shrink_tried *out);

/* Leaves operations out of @s as long as what is left still fails. Pure, except for @try. */
void batch_shrink(struct sequence *s, struct model_stack stack, shrink_try *try, void *arg);

/* Where the sequences ran. */
struct explore_used {
	char kernel[64], rdma_core[32], lane[16], target[256];
};

/* The cause of what the kernel complains of begins with this. */
#define OUTCOME_KERNEL "kernel: "

/* The outcome of the sequences in one file, read from the events of their run. Pure. */
struct explore_outcome {
	bool ran;	/* the sequence has a verdict */
	bool failed;
	char *cause;	/* owned; equal for failures that have one cause; NULL unless it failed */
	char *says;	/* owned; for people: what came, and what was expected */
	char *breaks;	/* owned; the sentence of the step that failed, or NULL: no step failed */
};

/* A scenario file of a run: the sequences @from to @from + @count - 1. */
struct outcome_file {
	size_t from, count;
	char *text;
};

/*
 * Reads the lines of @events ("verbatim run --format json"), and changes them; other lines are left alone. @file are the
 * files that ran. Fills @out, of sequence 0 and those behind it, for the sequences of these files, and @used.
 */
void batch_outcomes_read(struct explore_outcome *out, const struct outcome_file *file, size_t files, char *events,
		   struct explore_used *used);

/*
 * The cause of an answer that was not expected: a text that is equal for answers that one
 * bug gives. A wrong error is one bug, whichever error was right; a success is one bug for
 * each rule that forbids it. The caller frees it.
 */
char *batch_outcome_cause(const char *call, const char *field, const char *expected, const char *actual, const char *breaks);

void batch_outcomes_fini(struct explore_outcome *out, size_t count);

#define BATCH_STEPS 900		/* operations of all sequences of one file, which has at most a megabyte */

/* Where sequences run. Strings are borrowed. */
struct batch_place {
	const char *lane, *kernel, *layout, *device, *target;	/* kernel, device and target may be NULL */
	struct model_stack stack;
	bool first;		/* the first sequence that fails ends a run */
	struct explore_used used;	/* what the last run had */
	int status;		/* exit status of the last run, or -1 */
};

/*
 * Runs @count sequences by "verbatim run", all files of a run in one place as long as its kernel lives, and fills @out; the caller calls batch_outcomes_fini(). 0, or a
 * negative errno with what the run said, if there was no place or the file was refused.
 */
int batch_run(struct batch_place *place, const struct sequence *s, size_t count, struct explore_outcome *out,
	      struct vbm_error *err);

#endif
