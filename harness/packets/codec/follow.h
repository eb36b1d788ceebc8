/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CODEC_FOLLOW_H
#define VBM_CODEC_FOLLOW_H

#include <stdint.h>

#include "codec/header.h"

struct packet;

/*
 * The order of headers: @from is followed by @to if the bits of @mask in @field have
 * the value @is. The rules read packets, and a packet that is built gets these values.
 */
struct follow_rule {
	const struct header *from, *to;
	const char *field;
	uint64_t mask, is;
	const char *within;	/* @to begins with this field of @from; NULL: behind @from */
};

/* The rule for the header after the last layer of @p; NULL: none, or none that is known. */
const struct follow_rule *follow_find(const struct packet *p);

/* The rule for @to directly after @from, or NULL. */
const struct follow_rule *follow_rule(const struct header *from, const struct header *to);

#endif
