/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COMPILE_COMPILE_H
#define VBM_COMPILE_COMPILE_H

/*
 * Runs in: any process, in the thread of the caller; no state of its own.
 * Owns:    the values that it returns belong to the caller.
 * Ends:    with the call.
 * Tests:   unit/test_scenario; tests/cli/check.test; fuzz/fuzz_scenario; tests/guest/language.test.
 */

#include "base/diag.h"
#include "compile/scenario.h"
#include "plan/fit.h"
#include "plan/plan.h"

/*
 * The declarations that the files of the compiler share. No other room includes this header.
 *
 * A step may contain steps, and it may use a fragment, whose steps may do the same. So
 * constructs.c and fragment.c call each other. All other files only call downwards.
 */

/* The names that a step can use: the hosts, and what earlier steps made. */
struct scope_name {
	int actor;
	char *as;			/* owned */
	enum object_kind object;	/* OBJECT_NONE: there is only a result */
	const struct step_kind *kind;	/* borrowed; NULL: there is no result */
	struct pos pos;
};

struct scope {
	struct variant *variant;	/* borrowed */
	int hosts;			/* hosts that steps can name */
	int actor;			/* the actor whose step is being checked */
	struct scope_name *name;	/* owned */
	size_t count;
};

/* scope.c */
void scope_fini(struct scope *scope);

/* Forgets all names after the first @count. */
void scope_cut(struct scope *scope, size_t count);

/* Defines @as and the objects that the step makes along with it. Without @record there is no result to refer to. */
void scope_define(struct scope *scope, int actor, const char *as, const struct step_kind *kind,
		  struct pos pos, bool record);

/* The index in the variant of actor "a", "a.1" or "wire"; -1 and a diagnostic. */
int scope_actor(struct scope *scope, const char *name, size_t len, struct pos pos,
		struct diagnostics *diag);

/* For struct fit_scope; @arg is the scope. */
enum fit_kind scope_kind_of(void *arg, const struct value *v, struct diagnostics *diag);
void scope_object(void *arg, const struct param *param, const struct value *v,
		  struct diagnostics *diag);

/* Variables, innermost first. The steps of a fragment see only its parameters. */
struct vars {
	const char *name;		/* borrowed */
	const struct value *value;	/* borrowed; NULL: a parameter without a value */
	bool *used;			/* borrowed, or NULL */
	bool given;			/* the use of the fragment gives it; it is not the default */
	bool round;			/* the variable of a "repeat:" */
	bool hides_outer;		/* variables further out are not visible */
	const struct vars *up;
};

struct fragment {
	char *name;		/* owned */
	char *path;		/* owned */
	int file;		/* number of the file in positions */
	struct value *root;	/* owned; NULL: the file has errors */
};

struct row {
	struct value *vars;		/* owned; map */
	const char *label;		/* borrowed, or NULL */
	const struct value *clause, *spec, *requires;	/* borrowed, or NULL */
	struct pos pos;
};

/* Parts of the file that can have no effect: effect.c. */
enum effect_kind {
	EFFECT_VALUE,		/* a value in a condition of "when:" */
	EFFECT_GIVEN,		/* a {given: ...} in a condition */
	EFFECT_WHEN,		/* a whole "when:" */
	EFFECT_NAME,		/* the name of an "as:" */
	EFFECT_ROUNDS,		/* the rounds of a "repeat:" */
	EFFECT_STEP,
	EFFECT_KINDS
};

struct effect_note {
	enum effect_kind kind;
	const struct value *part;	/* borrowed from the file */
	const char *name;		/* borrowed; the variable, or NULL */
	bool had_effect;		/* it had an effect at least once */
};

struct effects {
	struct effect_note *note;	/* owned; in the order in which the compiler reads them */
	size_t count;
	size_t *slot;			/* owned; a hash table of parts: 1 + the index of a note, or 0 */
	size_t slot_count;
	size_t empty_variants;
	char *empty;			/* owned; the name of the first empty variant, or NULL */
};

/* The "as:" of a step that stands in the scenario's file, not in a fragment: unused.c. */
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
	struct value *rows_from;	/* owned; rows that a generator made, or NULL */
	struct row *rows;		/* owned */
	size_t row_count;
	struct fragment *fragments;	/* owned */
	size_t fragment_count;
	struct value *used;		/* owned; map: names of the variables that are used */
	size_t items;			/* of all variants so far */
	size_t visits;			/* steps and rounds, also those that add no item */
	struct effects effects;
	bool overflow;			/* the diagnostic about too many items was given */

	/* About the variant that is being compiled. */
	struct variant *v;
	struct scope scope;
	const struct vars *vars;
	struct named *named;		/* owned */
	size_t named_count;
	struct origin origin;		/* strings borrowed */
	const struct fragment *fragment;	/* the fragment that these steps stand in, or NULL */
	int groups, eithers;		/* the last numbers that were used */
	int group, depth;		/* of the steps that are being expanded */
	/* For each actor: the step that ended its process; line 0 while the process lives. */
	struct pos ended[SCENARIO_HOSTS_MAX * ACTORS_PER_HOST + 1];
};

