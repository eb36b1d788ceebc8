/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_ACM_ANSWER_H
#define VBM_ACM_ANSWER_H

#include "acm/message.h"
#include "base/diag.h"
#include "base/value.h"

/* The answers of a scenario's path service, as "acm:" describes them. Pure. */

/* A word for a fault of the reply. */
struct acm_word {
	const char *name;
	enum acm_fault fault;
	const char *doc;
};

/* A key of the map, or of a path. */
struct acm_reading;
struct acm_key {
	const char *name;
	void (*read)(struct acm_reading *r, const struct value *v);
	const char *doc;
};

extern const struct acm_word acm_words[];	/* these end with a NULL name */
extern const struct acm_key acm_keys[];
extern const struct acm_key acm_path_keys[];

/* False when @acm has a mistake; *@answer must not be used then. */
bool acm_answer_read(struct acm_answer *answer, const struct value *acm,
		     struct diagnostics *diag);

#endif
