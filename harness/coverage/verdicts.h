/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COVERAGE_VERDICTS_H
#define VBM_COVERAGE_VERDICTS_H

#include <stddef.h>

#include <verbatim/error.h>

#include "event/event.h"

struct value;

/* The verdicts of a run, read from summary.json in its output folder. */
struct variant_verdict {
	const char *name;	/* borrowed from the summary */
	const char *folder;	/* borrowed from the summary; NULL: it has none */
	enum verdict verdict;
};

struct verdicts {
	struct value *summary;	/* owned */
	char *dir;		/* owned; the output folder; NULL: only the summary is known */
	struct variant_verdict *item;	/* owned */
	size_t count;
	const char *target;	/* borrowed from the summary */
};

/* -ENOENT when the run has not ended, -EINVAL when the file is not a summary. */
int verdicts_load(struct verdicts *out, const char *dir, struct vbm_error *err);
int verdicts_take(struct verdicts *out, struct value *summary, struct vbm_error *err); /* takes ownership of @summary */
void verdicts_fini(struct verdicts *v);

/* VERDICT_COUNT when the variant did not run. */
enum verdict verdicts_of(const struct verdicts *v, const char *variant);

#endif
