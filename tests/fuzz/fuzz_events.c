/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: event/ run/tracker.c report/ */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/value.h"
#include "event/event.h"
#include "event/stream.h"
#include "report/report.h"
#include "run/tracker.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FORMATS_MAX = 32 };

struct front {
	struct tracker t;
	struct report *report[FORMATS_MAX + 1];		/* ends with NULL */
	unsigned int events;
	struct track_runner runner;
};

static int on_event(const struct value *event, void *arg)
{
	struct front *f = arg;
	struct report **r;
	int rc;

	f->events++;
	/* A plan that agrees with the numbers in the events. */
	if (event_is(event, "scenario") && f->t.count < 64 &&
	    value_get_int(event, "variant", -1) == (int64_t)f->t.count)
		tracker_expect(&f->t, value_get_string(event, "name", ""), NULL);
	rc = tracker_event(&f->t, &f->runner, event, NULL);
	for (r = f->report; rc == 0 && *r; r++)
		report_event(*r, event);
	return rc;
}

static int play(const uint8_t *data, size_t size, size_t piece, unsigned int *events)
{
	struct report_options opts = {.live = piece == 1, .verbose = true};
	struct front f = {.runner = TRACK_RUNNER_NEW};
	struct stream *s = stream_new(on_event, &f);
	size_t i, n;
	int rc = 0;

	opts.out = fopen("/dev/null", "w");
	if (!opts.out)
		abort();
	tracker_init(&f.t);
	for (i = 0; report_table[i] && i < FORMATS_MAX; i++)
		f.report[i] = report_open(report_table[i], &opts);
	if (report_table[i])
		abort();
	for (i = 0; rc == 0 && i < size; i += n) {
		n = size - i < piece ? size - i : piece;
		rc = stream_feed(s, data + i, n, NULL);
	}
	if (rc == 0)
		rc = stream_finish(s, NULL);
	for (i = 0; f.report[i]; i++)
		report_close(f.report[i]);
	fclose(opts.out);
	stream_free(s);
	track_runner_fini(&f.runner);
	tracker_fini(&f.t);
	*events = f.events;
	return rc;
}

/*
 * The output of a guest must not harm the reader or any report, and it must not matter how
 * its bytes are split into reads.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned int whole, single;

	if (play(data, size, size + 1, &whole) != play(data, size, 1, &single) ||
	    whole != single)
		abort();
	return 0;
}
