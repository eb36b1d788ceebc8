/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COMPILE_SCENARIO_H
#define VBM_COMPILE_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "base/diag.h"
#include "base/value.h"
#include "plan/plan.h"

/*
 * The compiler: a scenario file becomes variants of a plan, which contain no
 * variables, repetitions or fragments. Pure: the caller's function reads the
 * files of fragments.
 */
#define SCENARIO_HOSTS_MAX 26		/* hosts that steps can name: a to z */
#define SCENARIO_MESH_MAX 64		/* hosts beyond z only share the switch */
#define SCENARIO_ROUTED_MIN 2
#define SCENARIO_ROUTED_MAX 16		/* hosts, each with a network, around one router */
#define SCENARIO_VARIANTS_MAX 1024
#define SCENARIO_ITEMS_MAX 10000	/* in one variant */
#define SCENARIO_FILE_ITEMS_MAX 200000	/* in all variants of a file */
#define SCENARIO_VISITS_MAX (2 * SCENARIO_FILE_ITEMS_MAX)	/* steps and rounds, also those with errors */
#define SCENARIO_ROUNDS_MAX 4096	/* in one repeat: */
#define SCENARIO_NEEDS_MAX 64		/* conditions in requires: */
#define SCENARIO_NESTED_MAX 8		/* levels of fragments in fragments */

/* The file of a fragment: its text, or the tree if the file was read before. */
struct fragment_file {
	char *path;			/* owned; for messages only */
	char *text;			/* owned, or NULL */
	size_t len;
	const struct value *tree;	/* borrowed, or NULL; from yaml_read() */
};

/* Reads the fragment @name. The caller frees the members of @file. */
struct fragment_source {
	int (*read)(void *arg, const char *name, struct fragment_file *file,
		    struct vbm_error *err);
	void *arg;
};

/*
 * The values of the variable "connects" in fragments, whose queue pairs ibv_modify_qp(3) or rdma_cm connects, and of
 * "moves", what moves them from state to state: for iWARP rdma_cm does it by itself.
 */
#define CONNECTS_BY_HAND "modify_qp"
#define CONNECTS_BY_CM "rdma_cm"

struct device_type;

/* NULL: the default type. */
const char *compile_connects(const struct device_type *device);

struct scenario_input {
	const char *path;	/* as the user gave it; for messages only */
	const char *id;		/* "resolve/ud-with-tcp" */
	const char *text;
	size_t len;
	const struct fragment_source *fragments;	/* NULL: there are none */
	const char *connects;	/* how queue pairs of the devices are connected: CONNECTS_*; NULL: the first */
	const char *chosen;	/* how fragments connect queue pairs; NULL: as @connects */
	bool clause_optional;	/* true outside the suite that is shipped */
};

struct scenario {
	char *path, *id, *title;	/* owned */
	char **clauses;		/* owned; the clauses of all variants */
	struct pos *clause_pos;	/* owned; the position that names each clause */
	size_t clause_count;
	struct plan plan;	/* its variants, numbered from 0 */
};

/*
 * Returns 0 and *@out, or -EINVAL with at least one diagnostic. Warnings are
 * added to the diagnostics in both cases.
 */
int scenario_parse(struct scenario **out, const struct scenario_input *in,
		   struct diagnostics *diag);
void scenario_free(struct scenario *s);

/*
 * Adds the errors of the fragment @in that do not depend on the values of its
 * parameters. Does not read @in->id.
 */
void fragment_check(const struct scenario_input *in, struct diagnostics *diag);

/*
 * The documentation in a fragment: a map with "fragment" (its title) and
 * "parameters" (a list of maps: name, default, doc, required). NULL and
 * diagnostics when @text is not a fragment.
 */
struct value *fragment_describe(const char *text, size_t len, struct diagnostics *diag);

/* Generators for "cases: {from: NAME}"; ends with a NULL name. */
struct case_generator {
	const char *name;
	const char *doc;	/* one sentence, and the variables of a row */
	struct value *(*rows)(void);	/* a list of maps; the caller owns it */
};

extern const struct case_generator case_generators[];

/* Whether @s can be the name of a variable or of "as:": [a-z_][a-z0-9_]*, and short enough. */
bool scenario_is_name(const char *s);

#endif