/* scalar.c: single values of the file. NULL and a diagnostic when @v is not a text or is empty. */
const char *scalar_text(struct compiler *c, const char *key, const struct value *v);
bool scalar_is_one_of(const struct value *list, const struct value *v);

/* vars.c: variables, and the values that use them. In a fragment vars_find() also finds "connects": see CONNECTS_BY_HAND. */
const struct vars *vars_find(const struct compiler *c, const char *name);
/* Replaces each reference to a variable. Other references become VALUE_EXPR. */
bool compile_expand_value(struct compiler *c, struct value **slot);
/* The text of a key such as "$from.open_device"; NULL with a diagnostic. */
char *compile_expand_key(struct compiler *c, const struct value_member *m);

/*
 * scalar.c: expectations whose value depends on the hosts' devices. Replaces each
 * {connects: {modify_qp: VALUE, rdma_cm: VALUE}} below *@slot by one of the values.
 */
void compile_choose_by_device(struct compiler *c, struct value **slot);

/* fragment.c */
/* Whether @root has the keys and parameters of a fragment. */
bool fragment_shape(struct diagnostics *diag, const struct value *root);
void compile_expand_use(struct compiler *c, const struct value *use);
/* "qps: {q: {...}}": expands the fragment once for each name. */
void compile_expand_instances(struct compiler *c, const struct value_member *head);
bool fragment_exists(struct compiler *c, const char *name);

/* rows.c */
bool rows_make(struct compiler *c);
void rows_fini(struct compiler *c);
char *row_name(const struct compiler *c, const struct row *row);

/*
 * Counts one more step or round. Returns false when there were too many, and the
 * file is refused. So the compiler also ends when all steps are wrong.
 */
bool compiler_visits(struct compiler *c, struct pos pos);

/* group.c: adds the steps that look at the end whether others had an effect. */
void compile_add_ends(struct compiler *c);

/* steps.c: one item of a list of steps */
void compile_expand_steps(struct compiler *c, const struct value *list, const char *key);
void compile_expand_call(struct compiler *c, const struct value *step);
/* The one key HOST.CALL of a step, or NULL. Reports keys that a step cannot have. */
const struct value_member *step_call(struct compiler *c, const struct value *step);
const struct step_kind *step_kind_at(struct compiler *c, const char *name, struct pos pos);
/* The conditions of a step "requires:" become conditions of the variant. */
void compile_expand_requires(struct compiler *c, const struct value *step);

/*
 * abilities.c: the next ability of the device that a step with these arguments needs; NULL: no further one.
 * *@next is 0 before the first call. Pure.
 */
const char *abilities_of_step(const char *step, const struct value *args, size_t *next);

/* scalar.c: whether a scenario may have the condition @text; if not, a diagnostic says why. */
bool compile_is_need(struct compiler *c, const char *text, struct pos pos);
bool step_wanted(struct compiler *c, const struct value *step);

/* effect.c: notes that the compiler looked at @part, and whether @part had an effect. */
void effect_note(struct compiler *c, enum effect_kind kind, const struct value *part,
		    const char *name, bool had_effect);
/* The steps of the variant were expanded. @before is the number of items before them. */
void effect_of_variant(struct compiler *c, size_t before);
/* After all variants: adds an error for each part that had no effect in any of them. */
void effect_check(struct compiler *c);
void effect_fini(struct compiler *c);

/* unused.c: notes the "as: @part" of a step that stands in the scenario's file. */
void unused_note_name(struct compiler *c, const struct value *part, const struct item *item);
/* The variant is complete: marks those of its names that it refers to. */
void unused_of_variant(struct compiler *c);

/* Whether each parameter of a fragment is read by its steps or by a later default. */
bool unused_parameters(struct diagnostics *diag, const struct value *root);

/* constructs.c */
/* Whether @step contains steps. Then reports keys that it cannot have. */
bool construct_keys(struct compiler *c, const struct value *step);

/* head-services.c: dns, hosts, services, resolv, acm */
void compile_check_services(struct compiler *c);
void compile_check_services_used(struct compiler *c);

/* group.c: the items of a group begin at @from. @said: how many diagnostics there were before. */
void group_check(struct compiler *c, size_t from, struct pos pos, size_t said);

/* group.c: warns about limits of time in the variant that a busy machine exceeds. */
void compile_check_busy(struct compiler *c);

void compile_fini(struct compiler *c);

#endif
