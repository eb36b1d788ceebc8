/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PLAN_PLAN_H
#define VBM_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "base/strlist.h"
#include "base/value.h"
#include "step/step.h"

/*
 * The plan: what scenario files come to when nothing is left to expand. The
 * compiler makes it, the front end hands its variants to runners, the runner
 * carries them out, reports speak of them. docs/plan.md describes its JSON.
 */

/* Where an item was written. */
struct origin {
	struct pos pos;			/* in the scenario's file */
	char *fragment;			/* owned; the fragment's file, or NULL */
	struct pos fragment_pos;	/* there */
	char *round;			/* owned; "i=3, h=b" of repeat:, or NULL */
};

/* What an item waits for. */
enum item_mode {
	ITEM_ANSWER,		/* the answer, as @expect says */
	ITEM_NOTHING,		/* silence until the deadline */
	ITEM_UNTIL,		/* again and again, until @expect holds */
};

#define DEATH_UNSAID (-1)	/* a death is a failure, as with none */
#define DEATH_NONE 0		/* the call must not crash: FAIL if it does */

struct item {
	struct origin origin;
	int actor;			/* index in the variant's actors */
	const struct step_kind *kind;	/* borrowed */
	struct value *args;		/* owned; map */
	struct value *expect;		/* owned; map, or NULL: "return" must be kind->ok */
	enum item_mode mode;
	int death;			/* DEATH_*, or the signal that must end the actor */
	char *as;			/* owned; NULL: the result is dropped */
	char *note;			/* owned, or NULL */
	int deadline_ms;		/* unscaled */
	int group;			/* 0: alone; items of one group are posted together */
	int either;			/* 0: none; items of one either: follow one another */
	struct value *outcomes;		/* owned; either: a list, for each outcome a map of
					 * expectations, null (succeeds), or false (ended) */
};

/* Who carries items out. */
struct actor {
	char name[16];		/* "a", "a.1", "wire" */
	int host;		/* 0 is host a; ACTOR_WIRE: no host */
	int number;		/* of the process on its host, from 0 */
};

#define ACTOR_WIRE (-1)
#define ACTORS_PER_HOST 8	/* a, a.1 ... a.7 */

struct variant {
	size_t number;		/* in its plan */
	char *name;		/* owned; "data/send[ip=6,mtu=1024]" or the id */
	char *id, *title, *path;	/* owned */
	struct value *clauses;	/* owned; list of ids */
	struct value *specs;	/* owned; list of citations */
	struct value *needs;	/* owned; list of texts for require_parse() */
	int hosts;
	int ip;			/* what $a.ip means: 4 or 6 */
	struct value *services;	/* owned; head key -> what the file says there */
	struct value *known;	/* owned; failures after which it goes on; or NULL */
	struct actor *actors;	/* owned */
	size_t actor_count;
	struct item *items;	/* owned */
	size_t item_count;
};

struct plan {
	struct variant *item;	/* owned */
	size_t count;
};

void item_fini(struct item *item);
void variant_fini(struct variant *v);
void plan_fini(struct plan *plan);

/* The index of actor @host.@number; added when it is not there. */
int variant_actor(struct variant *v, int host, int number);

/* The longest that one item may take, in unscaled milliseconds. */
int variant_longest_ms(const struct variant *v);

/* Whether a step of it changes the fabric, which is of no use to others then. */
bool variant_disturbs(const struct variant *v);

/*
 * Whether a step of it starts a program of the machine: its hosts are those of
 * programs then (fabric/host-ns.h), and see the machine's files.
 */
bool variant_wants_programs(const struct variant *v);

/* What these steps start, as a person would write it: "./server", "sh -c 'exit 1'". */
void variant_programs(const struct variant *v, struct string_list *out);

/*
 * One variant as the JSON that docs/plan.md describes, and back. The caller
 * owns the value. -EINVAL and what is wrong when it is no variant.
 */
struct value *variant_to_value(const struct variant *v);
int variant_from_value(struct variant *out, const struct value *v, struct vbm_error *err);

/*
 * For the reader of the JSON: whether a variant makes sense beyond the types of
 * its members, and whether @map has only members named in @known, which ends
 * with NULL. -EINVAL with @err.
 */
int variant_check(const struct variant *v, struct vbm_error *err);
int members_check(const struct value *map, const char *const *known, struct vbm_error *err);

#define PLAN_FORMAT 1

/* A whole plan: a map with "verbatim-plan" and "variants". */
struct value *plan_to_value(const struct plan *plan);
int plan_from_value(struct plan *out, const struct value *v, struct vbm_error *err);

#endif
