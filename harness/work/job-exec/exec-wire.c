/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/cleanup.h"
#include "base/value.h"
#include "job-exec/exec-job.h"
#include "event/read.h"
#include "fabric/fabric.h"
#include "job/job.h"
#include "wire/tap.h"

int wire_begin(struct exec *x, struct vbm_error *err)
{
	auto_free char *path = event_bytes(x->job->spec, "capture");

	/* A kernel without packet sockets can still run programs, without the counts. */
	wire_count_begin(&x->count_wire, x->fabric, NULL);
	return path ? capture_start(&x->capture, x->fabric, path, err) : 0;
}

static void emit_host(struct exec *x, int host, const struct wire_counts *counts,
		      const struct tap_counts *captured)
{
	struct value *event = emit_new(x->job->emit, "wire");
	uint64_t dropped = 0;

	value_set_string(event, "host", fabric_host(x->fabric, host)->name);
	value_set_int(event, "received", (int64_t)counts->received);
	value_set_int(event, "arrived", (int64_t)counts->arrived);
	if (captured) {
		value_set_int(event, "captured", (int64_t)(captured->seen - captured->lost));
		value_set_int(event, "lost", (int64_t)captured->lost);
	}
	if (*fabric_faults(x->fabric, host) && fabric_dropped(x->fabric, host, &dropped, NULL) == 0) {
		value_set_string(event, "cable", fabric_faults(x->fabric, host));
		value_set_int(event, "dropped", (int64_t)dropped);
	}
	emit_take(x->job->emit, event);
}

void wire_end(struct exec *x)
{
	struct tap_counts captured[FABRIC_HOSTS_MAX] = {0};
	bool has_capture = x->capture.pid > 0;
	struct wire_counts counts;
	struct vbm_error err = {0};
	struct value *event;
	int i;

	if (has_capture && capture_stop(&x->capture, captured, &err) < 0) {
		event = emit_new(x->job->emit, "capture");
		value_set_string(event, "error", err.msg);
		emit_take(x->job->emit, event);
	}
	for (i = 0; x->count_wire && i < fabric_host_count(x->fabric); i++)
		if (wire_count_read(x->count_wire, i, &counts, NULL) == 0)
			emit_host(x, i, &counts, has_capture ? &captured[i] : NULL);
	wire_count_end(x->count_wire);
	x->count_wire = NULL;
	capture_end(&x->capture);
}
