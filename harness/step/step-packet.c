/* SPDX-License-Identifier: BSD-2-Clause */
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>
#include <infiniband/opcode.h>

#include "base/cleanup.h"
#include "step/packet.h"
#include "step/step-util.h"

struct sender {
	int fd;			/* owned */
	struct sockaddr_storage from, to;
	socklen_t len;
};

/*
 * A datagram of a socket that is not connected, and that may not be fragmented,
 * has the identification 0: the invariant CRC covers it.
 */
static int forbid_fragments(int fd, int family)
{
	int how = IP_PMTUDISC_DO;	/* IPV6_PMTUDISC_DO is the same number */

	if (family == AF_INET)
		return setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &how, sizeof(how));
	return setsockopt(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &how, sizeof(how));
}

/* From the host's own address, any port: what its device sends looks like this. */
static int sender_open(struct sender *s, const struct step_ctx *ctx, const char *to,
		       struct vbm_error *err)
{
	const char *own;

	if (address_parse(&s->to, to, PACKET_UDP_PORT, err) < 0)
		return -err->code;
	own = s->to.ss_family == AF_INET ? ctx->host->ip4 : ctx->host->ip6;
	if (address_parse(&s->from, own, 0, err) < 0)
		return -err->code;
	s->len = s->to.ss_family == AF_INET ? sizeof(struct sockaddr_in) :
					      sizeof(struct sockaddr_in6);
	s->fd = socket(s->to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (s->fd < 0 || forbid_fragments(s->fd, s->to.ss_family) < 0 ||
	    bind(s->fd, (struct sockaddr *)&s->from, s->len) < 0 ||
	    getsockname(s->fd, (struct sockaddr *)&s->from, &s->len) < 0)
		return vbm_fail(err, errno, "no socket to send from %s: %s", own, strerror(errno));
	return 0;
}

static int run_send_packet(struct step_ctx *ctx, const struct value *args,
			   struct value *result, struct vbm_error *err)
{
	struct packet p = {
		.opcode = (uint8_t)value_get_int(args, "opcode", IBV_OPCODE_RC_ACKNOWLEDGE),
		.pkey = (uint16_t)value_get_int(args, "pkey", 0xffff),
		.dest_qp = (uint32_t)value_get_int(args, "dest_qp", 0),
		.psn = (uint32_t)value_get_int(args, "psn", 0),
		.ack_req = value_get_bool(args, "ack_req", false),
	};
	struct sender s = {.fd = -1};
	uint8_t bytes[PACKET_MAX];
	auto_free uint8_t *body = NULL;
	ssize_t n = -1;
	size_t len;
	int ret;

	if (arg_bytes(args, "body", &body, &p.body_len, err) < 0)
		return -err->code;
	p.body = body;
	ret = sender_open(&s, ctx, value_get_string(args, "to", ""), err);
	if (ret == 0) {
		len = packet_build(bytes, &p);
		packet_seal(bytes, len, (struct sockaddr *)&s.from, (struct sockaddr *)&s.to);
		bytes[len - 1] ^= value_get_bool(args, "bad_crc", false) ? 1 : 0;
		call_begins(ctx);
		n = sendto(s.fd, bytes, len, 0, (struct sockaddr *)&s.to, s.len);
		put_minus1(result, n < 0 ? -1 : 0);
	}
	if (s.fd >= 0)
		close(s.fd);
	return ret;
}

static const struct param packet_params[] = {
	{.name = "to", .type = PARAM_ADDRESS, .required = true, .doc = "the receiver's IP address"},
	{.name = "dest_qp", .type = PARAM_INT, .required = true, .min = 0, .max = 0xffffff,
	 .doc = "number of the queue pair it is for"},
	P_CONST("opcode", &const_packet_opcode, "operation; default RC_ACKNOWLEDGE"),
	P_INT("psn", 0, 0xffffff, "packet number; default 0"),
	P_INT("pkey", 0, 0xffff, "P_Key; default 0xffff"),
	P_BOOL("ack_req", "whether it asks for an acknowledgement; default false"),
	P_BYTES("body", PACKET_BODY_MAX,
		"all behind the base transport header: further headers, then the payload; default: nothing"),
	P_BOOL("bad_crc", "true makes the invariant CRC wrong; default false"),
	{NULL},
};
static const struct field packet_fields[] = {F_MINUS1, {NULL}};

static const struct step_kind steps[] = {
	{.name = "send_packet", .call = "sendto(2)",
	 .doc = "Send one RoCE packet made by hand from the host's address, past its RDMA device.",
	 .params = packet_params, .fields = packet_fields, .run = run_send_packet},
	{NULL},
};

const struct step_family family_packet = {
	"packet", "Packets that no device would send.", steps
};
