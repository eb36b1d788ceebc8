/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "call/step-util.h"
#include "codec/line.h"
#include "codec/packet.h"
#include "codec/pattern.h"
#include "wire/tap.h"

/*
 * Packets on the cable of a host: what its interface sends and receives. The words of "is:" are
 * those of codec/pattern.h, and "in" or "out".
 */
struct watch_object {
	struct object base;
	struct tap_log log;
	size_t next;		/* see_packet and see_packets go on from here */
};

/* The words that describe a packet. */
struct wanted_packet {
	struct pattern pattern;	/* owned */
	const char *way;	/* "in", "out", or NULL */
	struct text words;	/* owned; all of them, for messages */
};

static struct watch_object *watch_of(struct step_ctx *ctx, const struct value *args, struct vbm_error *err)
{
	return (struct watch_object *)arg_object(ctx, args, "watch", OBJECT_WATCH, err);
}

static void wanted_fini(struct wanted_packet *w)
{
	pattern_fini(&w->pattern);
	text_fini(&w->words);
}

/* Reads the words of "is:" in @args. */
static int wanted_read(struct wanted_packet *w, const struct value *args, struct vbm_error *err)
{
	const struct value *is = value_get(args, "is");
	int rc = 0;
	size_t i;

	*w = (struct wanted_packet){0};
	text_add(&w->words, "");
	for (i = 0; is && rc == 0 && i < is->list.count; i++) {
		const char *word = is->list.item[i]->s;

		text_addf(&w->words, "%s%s", i ? " " : "", word);
		if (!strcmp(word, "in") || !strcmp(word, "out"))
			w->way = word;
		else
			rc = pattern_add(&w->pattern, word, err);
	}
	return rc;
}

/* Reads the packet into @p, unless its direction is already wrong. */
static bool wanted_matches(const struct wanted_packet *w, const struct tap_frame *f, struct packet *p)
{
	if (w->way && (strcmp(w->way, "out") == 0) != f->out)
		return false;
	packet_read(p, PACKET_ETHERNET, f->bytes, f->len);
	return pattern_matches(&w->pattern, p);
}

/* The fields of a packet that steps can look at. */
static const struct field packet_fields[] = {
	F_INT("return", "always 0"),
	F_STRING("text", "the packet as verbatim decode prints it"),
	F_STRING("way", "in or out, as the interface of the host sees it"),
	F_CONST("opcode", &const_packet_opcode, "the operation"),
	F_INT("qp", "number of the receiver's queue pair"),
	F_INT("psn", "packet number"),
	F_INT("pkey", "partition"),
	F_INT("ack_req", "1: the sender asks for an acknowledgement"),
	F_INT("solicited", "1: the receiver shall get an event"),
	F_INT("pad", "bytes that fill the payload up to a multiple of 4"),
	F_INT("ecn", "congestion marks of IP"),
	F_INT("src_port", "the sender's UDP port"),
	F_INT("qkey", "Q_Key of a datagram"),
	F_INT("src_qp", "number of the sender's queue pair in a datagram"),
	F_U64("remote_addr", "address in the receiver's memory"),
	F_INT("rkey", "key of that memory"),
	F_INT("dma_length", "bytes of the whole request"),
	F_U64("swap", "the new value of COMPARE_SWAP"),
	F_U64("compare_add", "the value that COMPARE_SWAP compares or FETCH_ADD adds"),
	F_U64("original", "the value before an atomic operation"),
	F_INT("imm", "immediate data"),
	F_INT("invalidate_rkey", "key that SEND with invalidate names"),
	F_INT("flush_type", "type of FLUSH"),
	F_INT("flush_level", "level of FLUSH"),
	F_CONST("kind", &const_aeth_kind, "of an acknowledgement: whether it acknowledges or refuses"),
	F_INT("syndrome", "kind and value of an acknowledgement"),
	F_INT("credits", "code for the requests that the sender may still send; 31: no limit"),
	F_INT("rnr_timer", "code for the time that the sender has to wait"),
	F_CONST("nak_code", &const_nak_code, "why the request is refused"),
	F_INT("msn", "number of the messages that are complete"),
	F_U64("tid", "transaction of a management datagram"),
	F_INT("local_comm_id", "of a message of the connection manager: the sender's number of the connection"),
	F_INT("remote_comm_id", "the receiver's number of the connection"),
	F_U64("service_id", "the service that a message asks for"),
	F_INT("local_qp", "the queue pair of the sender of a message"),
	F_INT("starting_psn", "the packet number with which the receiver of a message begins"),
	F_INT("responder_resources", "reads and atomics that it can answer at once"),
	F_INT("initiator_depth", "reads and atomics that it asks for at once"),
	F_CONST("reason", &const_cm_reason, "why a message refuses a connection"),
	F_INT("remote_qp", "the queue pair of the receiver of a message"),
	F_CONST("answered", &const_cm_answered, "the message that an MRA or a REJ answers"),
	F_INT("service_timeout", "code for the time that the sender of an MRA still needs"),
	F_INT("request_id", "number of a question for a datagram service"),
	F_CONST("sidr_status", &const_sidr_status, "whether there is such a service"),
	F_INT("cm_qkey", "Q_Key of the queue pair of a message's sender"),
	F_INT("cma_port", "the sender's port, of rdma_cm"),
	F_INT("len", "bytes of the payload"),
	F_STRING("icrc", "the invariant CRC: right, wrong, rxe or unknown"),
	F_DATA,
	F_ELAPSED,
	{NULL},
};

