/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_REPORT_FACTS_H
#define VBM_REPORT_FACTS_H

struct text;
struct value;

/* The members of a summary that say where a run was. */
#define REPORT_FACTS 8
extern const char *const report_facts[REPORT_FACTS];

/* Adds ", device siw" to a line about the place of a run, unless the devices are of the default type. */
void report_add_device(struct text *line, const struct value *summary);

#endif
