/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SESSION_EXEC_RULES_H
#define VBM_SESSION_EXEC_RULES_H

#include <stddef.h>

struct text;
struct value;

/*
 * The file of --wire: a list of steps that make rules for packets, as a scenario has them. Pure. Returns lines
 * "rule" for the job, which the caller owns; or NULL, and the mistakes are in *@errors, a line each, which the
 * caller frees.
 */
struct value *exec_rules_read(const char *text, size_t len, const char *path, int hosts, char **errors);

/* Adds an event "rule" as a line: "b.drop_packets (wire.yaml:1) acted on 1 of 20 packets". */
void exec_rules_note(const struct value *event, const char *path, struct text *out);

#endif
