/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_DECODE_DECODE_H
#define VBM_DECODE_DECODE_H

/*
 * Runs in: the front end, in its main thread.
 * Owns:    the file that it reads.
 * Ends:    with the command.
 * Tests:   unit/test_records; tests/cli/decode.test; fuzz/fuzz_capture.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <verbatim/error.h>

#include "codec/pattern.h"

struct decoding;

/* One way to print packets. */
struct decode_format {
	const char *name;
	void (*packet)(const struct decoding *d);
};

/* Name number @i; NULL after the last one. */
const char *decode_format_name(size_t i);
const struct decode_format *decode_format_find(const char *name);

struct decode_options {
	const struct decode_format *format;
	struct pattern pattern;	/* owned by the caller; packets that do not match are left out */
	bool details;		/* all fields */
	bool all;		/* packets that are no RDMA, too */
	const char *way;	/* "in" or "out": only these; NULL: both */
	FILE *out;
};

struct decode_counts {
	uint64_t packets, rdma, shown;
	uint64_t unreadable;	/* of a link type that is not understood */
};

/*
 * Prints the packets of a capture. -EINVAL with "PATH: ..." if the file is no capture or is
 * damaged; the packets before the damage are printed and counted.
 */
int decode_file(const char *path, const struct decode_options *options, struct decode_counts *counts,
		struct vbm_error *err);

/* A list of the headers, and of the fields that patterns can name. */
void decode_list_fields(FILE *out);

#endif
