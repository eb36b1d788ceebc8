/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/read.h"
#include "event/sent.h"
#include "fabric/fabric.h"
#include "job/fabric-pool.h"
#include "job/interrupt.h"
#include "job/kmsg.h"
#include "job/loaded.h"
#include "lib/base/fail.h"
#include "model/model.h"
#include "process/line.h"
#include "job-walk/lacks.h"
#include "job-walk/walk.h"
#include "job-walk/walker.h"

/* A sequence of the longest timeouts takes less, also where time is real. */
#define SEQUENCE_MS 60000

struct walk_job {
	struct job *job;
	struct fabric_pool pool;
	struct walk_orders orders;
	uint64_t at, to;	/* the sequences that are left of the present line */
	int64_t operations;
	bool told;		/* what the devices lack */
	bool between;		/* the walker is at the end of a sequence, and not in one */
	struct value *left;	/* owned; what sequences left behind */
};

static void tell_astray(struct walk_job *j, const struct value *astray)
{
	static const char *const members[] = {"host", "call", "field", "expected", "actual", "breaks"};
	struct value *event = emit_new(j->job->emit, "astray");
	size_t i;

	value_set_int(event, "sequence", (int64_t)j->at);
	value_set_int(event, "operation", value_get_int(astray, "operation", 0));
	for (i = 0; i < ARRAY_SIZE(members); i++)
		value_set_string(event, members[i], value_get_string(astray, members[i], ""));
	emit_take(j->job->emit, event);
}

/* The process ended or hung in a call. */
static void tell_end(struct walk_job *j, const char *how)
{
	auto_value struct value *astray = value_map();

	value_set_string(astray, "field", "answer");
	value_set_string(astray, "expected", "an answer");
	value_set_string(astray, "actual", how);
	tell_astray(j, astray);
}

static void tell_lacks(struct walk_job *j, unsigned lacks)
{
	struct value *event, *names = value_list();
	size_t i;

	for (i = 0; model_lack_name(i); i++)
		if (lacks & 1u << i)
			value_append(names, value_string(model_lack_name(i)));
	event = emit_new(j->job->emit, "walker");
	value_set(event, "lacks", names);
	emit_take(j->job->emit, event);
	j->told = true;
}

/* The first line of a walker: it has opened the devices. */
static int take_lacks(struct walk_job *j, struct line_reader *in, struct vbm_error *err)
{
	auto_value struct value *v = NULL;
	const char *line;
	size_t len;
	int rc = line_read(in, &line, &len, clock_deadline_ms(SEQUENCE_MS));

	if (rc <= 0 && interrupt_came())
		return 0;
	if (rc <= 0)
		return vbm_fail(err, EIO, "a walker did not open the devices of its hosts");
	v = json_read(line, len, NULL);
	if (!v || !value_get(v, "lacks"))
		return vbm_fail(err, EIO, "%s", value_get_string(v, "error", "the first line of a walker is garbled"));
	if (!j->told)
		tell_lacks(j, (unsigned)value_get_int(v, "lacks", 0));
	return 0;
}

/*
 * The last of these events names the sequence that ends the kernel, and the operation if that is asked for. A walker that is gone is
 * noticed when its line is read.
 */
static void begin_next(struct walk_job *j, const struct walker *w, int64_t operation)
{
	struct value *event = emit_new(j->job->emit, "walking");

	value_set_int(event, "sequence", (int64_t)j->at);
	if (operation >= 0)
		value_set_int(event, "operation", operation);
	emit_take(j->job->emit, event);
	walker_go_on(w);
}

/* Takes one line of the walker. 1: the walker goes on; 0: it is at its end. */
static int take_line(struct walk_job *j, struct line_reader *in, const struct walker *w, struct vbm_error *err)
{
	auto_value struct value *v = NULL;
	const struct value *astray;
	const char *line;
	size_t len;
	int rc = line_read(in, &line, &len, clock_deadline_ms(SEQUENCE_MS));

	if (rc <= 0) {
		tell_end(j, rc == -ETIMEDOUT ? "the call did not end" : "the process died");
		j->at++;
		return 0;
	}
	v = json_read(line, len, NULL);
	if (v && value_get(v, "operation")) {
		begin_next(j, w, value_get_int(v, "operation", 0));
		return 1;
	}
	j->between = true;
	if (!v || value_get(v, "error") || value_get_int(v, "sequence", -1) != (int64_t)j->at)
		return vbm_fail(err, EIO, "%s", value_get_string(v, "error", "the line of a walker is garbled"));
	j->operations += value_get_int(v, "operations", 0);
	astray = value_get(v, "astray");
	if (astray)
		tell_astray(j, astray);
	j->at++;
	return !astray && j->at < j->to;
}

