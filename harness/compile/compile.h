/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COMPILE_COMPILE_H
#define VBM_COMPILE_COMPILE_H

#include "compile/scenario.h"
#include "compile/scope.h"
#include "plan/fit.h"

/*
 * What the compiler's files share; nobody else includes this.
 *
 * A step may be made of steps, and it may use a fragment, whose steps may be such again. So
 * constructs.c and fragment.c call each other; all other files call downwards only.
 */

/* Variables, innermost first. A fragment sees its parameters and nothing above. */
struct vars {
	const char *name;		/* borrowed */
	const struct value *value;	/* borrowed; NULL: a parameter that was not given */
	bool *used;			/* borrowed, or NULL */
	bool given;			/* by the user of the fragment, not by default */
	bool round;			/* of "repeat:" */
	bool wall;			/* what is above cannot be seen */
	const struct vars *up;
};

struct fragment {
	char *name;		/* owned */
	char *path;		/* owned */
	int file;		/* of its positions */
	struct value *root;	/* owned; NULL: it cannot be used */
};

struct row {
	struct value *vars;		/* owned; map */
	const char *label;		/* borrowed, or NULL */
	const struct value *clause, *spec, *requires;	/* borrowed, or NULL */
	struct pos pos;
};

/* What the parts of the file came to: substance.c. */
enum substance_kind {
	SUBSTANCE_VALUE,	/* of a condition of "when:" */
	SUBSTANCE_GIVEN,	/* {given: ...} there */
	SUBSTANCE_WHEN,		/* all of it */
	SUBSTANCE_NAME,		/* of "as:" */
	SUBSTANCE_ROUNDS,	/* of "repeat:" */
	SUBSTANCE_STEP,
	SUBSTANCE_KINDS
};

struct substance_note {
	enum substance_kind kind;
	const struct value *part;	/* borrowed from the file */
	const char *name;		/* borrowed; the variable, or NULL */
	bool something;			/* once at least */
};

struct substance {
	struct substance_note *note;	/* owned; in the order they were met */
	size_t count;
	size_t *slot;			/* owned; by part: 1 + its index, or 0 */
	size_t slot_count;
	size_t empty_variants;
	char *empty;			/* owned; the name of the first, or NULL */
};

/* "as:" of a step of the scenario's own: unused.c. */
struct named {
	const struct value *part;	/* borrowed from the file */
	char *as;			/* owned */
	const struct step_kind *kind;	/* borrowed */
};

struct compiler {
	const struct scenario_input *in;
	struct scenario *s;
	struct diagnostics *diag;
	struct value *root;		/* owned; the file */
	struct value *rows_from;	/* owned; of a generator, or NULL */
	struct row *rows;		/* owned */
	size_t row_count;
	struct fragment *fragments;	/* owned */
	size_t fragment_count;
	struct value *used;		/* owned; map: names of the variables that are used */
	size_t items;			/* of all variants so far */
	size_t visits;			/* of steps and rounds, with those that come to nothing */
	struct substance substance;
	bool overflow;			/* said that there are too many */

	/* Of the variant in hand. */
	struct variant *v;
	struct scope scope;
	const struct vars *vars;
	struct named *named;		/* owned */
	size_t named_count;
	struct origin origin;		/* strings borrowed */
	const struct fragment *fragment;	/* whose steps these are, or NULL */
	int groups, eithers;		/* numbers given so far */
	int group, depth;		/* of what is being expanded */
	/* By actor: the step that ended its process; line 0 while it lives. */
	struct pos ended[SCENARIO_HOSTS_MAX * ACTORS_PER_HOST + 1];
};

/* scalar.c: single values of the file. NULL and a diagnostic: @v is not a text, or empty. */
const char *scalar_text(struct compiler *c, const char *key, const struct value *v);
bool scalar_is_one_of(const struct value *list, const struct value *v);

/* vars.c: variables and the values that have them */
const struct vars *vars_find(const struct compiler *c, const char *name);
/* Every reference to a variable is replaced; others become VALUE_EXPR. */
bool expand_value(struct compiler *c, struct value **slot);
/* The text of a key such as "$from.open_device"; NULL and a diagnostic. */
char *expand_key(struct compiler *c, const struct value_member *m);

/* fragment.c */
/* Whether @root is a fragment, as far as its own keys and parameters go. */
bool fragment_shape(struct diagnostics *diag, const struct value *root);
const struct fragment *fragment_find(struct compiler *c, const char *name, struct pos pos);
void expand_use(struct compiler *c, const struct value *use);
/* "qps: {q: {...}}": the fragment once for each name. */
void expand_instances(struct compiler *c, const struct value_member *head);
bool fragment_exists(struct compiler *c, const char *name);

/* rows.c */
bool rows_make(struct compiler *c);
void rows_fini(struct compiler *c);
char *row_name(const struct compiler *c, const struct row *row);

/*
 * One more step or round is looked at. False when there were so many that the
 * file is refused: also one of steps that are all wrong comes to an end.
 */
bool compiler_visits(struct compiler *c, struct pos pos);

/* steps.c: one item of a list of steps */
void expand_steps(struct compiler *c, const struct value *list, const char *key);
void expand_call(struct compiler *c, const struct value *step);
/* The one key HOST.CALL of a step, or NULL; keys that it cannot have are reported. */
const struct value_member *step_call(struct compiler *c, const struct value *step);
const struct step_kind *step_kind_at(struct compiler *c, const char *name, struct pos pos);
bool step_wanted(struct compiler *c, const struct value *step);

/* substance.c: @part of the file was looked at, and came to something or not. */
void substance_note(struct compiler *c, enum substance_kind kind, const struct value *part,
		    const char *name, bool something);
/* The variant's steps were expanded; there were @before items before them. */
void substance_of_variant(struct compiler *c, size_t before);
/* Errors for what came to nothing everywhere, once all variants are made. */
void substance_check(struct compiler *c);
void substance_fini(struct compiler *c);

/* unused.c: a step of the scenario's own has "as: @part". */
void unused_note_name(struct compiler *c, const struct value *part, const struct item *item);
/* The variant is complete: which of its names it refers to. */
void unused_of_variant(struct compiler *c);

/* Each parameter of a fragment is read by its steps, or by another's default. */
bool unused_parameters(struct diagnostics *diag, const struct value *root);

/* constructs.c: repeat, together, either */
/* Whether @step is made of steps; then keys that it cannot have are reported. */
bool construct_keys(struct compiler *c, const struct value *step);
void expand_repeat(struct compiler *c, const struct value *step);
void expand_together(struct compiler *c, const struct value *step);
void expand_either(struct compiler *c, const struct value *step);

/* head.c */
bool head_is_key(const char *name);

/* head-names.c: dns, hosts, services, resolv, acm */
void check_services(struct compiler *c);
void check_services_used(struct compiler *c);

/* group.c: a group's items from @from on are there; @said: the diagnostics before it. */
void group_check(struct compiler *c, size_t from, struct pos pos, size_t said);

void compile_fini(struct compiler *c);

#endif
