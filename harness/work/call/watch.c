/* SPDX-License-Identifier: BSD-2-Clause */
#include "call/watch.h"

#include <string.h>

#include "codec/line.h"

struct watch_object *watch_of(struct step_ctx *ctx, const struct value *args, struct vbm_error *err)
{
	return (struct watch_object *)arg_object(ctx, args, "watch", OBJECT_WATCH, err);
}

void watch_wanted_fini(struct wanted_packet *w)
{
	pattern_fini(&w->pattern);
	text_fini(&w->words);
}

int watch_wanted_read(struct wanted_packet *w, const struct value *args, struct vbm_error *err)
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

bool watch_wanted_matches(const struct wanted_packet *w, const struct tap_frame *f, struct packet *p)
{
	if (w->way && (strcmp(w->way, "out") == 0) != f->out)
		return false;
	packet_read(p, PACKET_ETHERNET, f->bytes, f->len);
	return pattern_matches(&w->pattern, p);
}

const struct field watch_packet_fields[] = {
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

void watch_put_packet(struct value *result, const struct tap_frame *f, const struct packet *p)
{
	const struct header_field *there;
	auto_text struct text line = {0};
	const struct layer *layer;
	const struct field *field;

	line_short(&line, p);
	value_set_int(result, "return", 0);
	value_set_string(result, "text", line.s);
	value_set_string(result, "way", f->out ? "out" : "in");
	for (field = watch_packet_fields; field->name; field++) {
		there = packet_field(p, field->name, &layer);
		if (there && there->width <= 64 && field->type != FIELD_STRING)
			value_set_int(result, field->name, (int64_t)packet_value(p, layer, there));
	}
	value_set_int(result, "len", (int64_t)p->payload_len);
	value_set_string(result, "icrc", line_icrc(p));
	put_data(result, p->bytes + p->payload, p->payload_len);
}
