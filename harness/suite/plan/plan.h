/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PLAN_PLAN_H
#define VBM_PLAN_PLAN_H

/*
 * Runs in: any process, in the thread of the caller; no state of its own.
 * Owns:    the values that it returns belong to the caller.
 * Ends:    with the call.
 * Tests:   unit/test_plan, test_expect, test_env, test_fit; fuzz/fuzz_plan.
 */

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "base/strlist.h"
#include "base/value.h"
#include "step/step.h"

/*
 * The plan: the scenario files after every repetition, case and fragment was
 * expanded. The compiler makes it, the front end hands its variants to runners,
 * the runner executes them, and reports name them. docs/plan.md describes its JSON.
 */

/* The position at which an item was written. */
struct origin {
	struct pos pos;			/* in the file of the scenario */
	char *fragment;			/* owned; the fragment's file, or NULL */
	struct pos fragment_pos;	/* in the fragment's file */
	char *round;			/* owned; "i=3, h=b" of repeat:, or NULL */
};

/* How an item ends well. */
enum item_mode {
	ITEM_ANSWER,		/* the call returns, and @expect holds */
	ITEM_NOTHING,		/* nothing happens until the deadline */
	ITEM_UNTIL,		/* the call is repeated until @expect holds */
};

#define DEATH_UNSAID (-1)	/* the file says nothing: a crash is a failure */
#define DEATH_NONE 0		/* the call must not crash; the verdict is FAIL if it does */

struct item {
	struct origin origin;
	int actor;			/* index in the variant's actors */
	const struct step_kind *kind;	/* borrowed */
	struct value *args;		/* owned; map */
	struct value *expect;		/* owned; map, or NULL: "return" must be kind->ok */
	enum item_mode mode;
	int death;			/* DEATH_*, or the signal that must kill the actor */
	char *as;			/* owned; NULL: the result is dropped */
	char *note;			/* owned, or NULL */
	int deadline_ms;		/* not scaled by the factor */
	int group;			/* 0: alone; items of one group are posted together */
	int either;			/* 0: none; items of one either: follow one another */
	struct value *outcomes;		/* owned; of an either: a list with one entry for each outcome: a
					 * map of expectations, null (succeeds), or false (ended) */
};

/* A process that executes items. */
struct actor {
	char name[16];		/* "a", "a.1", or "wire" */
	int host;		/* 0 is host a; ACTOR_WIRE: no host */
	int number;		/* of the process on its host, from 0 */
};

#define ACTOR_WIRE (-1)
#define ACTORS_PER_HOST 8	/* a, a.1 ... a.7 */

struct device_words;
struct variant {
	size_t number;		/* position in its plan */
	char *name;		/* owned; "data/send[ip=6,mtu=1024]" or the id */
	char *id, *title, *path;	/* owned */
	struct value *clauses;	/* owned; list of ids */
	struct value *specs;	/* owned; list of citations */
	struct value *needs;	/* owned; list of texts for require_parse() */
	int hosts;
	bool routed;		/* each host is in a network of its own, and a router connects them */
	uint64_t scripted;	/* a bit for each host without a device, whose packets the steps make */
	struct device_words *devices;	/* owned; NULL: the hosts have those of the run */
	int ip;			/* the family of $a.ip: 4 or 6 */
	struct value *services;	/* owned; key of the head -> its value in the file */
	struct value *known;	/* owned; known failures, after which the variant goes on; or NULL */
	char *crashes;		/* owned; the finding because of which the variant may crash a kernel that must live; or NULL */
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

/* The index of actor @host.@number. Adds the actor if it is missing. */
int variant_actor(struct variant *v, int host, int number);

/*
 * The longest time that an item, or a group of items that run at the same time, may take, in
 * milliseconds before scaling. In this time a runner has nothing to report.
 */
int variant_longest_ms(const struct variant *v);

/* Whether a step of it changes the fabric. Other variants cannot use that fabric afterwards. */
bool variant_disturbs(const struct variant *v);

/*
 * Whether a step of it starts a program of the machine. Then its hosts are hosts
 * for programs (fabric/host-ns.h), which see the machine's files.
 */
bool variant_wants_programs(const struct variant *v);

/*
 * Whether its processes may serve other variants before and after it: whatever its steps make there ends
 * with the objects of the steps.
 */
bool variant_shares_processes(const struct variant *v);

/* Collects the commands that these steps start, as a person writes them: "./server", "sh -c 'exit 1'". */
void variant_programs(const struct variant *v, struct string_list *out);

/*
 * Converts one variant to the JSON that docs/plan.md describes, and back. The
 * caller owns the value. -EINVAL and the reason when it is not a variant.
 */
struct value *variant_to_value(const struct variant *v);
int variant_from_value(struct variant *out, const struct value *v, struct vbm_error *err);

/*
 * For the reader of the JSON. variant_check() looks for contradictions that the
 * types of the members allow. sound_members_check() looks for members of @map whose
 * name is not in @known, which ends with a NULL name, or that have another type; a
 * member of the type VALUE_NULL may have any. -EINVAL with @err.
 */
struct plan_member {
	const char *name;
	enum value_type type;
};

int variant_check(const struct variant *v, struct vbm_error *err);
int sound_members_check(const struct value *map, const struct plan_member *known, struct vbm_error *err);

#define PLAN_FORMAT 1

/* A whole plan: a map with "verbatim-plan" and "variants". */
struct value *plan_to_value(const struct plan *plan);
int plan_from_value(struct plan *out, const struct value *v, struct vbm_error *err);

#endif
