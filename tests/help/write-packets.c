/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * write-packets COUNT SEED: a capture of COUNT packets on standard output, for readers of
 * others: all opcodes and messages of the connection manager in turn, below different
 * headers, with random fields and payload.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "codec/build.h"
#include "codec/pcapng.h"

static const struct header *const over_ip4[] = {&header_ether, &header_ip4, &header_udp, &header_bth, NULL};
static const struct header *const over_ip6[] = {&header_ether, &header_ip6, &header_udp, &header_bth, NULL};
static const struct header *const over_vlan[] = {
	&header_ether, &header_vlan, &header_ip4, &header_udp, &header_bth, NULL};
static const struct header *const *const below[] = {over_ip4, over_ip6, over_vlan};

static const struct header *const messages[][4] = {
	{&header_mad, &header_cm_req}, {&header_mad, &header_cm_req, &header_ip_cm}, {&header_mad, &header_cm_mra},
	{&header_mad, &header_cm_rej}, {&header_mad, &header_cm_rep}, {&header_mad, &header_cm_rtu},
	{&header_mad, &header_cm_dreq}, {&header_mad, &header_cm_drep}, {&header_mad, &header_cm_sidr_req},
	{&header_mad, &header_cm_sidr_rep}, {&header_mad, &header_cm_lap}, {&header_mad, &header_cm_apr},
};
#define UD_SEND_ONLY 0x64
/* All reasons with a name, which 16 random bits would hardly ever have, and a few without. */
#define REASONS 40

/* These decide how the rest is read, or are written by build_end(). */
static const char *const kept[] = {
	"opcode", "ether_type", "vlan_type", "ip_version", "header_length", "ip_length", "protocol", "ip_checksum",
	"dst_port", "src_port", "udp_length", "udp_checksum", "more_fragments", "fragment_offset", "ip_reserved", "pad",
	"bth_version", "mad_version", "class", "class_version", "method", "attribute", "private_data", "service_id",
	"cma_version", "cma_ip_version", "primary_local_gid", "primary_remote_gid",
};

static uint64_t seed;

static uint64_t next(void)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return seed >> 20;
}

static bool is_kept(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kept); i++)
		if (!strcmp(kept[i], name))
			return true;
	return false;
}

static void fill(struct build *b)
{
	const struct header_field *f;
	const struct layer *l;
	size_t i, k;

	for (i = 0; i < b->packet.layers; i++) {
		l = &b->packet.layer[i];
		for (f = l->header->fields; f->name; f++)
			for (k = 0; !f->alias && !is_kept(f->name) && k < f->width; k += 8)
				header_set_bits(b->bytes + l->at, f->at + k, f->width - k < 8 ? f->width - k : 8, next());
	}
}

/* A queue pair's number says whether a datagram is management. */
static void make(struct build *b, unsigned n)
{
	const struct header *const *more = n % 5 ? NULL : messages[n / 5 % ARRAY_SIZE(messages)];
	struct opcode op;
	uint8_t number = UD_SEND_ONLY;
	uint8_t *room;
	size_t len = 0, i;

	while (!more && !opcode_find(number = (uint8_t)next(), &op))
		;
	if (!more && op.payload)
		len = number == OPCODE_ATOMIC_WRITE ? 8 : next() % 257;
	build_begin(b, below[next() % ARRAY_SIZE(below)], number, more);
	fill(b);
	build_set(b, "qp", more ? 1 : next() | 2);
	if (more && more[1] == &header_cm_req && !more[2])
		build_set(b, "service_id", next() | 1ULL << 60);
	if (more && more[1] == &header_cm_rej)
		build_set(b, "reason", next() % REASONS);
	room = build_payload_room(b, len);
	for (i = 0; i < len; i++)
		room[i] = (uint8_t)next();
	build_end(b, PACKET_CRC);
}

int main(int argc, char **argv)
{
	auto_text struct text t = {0};
	static struct build b;
	unsigned n, count;

	if (argc != 3) {
		fputs("Usage: write-packets COUNT SEED\n", stderr);
		return 2;
	}
	count = (unsigned)strtoul(argv[1], NULL, 10);
	seed = strtoull(argv[2], NULL, 10);
	pcapng_section(&t, "write-packets");
	pcapng_interface(&t, "a", "host a: none");
	for (n = 0; n < count; n++) {
		make(&b, n);
		pcapng_packet(&t, &(struct pcapng_packet){
			.ns = n, .way = PCAPNG_OUT, .data = b.bytes, .kept = (uint32_t)b.packet.len,
			.len = (uint32_t)b.packet.len,
		});
	}
	return fwrite(t.s, 1, t.len, stdout) != t.len;
}
