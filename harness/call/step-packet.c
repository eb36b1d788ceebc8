/* SPDX-License-Identifier: BSD-2-Clause */
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>
#include <infiniband/opcode.h>

#include "base/cleanup.h"
#include "call/packet.h"
#include "call/step-util.h"

#define USUAL_LENGTH 64
#define LENGTH_MAX (PACKET_BODY_MAX - PACKET_HEADERS_MAX)

struct sender {
	int fd;			/* owned */
	struct sockaddr_storage from, to;
	socklen_t len;
};

/*
 * The kernel gives a datagram of an unconnected socket the identification 0 if it
 * must not be fragmented. The invariant CRC covers the identification.
 */
static int forbid_fragments(int fd, int family)
{
	int how = IP_PMTUDISC_DO;	/* IPV6_PMTUDISC_DO is the same number */

	if (family == AF_INET)
		return setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &how, sizeof(how));
	return setsockopt(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &how, sizeof(how));
}

/* Sends from the host's own address and any port, like the host's device. */
static int sender_open(struct sender *s, const struct step_ctx *ctx, const char *to,
		       struct vbm_error *err)
{
	const char *own;

	if (step_address_parse(&s->to, to, PACKET_UDP_PORT, err) < 0)
		return -err->code;
	own = s->to.ss_family == AF_INET ? ctx->host->ip4 : ctx->host->ip6;
	if (step_address_parse(&s->from, own, 0, err) < 0)
		return -err->code;
	s->len = s->to.ss_family == AF_INET ? sizeof(struct sockaddr_in) :
					      sizeof(struct sockaddr_in6);
	s->fd = socket(s->to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (s->fd < 0 || forbid_fragments(s->fd, s->to.ss_family) < 0 ||
	    bind(s->fd, (struct sockaddr *)&s->from, s->len) < 0 ||
	    getsockname(s->fd, (struct sockaddr *)&s->from, &s->len) < 0)
		return vbm_fail(err, errno, "cannot make a socket to send from %s: %s", own, strerror(errno));
	return 0;
}

static struct packet_fields fields_of(const struct value *args)
{
	return (struct packet_fields){
		.qkey = (uint32_t)value_get_int(args, "qkey", 0),
		.src_qp = (uint32_t)value_get_int(args, "src_qp", 1),
		.remote_addr = (uint64_t)value_get_int(args, "remote_addr", 0) +
			       (uint64_t)value_get_int(args, "remote_offset", 0),
		.rkey = (uint32_t)value_get_int(args, "rkey", 0),
		.dma_length = (uint32_t)value_get_int(args, "dma_length",
						      value_get_int(args, "length", USUAL_LENGTH)),
		.compare_add = (uint64_t)value_get_int(args, "compare_add", 0),
		.swap = (uint64_t)value_get_int(args, "swap", 0),
		.flush_type = (uint32_t)value_get_int(args, "flush_type", 1),
		.flush_level = (uint32_t)value_get_int(args, "flush_level", 0),
		.imm = (uint32_t)value_get_int(args, "imm", 0),
		.invalidate = (uint32_t)value_get_int(args, "invalidate_rkey", 0),
	};
}

/* Makes the extended headers of the request, then the payload, filled like that of post_send. */
static int request_body(uint8_t opcode, const struct value *args, uint8_t **out, size_t *len,
			struct vbm_error *err)
{
	const struct packet_fields f = fields_of(args);
	auto_value struct value *counter = value_string("counter");
	const struct value *fill = value_get(args, "fill");
	uint8_t headers[PACKET_HEADERS_MAX];
	int payload = 0, n = packet_headers(headers, opcode, &f, &payload);
	size_t bytes;