static int ask_devices(struct walk_job *j, struct fabric *fabric, struct vbm_error *err)
{
	auto_free char *can = fabric_abilities(fabric, 0, err);

	if (!can)
		return -err->code;
	j->orders.stack.lacks = lacks_of_abilities(can);
	return 0;
}

/*
 * Carries out sequences in one process, up to the first that goes astray: the state of
 * its objects is not known any more.
 */
static int walk_some(struct walk_job *j, struct vbm_error *err)
{
	struct line_reader in = {.fd = -1};
	struct fabric *fabric;
	struct walker w;
	int rc = fabric_pool_get(&j->pool, &(struct fabric_wish){.hosts = MODEL_HOSTS}, &fabric, err);

	if (rc == 0 && !j->told)
		rc = ask_devices(j, fabric, err);
	if (rc == 0)
		rc = walker_start(&w, fabric, &j->orders, j->at, j->to, err);
	if (rc < 0)
		return rc;
	in.fd = w.fd;
	in.stop = interrupt_flag();
	rc = take_lacks(j, &in, err);
	j->between = true;
	for (rc = rc < 0 ? rc : 1; rc > 0 && !interrupt_came(); rc = take_line(j, &in, &w, err)) {
		if (j->between)
			begin_next(j, &w, -1);
		j->between = false;
	}
	walker_stop(&w);
	line_reader_fini(&in);
	fabric_pool_put(&j->pool, false, j->left, NULL);
	return rc < 0 ? rc : 0;
}

static int walk_line(struct walk_job *j, const struct value *line, struct vbm_error *err)
{
	auto_value struct value *complaints = value_list();
	auto_free char *text = NULL;
	struct value *event;
	int rc = 0;

	j->at = (uint64_t)event_integer(line, "walk");
	j->to = j->at + (uint64_t)event_integer(line, "count");
	j->orders.each = event_flag_or(line, "each", false);
	j->operations = 0;
	j->left = value_list();
	while (rc == 0 && j->at < j->to && !interrupt_came())
		rc = walk_some(j, err);
	if (kmsg_hear(&(struct kmsg_source){.fd = j->job->kmsg_fd}, j->job->emit, NULL, complaints, &text) == KMSG_OOPS)
		j->job->broken = true;
	event = emit_new(j->job->emit, "walked");
	value_set_int(event, "first", event_integer(line, "walk"));
	value_set_int(event, "operations", j->operations);
	value_set(event, "complaints", steal(&complaints));
	value_set(event, "left", steal(&j->left));
	if (rc == 0 && !interrupt_came())
		emit_take(j->job->emit, event);
	else
		value_free(event);
	return rc;
}

static int walk_lines(struct walk_job *j, struct vbm_error *err)
{
	const char *line;
	size_t len;
	int rc = 0;

	while (rc == 0 && !j->job->broken && !interrupt_came()) {
		auto_value struct value *v = NULL;

		rc = line_read(j->job->in, &line, &len, -1);
		if (rc <= 0)
			return rc < 0 ? vbm_fail(err, -rc, "no further line: %s", strerror(-rc)) : 0;
		v = job_line(j->job, line, len, err);
		if (!v)
			return -err->code;
		if (sent_is(v, "end"))
			return 0;
		rc = walk_line(j, v, err);
	}
	return rc;
}

static int job_walk_main(struct job *job, struct vbm_error *err)
{
	struct walk_job j = {
		.job = job,
		.orders = {
			.target = event_string(job->spec, "target"),
			.seed = (uint64_t)event_integer(job->spec, "seed"),
			.steps = (size_t)event_integer(job->spec, "steps"),
			.groups = (unsigned)event_integer(job->spec, "groups"),
			.stack.exceptions = (unsigned)event_integer(job->spec, "exceptions"),
		},
	};
	int rc = loaded_expect(event_string_or(job->spec, "librdmacm", NULL), err);

	j.pool = fabric_pool_for(job, false);
	if (rc == 0)
		rc = walk_lines(&j, err);
	fabric_pool_fini(&j.pool);
	return rc;
}

const struct job_kind job_walk = {
	.name = "walk",
	.run = job_walk_main,
};
