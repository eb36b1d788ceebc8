/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_REPORT_OUTPUT_H
#define VBM_REPORT_OUTPUT_H

#include <stdint.h>

#include <verbatim/error.h>

#include "base/text.h"

struct event_line;
struct output;
struct value;

/* Bytes of a folder's name. */
#define OUTPUT_FOLDER_MAX 180

/*
 * Writes the folder of --output from the events:
 *
 *   summary.json             the summary, and every variant with its folder
 *   kernel.txt               kernel messages outside all variants
 *   VARIANT/events.jsonl     its events, as the stream had them
 *   VARIANT/result.json      its verdict; missing without one
 *   VARIANT/kernel.txt       kernel messages while it ran
 *   VARIANT/log-HOST.txt     the standard error of its agents
 *   VARIANT/packets.pcapng   its packets, if it looked at packets and failed
 *
 * An existing folder is used again. The files of an earlier run about the same
 * variants are removed, and so is its summary. Everything else in it stays.
 */
int output_open(struct output **out, const char *dir, struct vbm_error *err);

/* The first error (for example a full disk) stays: later events are not written. */
int output_event(struct output *o, struct event_line *line, struct vbm_error *err);
int output_close(struct output *o, struct vbm_error *err);	/* frees @o */

/*
 * The name of a variant's folder: "data.send,ip=4,mtu=1024" for
 * "data/send[ip=4,mtu=1024]". Different variants get different folders, and no
 * name leads out of the output folder. The caller frees it.
 */
char *output_folder_name(const char *variant);

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
