/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "call/watch.h"

static int watch_release(struct object *o)
{
	tap_log_close(&((struct watch_object *)o)->log);
	return 0;
}

STEP(run_watch)
{
	struct watch_object *w = xcalloc(1, sizeof(*w));
	int rc = tap_log_open(&w->log, ctx->host, err);

	if (rc < 0) {
		tap_log_close(&w->log);
		free(w);
		return rc;
	}
	w->base.release = watch_release;
	step_keep_object(ctx, &w->base, OBJECT_WATCH);
	value_set_int(result, "return", 0);
	return 0;
}

/* Looks at what has come, and waits for more until the deadline. */
static int await_packet(struct step_ctx *ctx, struct watch_object *w, const struct wanted_packet *wanted,
			struct value *result, struct vbm_error *err)
{
	auto_free char *what = xasprintf("packet '%s'", wanted->words.s);
	struct packet p;
	size_t i = w->next;
	int rc;

	for (;;) {
		rc = tap_log_read(&w->log, err);
		if (rc < 0)
			return rc;
		for (; i < w->log.count; i++) {
			if (!watch_wanted_matches(wanted, &w->log.frame[i], &p))
				continue;
			watch_put_packet(result, &w->log.frame[i], &p);
			w->next = i + 1;
			return 0;
		}
		if (step_wait_readable(&w->log.fd, 1, ctx->deadline_ns) < 0)
			return step_wait_failed(ctx, err, what);
	}
}

STEP(run_see)
{
	struct watch_object *w = watch_of(ctx, args, err);
	struct wanted_packet wanted = {0};
	int rc = w ? watch_wanted_read(&wanted, args, err) : -err->code;

	if (rc == 0)
		rc = await_packet(ctx, w, &wanted, result, err);
	watch_wanted_fini(&wanted);
	return rc;
}

STEP(run_count)
{
	struct watch_object *w = watch_of(ctx, args, err);
	struct wanted_packet wanted = {0};
	struct packet p;
	int64_t n = 0;
	size_t i;
	int rc = w ? watch_wanted_read(&wanted, args, err) : -err->code;

	if (rc == 0)
		rc = tap_log_read(&w->log, err);
	for (i = 0; rc == 0 && i < w->log.count; i++)
		n += watch_wanted_matches(&wanted, &w->log.frame[i], &p);
	watch_wanted_fini(&wanted);
	value_set_int(result, "return", 0);
	value_set_int(result, "count", n);
	return rc;
}

STEP(run_resend)
{
	struct watch_object *w = watch_of(ctx, args, err);
	int rc;

	if (!w)
		return -err->code;
	if (!w->next)
		return vbm_fail(err, EINVAL, "there is no packet to send again: a see_packet has to see it first");
	rc = tap_log_send(&w->log, &w->log.frame[w->next - 1], err);
	value_set_int(result, "return", 0);
	return rc;
}

static const struct param watch_params[] = {{NULL}};
static const struct field done_fields[] = {F_INT("return", "always 0"), {NULL}};
static const struct param is_params[] = {P_WATCH, P_IS, {NULL}};
static const struct param resend_params[] = {P_WATCH, {NULL}};
static const struct field count_fields[] = {
	F_INT("return", "always 0"),
	F_INT("count", "packets since the watch began"),
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "watch_packets", .call = "packet(7)",
	 .doc = "Watch the RDMA packets that the host's interface sends and receives from now on.",
	 .params = watch_params, .fields = done_fields, .makes = OBJECT_WATCH, .run = run_watch},
	{.name = "see_packet", .call = "packet(7)",
	 .doc = "Wait for the next packet that the words describe, after the one that the last see_packet saw.",
	 .params = is_params, .fields = watch_packet_fields, .waits = true, .run = run_see},
	{.name = "see_packets", .call = "packet(7)",
	 .doc = "Wait for several packets in any order, each once, after the one that the last such step saw.",
	 .params = see_packets_params, .fields = see_packets_fields, .waits = true, .run = see_packets_run},
	{.name = "count_packets", .call = "packet(7)",
	 .doc = "Count the packets that the words describe since the watch began.",
	 .params = is_params, .fields = count_fields, .query = true, .run = run_count},
	{.name = "resend_packet", .call = "packet(7)",
	 .doc = "Send the packet that see_packet saw last once more, from this host's interface.",
	 .params = resend_params, .fields = done_fields, .machine_wide = true, .sends_packets = true,
	 .run = run_resend},
	{NULL},
};

const struct step_family family_wire = {
	"wire", "Packets on the cable of a host.", steps
};
