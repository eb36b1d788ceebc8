/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EVENT_EVENT_H
#define VBM_EVENT_EVENT_H

/*
 * The event stream. Each line begins with a key (key.h). An event is a map with "event"
 * (its kind), "seq" (from 1, without a gap, one counter for a runner's life) and "ms"
 * (since the runner started). Kinds and their members:
 *
 *   hello     version, kernel, page_size                   once, first
 *   run       scenarios (how many variants), target        a job was accepted
 *   layout    layout ("netns"|"shared")                    after probing
 *   fabric    hosts, layout, build_ms, reused              one was made ready
 *   scenario  VARIANT, id, title, path, clauses, [specs]   one begins
 *   step      STEP, index, args, result, us, ok, [text], [tries]
 *   fail      STEP, index, field, expected, actual, [either], [outcome]
 *   last      STEP, result, [text]                         a host's last step
 *   log       VARIANT, host, text                          agent's stderr
 *   kernel    [VARIANT], level, text, bad                  a kernel message
 *   verdict   VARIANT, verdict, reason, took_ms, own_us    one ended
 *   output    host, command, stream (1|2), data (base64)   exec
 *   taken     host                                         exec: its input
 *   counters  host, values (map)                           exec: at the end
 *   wire      host, received, arrived, [captured, lost]    exec: at the end
 *   capture   error                                        exec: it is incomplete
 *   stuck     why ("timeout"|"interrupted"), text          exec: programs still ran
 *   exit      host, command, status, [told (to end)]       exec, shell
 *   error     code, text                                   no fabric, bad job
 *   end       events (count including this one), broken    last
 *             (and rss_kb, the most memory the runner had)
 *
 * VARIANT is variant (its number in the plan) and name; STEP is VARIANT, line,
 * col, host, call, [fragment] ("FILE:LINE:COL"), [round] ("i=3"). Members in
 * brackets may be missing. docs/events.md has more about each.
 *
 * The front end adds more events for the sinks (report.h); these have no "seq" and
 * no "ms":
 *
 *   begin     lane, accelerator, kernel, target, rdma_core, total (variants)
 *   progress  text                                         shown while it runs
 *   summary   counts (map by verdict), total, took_ms, kernel, layout, lane,
 *             accelerator, rdma_core, target, exit         last
 *
 * "us" is the time of a call; "own_us" is the time that the harness spent on a scenario,
 * without its calls and the building of its fabric. "reason" may be null, and so may the
 * "name" of a kernel message that no scenario's steps caused. "broken": the kernel is no
 * longer to be trusted, so the run continues with a fresh one.
 */
#include <stdbool.h>

#include <verbatim/error.h>

struct text;
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

/* Whether a run that has this verdict may exit with 0. */
bool verdict_is_expected(enum verdict v);

/*
 * Whether @event is of a known kind and has the members of that kind with the right types;
 * other members are allowed. -EPROTO with the mistake in @err otherwise.
 */
int event_check(const struct value *event, struct vbm_error *err);

/* The member "event"; borrowed, never NULL. */
const char *event_kind(const struct value *event);
bool event_is(const struct value *event, const char *kind);

/*
 * The text of a step, a fail or a last event, added to @t; @path is the scenario's file.
 * The runner uses it for the reason of a verdict and the reports use it for their lines,
 * so both are the same byte for byte.
 *
 * origin: " (in scenarios/fragments/qps.yaml:12:5, i=3)", " (with i=3)", "". place:
 * "FILE:8:5: a.getaddrinfo" and the origin. fail: the place, then ": return: expected
 * EAI_QPTYPE (-7), got 0".
 */
void event_add_origin(struct text *t, const struct value *event);
void event_add_place(struct text *t, const struct value *event, const char *path);
void event_add_fail(struct text *t, const struct value *event, const char *path);

/*
 * A fail event whose wait ran out expects this in the field "answer". Its "actual" is then
 * a whole phrase, for example "no completion within 10.0 s".
 */
#define EXPECTED_IN_TIME "an answer in time"

#endif
