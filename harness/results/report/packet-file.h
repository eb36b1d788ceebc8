/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_REPORT_PACKET_FILE_H
#define VBM_REPORT_PACKET_FILE_H

#include <stdint.h>

#include "base/text.h"

struct value;

/*
 * The packets of a variant as a file for Wireshark, made of its "packet" events: an interface for
 * each host and direction, and a comment for each packet that a step saw or a rule acted on. Pure. Start with {0}.
 */
struct packet_file {
	struct text name;	/* owned; "a in\n" for each interface, in the order of their numbers */
	uint32_t interfaces;
};

/* Adds the blocks of the event to @out. A packet that is no packet adds nothing. */
void packet_file_add(struct packet_file *f, const struct value *event, struct text *out);
void packet_file_fini(struct packet_file *f);

#endif
