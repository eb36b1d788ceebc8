/* SPDX-License-Identifier: BSD-2-Clause */
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>
#include <infiniband/opcode.h>

#include "base/cleanup.h"
#include "call/step-util.h"
#include "codec/build.h"
#include "names/host.h"

#define USUAL_LENGTH 64
#define HEADERS_MAX 32
#define LENGTH_MAX (BUILD_PAYLOAD_MAX - HEADERS_MAX)
#define SYNDROME_ACK 0x1f		/* without a limit of credits */
#define QKEY_OF_MANAGEMENT 0x80010000	/* of queue pair 1 */
#define CM_MESSAGE_FIRST 0x10		/* attribute of REQ; the others follow in the order of const_cm_message */

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

static int limit_hops(int fd, int family, int hops)
{
	if (!hops)
		return 0;
	return family == AF_INET ? setsockopt(fd, IPPROTO_IP, IP_TTL, &hops, sizeof(hops)) :
				   setsockopt(fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS, &hops, sizeof(hops));
}

/* Sends from the host's own address and any port, like the host's device. */
static int sender_open(struct sender *s, const struct step_ctx *ctx, const struct value *args,
		       struct vbm_error *err)
{
	const char *to = value_get_string(args, "to", ""), *own;
	int hops = (int)value_get_int(args, "hop_limit", 0);

