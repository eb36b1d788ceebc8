/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "call/watch.h"

#define GROUP_MAX 32
#define NOT_YET SIZE_MAX

/* A description, and the packet that stands for it: its place in the log. */
struct group_member {
	struct wanted_packet wanted;
	size_t frame;
};

struct group {
	const struct tap_log *log;	/* borrowed */
	struct group_member *member;		/* owned */
	size_t count, met;
};

static int group_read(struct group *g, const struct value *list, struct vbm_error *err)
{
	int rc = 0;
	size_t i;

	if (!list->list.count || list->list.count > GROUP_MAX)
		return vbm_fail(err, EINVAL, "'list' must have 1 to %d packets", GROUP_MAX);
	g->member = xcalloc(list->list.count, sizeof(*g->member));
	for (i = 0; rc == 0 && i < list->list.count; i++) {
		g->member[g->count].frame = NOT_YET;
		rc = watch_wanted_read(&g->member[g->count++].wanted, list->list.item[i], err);
	}
	return rc;
}

static void group_fini(struct group *g)
{
	size_t i;

	for (i = 0; i < g->count; i++)
		watch_wanted_fini(&g->member[i].wanted);
	free(g->member);
}

static bool matches_frame(const struct group *g, size_t member, size_t frame)
{
	struct packet p;

	return watch_wanted_matches(&g->member[member].wanted, &g->log->frame[frame], &p);
}

/*
 * Gives @frame a description that it meets. The packet that has that description now gets another one, if it
 * meets one; so no packet is lost because an earlier one took the only description that it meets.
 */
static bool place(struct group *g, size_t frame, bool tried[GROUP_MAX])
{
	size_t i;

	for (i = 0; i < g->count; i++) {
		if (tried[i] || !matches_frame(g, i, frame))
			continue;
		tried[i] = true;
		if (g->member[i].frame != NOT_YET && !place(g, g->member[i].frame, tried))
			continue;
		g->member[i].frame = frame;
		return true;
	}
	return false;
}

static bool any_matches(const struct group *g, size_t frame)
{
	size_t i;

	for (i = 0; i < g->count; i++)
		if (matches_frame(g, i, frame))
			return true;
	return false;
}

/* An extra matching packet fails the step. */
static int assign_frame(struct step_ctx *ctx, struct group *g, size_t frame, struct vbm_error *err)
{
	auto_value struct value *shown = value_map();
	bool tried[GROUP_MAX] = {false};
	struct packet p;

	if (!any_matches(g, frame))
		return 0;
	if (place(g, frame, tried)) {
		g->met++;
		return 0;
	}
	packet_read(&p, PACKET_ETHERNET, g->log->frame[frame].bytes, g->log->frame[frame].len);
	watch_put_packet(shown, &g->log->frame[frame], &p);
	ctx->wait_failed = true;
	return vbm_fail(err, ETIMEDOUT, "one packet too many, before all of the list have come: %s %s",
			value_get_string(shown, "way", ""), value_get_string(shown, "text", ""));
}

/* "packet 'in ACK', nor 'in NAK'; 1 of 3 came" */
static char *lacking(const struct group *g)
{
	struct text t = {0};
	size_t i;

	for (i = 0; i < g->count; i++)
		if (g->member[i].frame == NOT_YET)
			text_addf(&t, "%s'%s'", t.len ? ", nor " : "packet ", g->member[i].wanted.words.s);
	text_addf(&t, " (%zu of %zu came)", g->met, g->count);
	return t.s;
}

static int await_packets(struct step_ctx *ctx, struct watch_object *w, struct group *g, struct vbm_error *err)
{
	size_t i = w->next;
	int rc;

	for (;;) {
		rc = tap_log_read(&w->log, err);
		for (; rc == 0 && i < w->log.count && g->met < g->count; i++)
			rc = assign_frame(ctx, g, i, err);
		if (rc < 0)
			return rc;
		if (g->met == g->count) {
			w->next = i;
			return 0;
		}
		if (step_wait_readable(&w->log.fd, 1, ctx->deadline_ns) < 0) {
			auto_free char *what = lacking(g);

			return step_wait_failed(ctx, err, what);
		}
	}
}

/* The packets in the order of their descriptions. */
static void put_group(struct value *result, const struct group *g)
{
	struct value *list = value_list(), *one;
	struct packet p;
	size_t i;

	value_set_int(result, "return", 0);
	for (i = 0; i < g->count; i++) {
		const struct tap_frame *f = &g->log->frame[g->member[i].frame];

		one = value_map();
		packet_read(&p, PACKET_ETHERNET, f->bytes, f->len);
		watch_put_packet(one, f, &p);
		value_append(list, one);
	}
	value_set(result, "packets", list);
}

int see_packets_run(struct step_ctx *ctx, const struct value *args, struct value *result, struct vbm_error *err)
{
	struct watch_object *w = watch_of(ctx, args, err);
	struct group g = {.log = w ? &w->log : NULL};
	int rc = w ? group_read(&g, value_get(args, "list"), err) : -err->code;

	if (rc == 0)
		rc = await_packets(ctx, w, &g, err);
	if (rc == 0)
		put_group(result, &g);
	group_fini(&g);
	return rc;
}

static const struct param member_params[] = {P_IS, {NULL}};
const struct param see_packets_params[] = {
	P_WATCH,
	{.name = "list", .type = PARAM_LIST, .sub = member_params, .required = true,
	 .doc = "1 to 32 maps; each describes one packet by \"is\", and is met by another packet than the others"},
	{NULL},
};
const struct field see_packets_fields[] = {
	F_INT("return", "always 0"),
	F_LIST("packets", watch_packet_fields, "the packets in the order of the list, each as see_packet has it"),
	F_ELAPSED,
	{NULL},
};
