/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/packet.h"

#include <string.h>

const struct layer *packet_layer(const struct packet *p, const struct header *header)
{
	size_t i;

	for (i = 0; i < p->layers; i++)
		if (p->layer[i].header == header)
			return &p->layer[i];
	return NULL;
}

bool packet_has(const struct packet *p, const struct layer *layer, const struct header_field *f)
{
	return !f->if_width ||
	       header_get_bits(p->bytes + layer->at, f->if_at, f->if_width) == f->if_is;
}

const struct header_field *packet_field(const struct packet *p, const char *name, const struct layer **layer)
{
	const struct header_field *f;
	size_t i;

	for (i = 0; i < p->layers; i++) {
		f = header_find_field(p->layer[i].header, name);
		if (!f || !packet_has(p, &p->layer[i], f))
			continue;
		*layer = &p->layer[i];
		return f;
	}
	return NULL;
}

uint64_t packet_value(const struct packet *p, const struct layer *layer, const struct header_field *f)
{
	return header_get_bits(p->bytes + layer->at, f->at, f->width);
}

const uint8_t *packet_field_bytes(const struct packet *p, const struct layer *layer, const struct header_field *f)
{
	return p->bytes + layer->at + f->at / 8;
}

uint64_t packet_get(const struct packet *p, const char *name, uint64_t fallback)
{
	const struct layer *layer;
	const struct header_field *f = packet_field(p, name, &layer);

	return f && f->width <= 64 ? packet_value(p, layer, f) : fallback;
}

uint64_t packet_mark(const uint8_t *bytes, size_t len)
{
	uint64_t hash = 0xcbf29ce484222325ULL ^ len;
	size_t i;

	for (i = 0; i < len && i < MARK_BYTES; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3ULL;
	return hash >> 1;	/* so that it is an int64_t */
}