static void put_packet(struct value *result, const struct tap_frame *f, const struct packet *p)
{
	const struct header_field *there;
	auto_text struct text line = {0};
	const struct layer *layer;
	const struct field *field;

	line_short(&line, p);
	value_set_int(result, "return", 0);
	value_set_string(result, "text", line.s);
	value_set_string(result, "way", f->out ? "out" : "in");
	for (field = packet_fields; field->name; field++) {
		there = packet_field(p, field->name, &layer);
		if (there && there->width <= 64 && field->type != FIELD_STRING)
			value_set_int(result, field->name, (int64_t)packet_value(p, layer, there));
	}
	value_set_int(result, "len", (int64_t)p->payload_len);
	value_set_string(result, "icrc", line_icrc(p));
	put_data(result, p->bytes + p->payload, p->payload_len);
}

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
		rc = wanted_read(&g->member[g->count++].wanted, list->list.item[i], err);
	}
	return rc;
}

static void group_fini(struct group *g)
{
	size_t i;

	for (i = 0; i < g->count; i++)
		wanted_fini(&g->member[i].wanted);
	free(g->member);
}

static bool matches_frame(const struct group *g, size_t member, size_t frame)
{
	struct packet p;

	return wanted_matches(&g->member[member].wanted, &g->log->frame[frame], &p);
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
	put_packet(shown, &g->log->frame[frame], &p);
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
		put_packet(one, f, &p);
		value_append(list, one);
	}
	value_set(result, "packets", list);
}

STEP(run_see_packets)
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
			if (!wanted_matches(wanted, &w->log.frame[i], &p))
				continue;
			put_packet(result, &w->log.frame[i], &p);
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
	int rc = w ? wanted_read(&wanted, args, err) : -err->code;

	if (rc == 0)
		rc = await_packet(ctx, w, &wanted, result, err);
	wanted_fini(&wanted);
	return rc;
}

STEP(run_count)
{
	struct watch_object *w = watch_of(ctx, args, err);
	struct wanted_packet wanted = {0};
	struct packet p;
	int64_t n = 0;
	size_t i;
	int rc = w ? wanted_read(&wanted, args, err) : -err->code;

	if (rc == 0)
		rc = tap_log_read(&w->log, err);
	for (i = 0; rc == 0 && i < w->log.count; i++)
		n += wanted_matches(&wanted, &w->log.frame[i], &p);
	wanted_fini(&wanted);
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

#define P_WATCH P_OBJECT("watch", OBJECT_WATCH, "the watch; default: watch, or the only one")
#define P_IS                                                                  \
	{.name = "is", .type = PARAM_TEXTS, .form = TEXT_CROSSING,            \
	 .doc = "words that all hold, as of verbatim decode: RC, SEND_ONLY, NAK, in, out, psn=5; default: any packet"}

static const struct param is_params[] = {P_WATCH, P_IS, {NULL}};
static const struct param resend_params[] = {P_WATCH, {NULL}};
static const struct field count_fields[] = {
	F_INT("return", "always 0"),
	F_INT("count", "packets since the watch began"),
	{NULL},
};

static const struct param member_params[] = {P_IS, {NULL}};
static const struct param see_packets_params[] = {
	P_WATCH,
	{.name = "list", .type = PARAM_LIST, .sub = member_params, .required = true,
	 .doc = "1 to 32 maps; each describes one packet by \"is\", and is met by another packet than the others"},
	{NULL},
};
static const struct field see_packets_fields[] = {
	F_INT("return", "always 0"),
	F_LIST("packets", packet_fields, "the packets in the order of the list, each as see_packet has it"),
	F_ELAPSED,
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "watch_packets", .call = "packet(7)",
	 .doc = "Watch the RDMA packets that the host's interface sends and receives from now on.",
	 .fields = step_zero_fields, .makes = OBJECT_WATCH, .run = run_watch},
	{.name = "see_packet", .call = "packet(7)",
	 .doc = "Wait for the next packet that the words describe, after the one that the last see_packet saw.",
	 .params = is_params, .fields = packet_fields, .waits = true, .run = run_see},
	{.name = "see_packets", .call = "packet(7)",
	 .doc = "Wait for several packets in any order, each once, after the one that the last such step saw.",
	 .params = see_packets_params, .fields = see_packets_fields, .waits = true, .run = run_see_packets},
	{.name = "count_packets", .call = "packet(7)",
	 .doc = "Count the packets that the words describe since the watch began.",
	 .params = is_params, .fields = count_fields, .query = true, .run = run_count},
	{.name = "resend_packet", .call = "packet(7)",
	 .doc = "Send the packet that see_packet saw last once more, from this host's interface.",
	 .params = resend_params, .fields = step_zero_fields, .machine_wide = true, .sends_packets = true,
	 .run = run_resend},
	{NULL},
};

const struct step_family family_wire = {
	"wire", "Packets on the cable of a host.", steps, .only_objects = true
};
