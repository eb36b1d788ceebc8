/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EVENT_EVENT_H
#define VBM_EVENT_EVENT_H

/*
 * The event stream. An event is a map with "event" (its kind), "seq" (from 1,
 * without a gap, one counter for a runner's life) and "ms" (since the runner
 * started). Kinds and their members:
 *
 *   hello     version, kernel, page_size                   once, first
 *   run       scenarios (count), target                    a job was accepted
 *   layout    layout ("netns"|"shared")                    after probing
 *   fabric    hosts, layout, build_ms, reused              one was made ready
 *   scenario  id, name (with variant), title, path, clauses   one begins
 *   step      name, index, line, col, host, call, args, result, us, ok
 *   fail      name, line, col, host, call, field, expected, actual
 *   last      name, line, col, host, call, result          what each did last
 *   log       name, host, text                             agent's stderr
 *   kernel    name, level, text, bad                       a kernel message
 *   verdict   name, verdict, reason, took_ms, own_us       one ended
 *   output    host, command, stream (1|2), data (base64)   exec
 *   exit      host, command, status                        exec, shell
 *   error     code, text                                   no fabric, bad job
 *   end       events (count including this one), broken    last
 *             (and rss_kb, the most memory the runner had)
 *
 * The front end adds some of its own to what the sinks (report.h) are given;
 * these have no "seq" and no "ms":
 *
 *   begin     lane, accelerator, kernel, target, rdma_core, total (variants)
 *   progress  text                                         shown while it runs
 *   summary   counts (map by verdict), total, took_ms, kernel, layout, lane,
 *             accelerator, rdma_core, target, exit         last
 *
 * "us" is how long a call took; "own_us" what the harness spent on a scenario
 * beyond its calls and the building of its fabric. "reason" may be null, as
 * may the "name" of a kernel message outside of scenarios.
 * "broken": the kernel is no longer to be trusted; go on in a fresh place.
 */
#include <stdbool.h>

#include <verbatim/error.h>

struct value;

enum verdict {
	VERDICT_PASS,
	VERDICT_FAIL,
	VERDICT_XFAIL,
	VERDICT_XPASS,
	VERDICT_SKIP,
	VERDICT_INVALID,
	VERDICT_ERROR,
	VERDICT_COUNT
};

const char *verdict_name(enum verdict v);	/* "PASS" */
int verdict_parse(const char *name, enum verdict *v);

/* Whether a run with this verdict in it may exit with 0. */
bool verdict_is_expected(enum verdict v);

/*
 * Whether @event is of a known kind and has that kind's members with the right
 * types; further members are allowed. -EPROTO and what is wrong otherwise.
 */
int event_check(const struct value *event, struct vbm_error *err);

/* Borrowed, never NULL: the member "event". */
const char *event_kind(const struct value *event);
bool event_is(const struct value *event, const char *kind);

#endif
