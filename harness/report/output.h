/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_REPORT_OUTPUT_H
#define VBM_REPORT_OUTPUT_H

#include <verbatim/error.h>

struct value;
struct output;

/*
 * The folder of --output, another consumer of the events:
 *
 *   summary.json             the summary, and every variant with its folder
 *   kernel.txt               kernel messages of no variant
 *   VARIANT/events.jsonl     its events, as they came
 *   VARIANT/result.json      its verdict; missing when it got none
 *   VARIANT/kernel.txt       kernel messages of its time
 *   VARIANT/log-HOST.txt     what its agents wrote to stderr
 *
 * A folder that is there is used again; what an earlier run left of the same
 * variants goes, and so does its summary. Everything else in it stays.
 */
int output_open(struct output **out, const char *dir, struct vbm_error *err);

/* The first error (a full disk) stays: later events are not even tried. */
int output_event(struct output *o, const struct value *event, struct vbm_error *err);
int output_close(struct output *o, struct vbm_error *err);	/* frees @o */

/*
 * The folder of a variant: "data.send,ip=4,mtu=1024" for
 * "data/send[ip=4,mtu=1024]". Different names get different folders; no name
 * leads out of the output folder. Caller frees.
 */
char *output_folder_name(const char *variant);

#endif
