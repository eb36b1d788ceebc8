/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_REPORT_CASE_H
#define VBM_REPORT_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "report/event.h"

struct value;

/*
 * What the events say of one scenario, from "scenario" to "verdict", for
 * reports that show it in one piece. Pure.
 */
struct events {
	struct value **item;	/* owned */
	size_t count;
};

struct report_case {
	struct value *begin;		/* owned; the "scenario" event */
	struct events fails, lasts, logs, kernel;
	struct value *end;		/* owned; the "verdict" event */
	enum verdict verdict;		/* of @end */
};

/* True when @event ended the case: it is whole until the next event. */
bool case_event(struct report_case *c, const struct value *event);
void case_fini(struct report_case *c);

const char *case_name(const struct report_case *c);
const char *case_path(const struct report_case *c);
const char *case_reason(const struct report_case *c);	/* "" when none */
int64_t case_took_ms(const struct report_case *c);
bool case_is_bad(const struct report_case *c);	/* not as expected */

/* "resolve/ud[ip=4]": the length of its area ("resolve"); 0 when it has none. */
size_t case_area_length(const struct report_case *c);

/* "file:8:5: a.getaddrinfo: return: expected EAI_QPTYPE (-7), got 0" */
void case_fail_line(const struct report_case *c, const struct value *fail, struct text *out);

/* "line 8: getaddrinfo -> {return: 0}", without the host */
void case_last_line(const struct value *last, struct text *out);

/*
 * Everything that helps to understand a verdict, a line each: reason, failures,
 * last steps, kernel messages and the ends of the agents' logs. @prefix goes
 * before each line, controls are made visible. The reason is left out when a failure says the same.
 */
void case_details(const struct report_case *c, const char *prefix, struct text *out);

#endif
