/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SESSION_EXEC_WIRE_H
#define VBM_SESSION_EXEC_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* The packets on the cables of a run, from its events "wire". Pure. Start with {0}. */
struct exec_wire_host {
	char *name;		/* owned */
	int64_t received;	/* RDMA packets, by its device */
	int64_t arrived;	/* RoCE packets, at its interface */
	bool has_capture;
	int64_t captured, lost;	/* packets of its interface */
	char *cable;		/* owned; the faults of its cable; NULL: none */
	int64_t dropped;	/* packets that it sent, by these faults */
};

struct exec_wire {
	struct exec_wire_host *host;	/* owned */
	size_t count;
};

void exec_wire_add(struct exec_wire *w, const struct value *event);

/* Makes the file wire.tsv. */
void exec_wire_table(const struct exec_wire *w, struct text *out);

/*
 * Makes a line for each thing that the caller would not expect: RDMA packets that stayed
 * on their host, packets that a capture lost.
 */
void exec_wire_notes(const struct exec_wire *w, struct text *out);
void exec_wire_fini(struct exec_wire *w);

#endif