	if (n < 0)
		return vbm_fail(err, EINVAL, "the step cannot make the headers of a response: give it a 'body:'");
	bytes = payload ? (size_t)value_get_int(args, "length", USUAL_LENGTH) : 0;
	*len = (size_t)n + bytes;
	*out = xcalloc(1, *len + 1);
	memcpy(*out, headers, (size_t)n);
	return bytes_pattern_fill(*out + n, bytes, fill ? fill : counter, err);
}

static int seal_and_send(struct step_ctx *ctx, const struct sender *s, const struct packet *p,
			 const struct value *args)
{
	bool flush_crc = value_get_bool(args, "rxe_flush_icrc", false);
	uint8_t bytes[PACKET_MAX];
	size_t len = packet_build(bytes, p);

	packet_seal(bytes, len, (const struct sockaddr *)&s->from,
		    (const struct sockaddr *)&s->to, flush_crc ? PACKET_CRC_RXE_FLUSH : PACKET_CRC);
	bytes[len - 1] ^= value_get_bool(args, "icrc", true) ? 0 : 1;
	call_begins(ctx);
	return sendto(s->fd, bytes, len, 0, (const struct sockaddr *)&s->to, s->len) < 0 ? -1 : 0;
}

static int run_send_packet(struct step_ctx *ctx, const struct value *args,
			   struct value *result, struct vbm_error *err)
{
	struct packet p = {
		.opcode = (uint8_t)value_get_int(args, "opcode", IBV_OPCODE_UD_SEND_ONLY),
		.pkey = (uint16_t)value_get_int(args, "pkey", 0xffff),
		.dest_qp = (uint32_t)value_get_int(args, "qp_num", 0),
		.psn = (uint32_t)value_get_int(args, "psn", 0),
		.ack_req = value_get_bool(args, "ack_req", false),
	};
	struct sender s = {.fd = -1};
	auto_free uint8_t *body = NULL;
	int ret;

	if (arg_given(args, "body"))
		ret = arg_bytes(args, "body", &body, &p.body_len, err);
	else
		ret = request_body(p.opcode, args, &body, &p.body_len, err);
	p.body = body;
	if (ret == 0)
		ret = sender_open(&s, ctx, value_get_string(args, "to", ""), err);
	if (ret == 0)
		put_minus1(result, seal_and_send(ctx, &s, &p, args));
	if (s.fd >= 0)
		close(s.fd);
	return ret;
}

static const struct param packet_params[] = {
	{.name = "to", .type = PARAM_ADDRESS, .required = true, .doc = "the receiver's IP address"},
	P_INT("qp_num", 0, 0xffffff, "number of the destination queue pair; default 0"),
	P_CONST("opcode", &const_packet_opcode, "operation; default UD_SEND_ONLY"),
	P_INT("psn", 0, 0xffffff, "packet number; default 0"),
	P_INT("pkey", 0, 0xffff, "P_Key; default 0xffff"),
	P_BOOL("ack_req", "whether it asks for an acknowledgement; default false"),
	P_BYTES("body", PACKET_BODY_MAX,
		"everything after the base transport header: further headers, then the payload; default: "
			"the headers of the operation, from the parameters below, and \"length\" bytes"),
	P_INT("qkey", 0, UINT32_MAX, "Q_Key of a datagram; default 0"),
	P_INT("src_qp", 0, 0xffffff, "number of the source queue pair in a datagram; default 1"),
	P_INT("remote_addr", INT64_MIN, INT64_MAX, "address in the peer's memory, for RDMA, atomics and FLUSH; default 0"),
	P_INT("remote_offset", 0, INT32_MAX, "added to remote_addr; default 0"),
	P_INT("rkey", 0, UINT32_MAX, "key of that memory; default 0"),
	P_INT("dma_length", 0, UINT32_MAX, "length of the whole request in its header, bytes; default: length"),
	P_INT("compare_add", INT64_MIN, INT64_MAX, "the value that COMPARE_SWAP compares or FETCH_ADD adds; default 0"),
	P_INT("swap", INT64_MIN, INT64_MAX, "the value that COMPARE_SWAP writes; default 0"),
	P_INT("flush_type", 0, 15, "type of FLUSH: 1 for global visibility, 2 for persistence; default 1"),
	P_INT("flush_level", 0, 3, "level of FLUSH: 0 for a range, 1 for the memory region; default 0"),
	P_INT("imm", 0, UINT32_MAX, "immediate data; default 0"),
	P_INT("invalidate_rkey", 0, UINT32_MAX, "key that SEND with invalidate names; default 0"),
	P_INT("length", 0, LENGTH_MAX, "bytes of the payload; default 64"),
	P_BYTES("fill", 0, "content of the payload, as in post_send; default counter"),
	P_BOOL("icrc", "false writes a wrong invariant CRC; default true"),
	P_BOOL("rxe_flush_icrc", "true writes the invariant CRC that rxe computes and expects for FLUSH, "
			"over the whole packet a second time; default false"),
	{NULL},
};
static const struct field packet_fields[] = {F_MINUS1, {NULL}};

static const struct step_kind steps[] = {
	{.name = "send_packet", .call = "sendto(2)",
	 .doc = "Send one RoCE v2 packet from the host's address, without a queue pair.",
	 .params = packet_params, .fields = packet_fields, .run = run_send_packet},
	{NULL},
};

const struct step_family family_packet = {
	"packet", "Packets that are sent without a queue pair.", steps
};
