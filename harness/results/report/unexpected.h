/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_REPORT_UNEXPECTED_H
#define VBM_REPORT_UNEXPECTED_H

#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "report/report.h"
#include "report/variant.h"

struct value;

/*
 * Collects what was not as expected in a run, in the order in which a reader should see it, for reports that
 * have room for a part of it only. Pure.
 */
enum unexpected_rank {
	UNEXPECTED_FIRST,	/* the first error outside all variants: it may have caused the rest */
	UNEXPECTED_NEW,		/* a variant that was as expected in the earlier run, or did not run there */
	UNEXPECTED_ERROR,	/* the other errors outside all variants */
	UNEXPECTED_AGAIN,	/* a variant that was not as expected in the earlier run, too */
};

struct unexpected_item {
	enum unexpected_rank rank;
	const char *label;	/* "FAIL", or "error" outside all variants */
	char *name;		/* owned; "" outside all variants */
	char *title;		/* owned; what the variant proves, or "" */
	char *path;		/* owned; "" if there is no file */
	int64_t line, col;	/* 0: not known */
	char *message;		/* owned; the first failure, the reason, or the error */
	char *details;		/* owned; the lines of report_variant_details() */
};

struct unexpected {
	struct report_variant now;
	struct unexpected_item *item;	/* owned */
	size_t count, errors, fresh;	/* @errors: outside all variants; @fresh: of rank UNEXPECTED_NEW */
	struct value *summary;		/* owned; NULL if the run ended without a summary */
};

/* Texts are cut, so that a program that writes without end does not fill the memory. */
#define UNEXPECTED_MESSAGE_MAX 1000
#define UNEXPECTED_DETAILS_MAX 8000

/* The event() of a report whose priv is a struct unexpected. */
void unexpected_event(struct report *r, const struct value *event);

/* After the last event: adds the errors that only the end shows, and sorts the items by rank. */
void unexpected_end(struct unexpected *u);
void unexpected_fini(struct unexpected *u);

/*
 * Why a run without a variant that is not as expected, and without an error, ended with another status than 0, from
 * the event "summary". The folder of --output does not keep what the kernel said outside all variants.
 */
const char *unexpected_unexplained(const struct value *summary);

/* "12 passed, 1 failed in 3.5 s", from the event "summary". */
void unexpected_counts(const struct value *summary, struct text *out);

#endif
