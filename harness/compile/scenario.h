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
 * The compiler: a scenario file becomes variants of a plan, in which nothing is
 * left to expand. Pure: files of fragments are read by the caller's function.
 */
#define SCENARIO_HOSTS_MAX 26		/* that steps can name: a to z */
#define SCENARIO_MESH_MAX 64		/* those beyond z only share the switch */
#define SCENARIO_VARIANTS_MAX 1024
#define SCENARIO_ITEMS_MAX 10000	/* of one variant */
#define SCENARIO_FILE_ITEMS_MAX 200000	/* of all variants of a file */
#define SCENARIO_VISITS_MAX (2 * SCENARIO_FILE_ITEMS_MAX)	/* with steps that are wrong */
#define SCENARIO_ROUNDS_MAX 4096	/* of one repeat: */
#define SCENARIO_NEEDS_MAX 64		/* conditions on the place */
#define SCENARIO_NESTED_MAX 8		/* fragments in fragments */

/* A fragment's file: its text, or, where that was read before, what it says. */
struct fragment_file {
	char *path;			/* owned; only named */
	char *text;			/* owned, or NULL */
	size_t len;
	const struct value *tree;	/* borrowed, or NULL; of yaml_read() */
};

/* Who reads the fragment @name; the caller calls fragment_file_fini(). */
struct fragment_source {
	int (*read)(void *arg, const char *name, struct fragment_file *file,
		    struct vbm_error *err);
	void *arg;
};

void fragment_file_fini(struct fragment_file *file);

struct scenario_input {
	const char *path;	/* as the user gave it; only named */
	const char *id;		/* "resolve/ud-with-tcp" */
	const char *text;
	size_t len;
	const struct fragment_source *fragments;	/* NULL: there are none */
	bool clause_optional;	/* outside the tree that ships */
};

struct scenario {
	char *path, *id, *title;	/* owned */
	char **clauses;		/* owned; of all variants */
	struct pos *clause_pos;	/* owned; where each of them is named */
	size_t clause_count;
	struct plan plan;	/* its variants, numbered from 0 */
};

/*
 * On success 0 and *@out; else -EINVAL and at least one diagnostic. Warnings
 * are among the diagnostics' warnings either way.
 */
int scenario_parse(struct scenario **out, const struct scenario_input *in,
		   struct diagnostics *diag);
void scenario_free(struct scenario *s);

/*
 * What is wrong with the fragment @in whatever its parameters stand for;
 * @in->id is not read.
 */
void fragment_check(const struct scenario_input *in, struct diagnostics *diag);

/*
 * What a fragment documents of itself: a map with "fragment" (its title) and
 * "parameters" (a list of maps: name, default, doc, required). NULL and
 * diagnostics when @text is no fragment.
 */
struct value *fragment_describe(const char *text, size_t len, struct diagnostics *diag);

/* Generators for "cases: {from: NAME}"; ends with a NULL name. */
struct case_generator {
	const char *name;
	const char *doc;	/* one sentence, and the variables of a row */
	struct value *(*rows)(void);	/* a list of maps; the caller owns it */
};

extern const struct case_generator case_generators[];

/* [a-z_][a-z0-9_]*, short enough: what "as:" and variables may be called. */
bool scenario_is_name(const char *s);

#endif
