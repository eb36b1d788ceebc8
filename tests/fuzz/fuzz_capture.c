/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: decode/records.c decode/read-pcap.c decode/read-pcapng.c codec/ */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "codec/line.h"
#include "codec/pattern.h"
#include "decode/records.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Writing the value that a field has changes nothing. */
static void write_back(const struct packet *p)
{
	auto_free uint8_t *copy = malloc(p->len ? p->len : 1);
	const struct header_field *f;
	size_t i;

	if (!copy)
		return;
	memcpy(copy, p->bytes, p->len);
	for (i = 0; i < p->layers; i++)
		for (f = p->layer[i].header->fields; f->name; f++)
			if (f->width <= 64)
				header_set_bits(copy + p->layer[i].at, f->at, f->width, packet_value(p, &p->layer[i], f));
	if (memcmp(copy, p->bytes, p->len))
		abort();
}

static void read_frame(enum packet_start start, const uint8_t *data, size_t size)
{
	auto_text struct text line = {0};
	auto_value struct value *map = value_map();
	struct packet p;

	packet_read(&p, start, data, size);
	if (p.payload > size || p.payload_len > size - p.payload || (p.rdma && !p.problem && p.layers < 2))
		abort();
	line_way(&line, &p);
	line_short(&line, &p);
	line_details(&line, &p);
	line_map(map, &p);
	write_back(&p);
}

/* A capture, or one frame behind a byte that says how it starts. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct records r;
	struct records_packet record;
	struct vbm_error err = {0};
	enum packet_start start;

	if (records_begin(&r, data, size, &err) < 0) {
		if (size)
			read_frame((enum packet_start)(data[0] % (PACKET_IP + 1)), data + 1, size - 1);
		return 0;
	}
	while (records_next(&r, &record, &err) > 0)
		if (records_start(r.interface[record.interface].link, &start))
			read_frame(start, record.bytes, record.kept);
	records_end(&r);
	return 0;
}