	if (step_address_parse(&s->to, to, PACKET_UDP_PORT, err) < 0)
		return -err->code;
	own = s->to.ss_family == AF_INET ? ctx->host->ip4 : ctx->host->ip6;
	if (step_address_parse(&s->from, own, 0, err) < 0)
		return -err->code;
	s->len = s->to.ss_family == AF_INET ? sizeof(struct sockaddr_in) :
					      sizeof(struct sockaddr_in6);
	s->fd = socket(s->to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (s->fd < 0 || forbid_fragments(s->fd, s->to.ss_family) < 0 ||
	    limit_hops(s->fd, s->to.ss_family, hops) < 0 ||
	    bind(s->fd, (struct sockaddr *)&s->from, s->len) < 0 ||
	    getsockname(s->fd, (struct sockaddr *)&s->from, &s->len) < 0)
		return vbm_fail(err, errno, "cannot make a socket to send from %s: %s", own, strerror(errno));
	return 0;
}

/* The arguments that are fields of headers under their own names, and what they are if nobody says. */
static const struct {
	const char *name;
	int64_t usual;
} header_args[] = {
	{"pkey", 0xffff}, {"psn", 0}, {"ack_req", 0},
	{"qkey", 0}, {"src_qp", 1}, {"rkey", 0}, {"compare_add", 0}, {"swap", 0},
	{"flush_type", 1}, {"flush_level", 0}, {"imm", 0}, {"invalidate_rkey", 0},
	{"syndrome", SYNDROME_ACK}, {"msn", 0}, {"original", 0},
};

/* The header of each message of the connection manager, and the private data in it that rdma_cm makes. */
static const struct header *const messages[][2] = {
	{&header_cm_req, &header_ip_cm}, {&header_cm_mra}, {&header_cm_rej}, {&header_cm_rep}, {&header_cm_rtu},
	{&header_cm_dreq}, {&header_cm_drep}, {&header_cm_sidr_req, &header_ip_cm}, {&header_cm_sidr_rep},
	{&header_cm_lap}, {&header_cm_apr},
};

static int64_t number_of(const struct value *args, const char *name, int64_t usual)
{
	return value_get_bool(args, name, false) ? 1 : value_get_int(args, name, usual);
}

/* A packet has some of the fields. */
static void set_fields(struct build *b, const struct value *args)
{
	bool message = arg_given(args, "message");
	size_t i;

	for (i = 0; i < ARRAY_SIZE(header_args); i++)
		build_set(b, header_args[i].name, (uint64_t)number_of(args, header_args[i].name, header_args[i].usual));
	build_set(b, "qp", (uint64_t)value_get_int(args, "qp_num", message));
	if (message && !arg_given(args, "qkey"))
		build_set(b, "qkey", QKEY_OF_MANAGEMENT);
	build_set(b, "remote_addr", (uint64_t)value_get_int(args, "remote_addr", 0) +
				    (uint64_t)value_get_int(args, "remote_offset", 0));
	build_set(b, "dma_length", (uint64_t)value_get_int(args, "dma_length",
							   value_get_int(args, "length", USUAL_LENGTH)));
}

static void set_addresses(struct build *b, const struct sender *s)
{
	const struct sockaddr_in *from = (const void *)&s->from, *to = (const void *)&s->to;
	const struct sockaddr_in6 *from6 = (const void *)&s->from, *to6 = (const void *)&s->to;

	if (s->from.ss_family == AF_INET) {
		build_set_bytes(b, "src", &from->sin_addr);
		build_set_bytes(b, "dst", &to->sin_addr);
	} else {
		build_set_bytes(b, "src", &from6->sin6_addr);
		build_set_bytes(b, "dst", &to6->sin6_addr);
	}
	build_set(b, "src_port", ntohs(from->sin_port));	/* sin6_port has the same offset */
	build_set(b, "dst_port", ntohs(to->sin_port));
}

/* The payload is filled like that of post_send. An operation that nobody knows has one. */
static int add_payload(struct build *b, const struct value *args, struct vbm_error *err)
{
	auto_value struct value *counter = value_string("counter");
	const struct value *fill = value_get(args, "fill");
	bool has = (b->packet.opcode.payload || !b->packet.known) && !arg_given(args, "message");
	size_t bytes = has ? (size_t)value_get_int(args, "length", USUAL_LENGTH) : 0;

	return bytes_pattern_fill(build_payload_room(b, bytes), bytes, fill ? fill : counter, err);
}

/* With "body" the caller says everything behind the base transport header. */
static int add_body(struct build *b, const struct value *args, struct vbm_error *err)
{
	auto_free uint8_t *body = NULL;
	size_t len = 0;
	int rc = arg_bytes(args, "body", &body, &len, err);

	if (rc == 0)
		build_payload(b, body, len);
	return rc;
}

static int set_words(struct build *b, const struct value *args, struct vbm_error *err)
{
	const struct value *words = value_get(args, "set");
	struct pattern settings = {0};
	int rc = 0;
	size_t i;

	for (i = 0; words && rc == 0 && i < words->list.count; i++)
		rc = build_setting_add(&settings, words->list.item[i]->s, err);
	if (rc == 0)
		rc = build_settings_apply(b, &settings, err);
	pattern_fini(&settings);
	return rc;
}

/* The headers of the message, behind the NULL-terminated @more. */
static int find_message(const struct value *args, const struct header *more[4], struct vbm_error *err)
{
	int64_t message = value_get_int(args, "message", 0) - CM_MESSAGE_FIRST;

	if (!arg_given(args, "message"))
		return 0;
	if (message < 0 || message >= (int64_t)ARRAY_SIZE(messages))
		return vbm_fail(err, EINVAL, "no headers are known for this message: give its MAD as 'body:'");
	more[0] = &header_mad;
	more[1] = messages[message][0];
	more[2] = messages[message][1];
	return 0;
}

static int begin_packet(struct build *b, const struct sender *s, const struct value *args, struct vbm_error *err)
{
	const struct header *below[] = {s->to.ss_family == AF_INET ? &header_ip4 : &header_ip6, &header_udp, &header_bth, NULL};
	uint8_t opcode = (uint8_t)value_get_int(args, "opcode", IBV_OPCODE_UD_SEND_ONLY);
	const struct header *more[] = {NULL, NULL, NULL, NULL};

	if (find_message(args, more, err) < 0)
		return -err->code;
	build_begin(b, below, arg_given(args, "body") ? OPCODE_NONE : opcode, more);
	build_set(b, "opcode", opcode);
	return 0;
}

static int make_packet(struct build *b, const struct sender *s, const struct value *args, struct vbm_error *err)
{
	int rc;

	if (begin_packet(b, s, args, err) < 0)
		return -err->code;
	rc = arg_given(args, "body") ? add_body(b, args, err) : add_payload(b, args, err);
	if (rc < 0)
		return rc;
	set_addresses(b, s);
	set_fields(b, args);
	rc = set_words(b, args, err);
	if (rc < 0)
		return rc;
	if (arg_given(args, "cut"))
		build_cut(b, (size_t)value_get_int(args, "cut", 0));
	build_end(b, value_get_bool(args, "rxe_flush_icrc", false) ? PACKET_CRC_RXE_FLUSH : PACKET_CRC);
	b->bytes[b->packet.end - 1] ^= value_get_bool(args, "icrc", true) ? 0 : 1;
	return 0;
}

/* The kernel makes the headers of IP and UDP. */
static int send_rest(struct step_ctx *ctx, const struct sender *s, const struct build *b)
{
	size_t at = packet_layer(&b->packet, &header_bth)->at;

	call_begins(ctx);
	return sendto(s->fd, b->bytes + at, b->packet.end - at, 0, (const struct sockaddr *)&s->to, s->len) < 0 ? -1 : 0;
}

STEP(run_send_packet)
{
	struct sender s = {.fd = -1};
	struct build b;
	int ret;

	ret = sender_open(&s, ctx, args, err);
	if (ret == 0)
		ret = make_packet(&b, &s, args, err);
	if (ret == 0)
		put_minus1(result, send_rest(ctx, &s, &b));
	if (s.fd >= 0)
		close(s.fd);
	return ret;
}

static const struct param packet_params[] = {
	{.name = "to", .type = PARAM_ADDRESS, .required = true, .doc = "the receiver's IP address"},
	P_INT("qp_num", 0, 0xffffff, "number of the destination queue pair; default 0, or 1 with message"),
	P_CONST("opcode", &const_packet_opcode, "operation; default UD_SEND_ONLY"),
	P_INT("hop_limit", 1, 255, "hop limit of the IP header; default: that of the host's route"),
	P_INT("psn", 0, 0xffffff, "packet number; default 0"),
	P_INT("pkey", 0, 0xffff, "P_Key; default 0xffff"),
	P_BOOL("ack_req", "whether it asks for an acknowledgement; default false"),
	P_BYTES("body", BUILD_PAYLOAD_MAX,
		"everything after the base transport header: further headers, then the payload; default: "
			"the headers of the operation, from the parameters below, and \"length\" bytes"),
	P_CONST("message", &const_cm_message,
		"message of the connection manager: adds its headers to a datagram; set: gives their fields values"),
	P_INT("syndrome", 0, 255, "kind and value of an acknowledgement; default 0x1f: ACK, without a limit of credits"),
	P_INT("msn", 0, 0xffffff, "number of the messages that are complete, of an acknowledgement; default 0"),
	P_U64("original", "the value before an atomic operation, of its acknowledgement; default 0"),
	P_INT("qkey", 0, UINT32_MAX, "Q_Key of a datagram; default 0, or that of management with message"),
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
	{.name = "set", .type = PARAM_TEXTS, .form = TEXT_SETTING,
	 .doc = "any other fields of the packet's headers, after the parameters: pad=3, nak_code=INVALID_REQUEST, becn; "
		"verbatim decode --fields lists them"},
	P_INT("cut", 0, LENGTH_MAX, "bytes, from the base transport header on, after which the packet ends, with "
			"an invariant CRC behind them, which is right from 12 bytes on; default: the whole packet"),
	P_BOOL("icrc", "false writes a wrong invariant CRC; default true"),
	P_BOOL("rxe_flush_icrc", "true writes the invariant CRC that rxe computes and expects for FLUSH, "
			"over the whole packet a second time; default false"),
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "send_packet", .call = "sendto(2)",
	 .doc = "Send one RoCE v2 packet from the host's address, without a queue pair.",
	 .params = packet_params, .fields = step_minus1_fields, .machine_wide = true, .sends_packets = true,
	 .run = run_send_packet},
	{NULL},
};

const struct step_family family_packet = {
	"packet", "Packets that are sent without a queue pair.", steps, .only_objects = true
};
