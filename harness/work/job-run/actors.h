/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_RUN_ACTORS_H
#define VBM_JOB_RUN_ACTORS_H

#include "agent/agent.h"
#include "event/emit.h"
#include "plan/plan.h"

struct fabric;
struct resting;
struct programs;
struct serving;

/*
 * The agents of one variant, one for each of its actors. An agent starts with
 * the actor's first item.
 */
struct actors;

/* The parts that the agents of a variant need. Borrowed. */
struct stage {
	struct fabric *fabric;
	const char *target;
	struct serving *services;	/* NULL: none */
	struct programs *programs;	/* NULL: none are started */
	const struct value *env;	/* see struct agent_options */
	struct resting *resting;	/* NULL: each agent serves this variant only */
	bool all_packets;	/* tell the packets of variants that pass, too */
};

struct actors *actors_new(const struct variant *v, const struct stage *stage);

/* Whether the actor's agent has started. */
bool actors_has(const struct actors *a, int actor);

/*
 * Returns the actor's agent, and starts it if necessary. Borrowed; NULL and @err if it
 * cannot be started.
 */
struct agent *actors_get(struct actors *a, int actor, struct vbm_error *err);

/* Remembers the actor's last step, for the report of a failure. @result may be NULL. */
void actors_note(struct actors *a, const struct item *item, const struct value *result);
void actors_emit_last(const struct actors *a, struct emitter *emit);

/*
 * Ends all agents and their programs, and emits their stderr. @keep: the variant passed, so its agents may
 * stay for the next one.
 */
void actors_free(struct actors *a, bool keep, struct emitter *emit);

/*
 * A new event of @kind at the time @at_ns, with the members that every event about an
 * item has.
 */
struct value *item_event(struct emitter *emit, const char *kind, const struct variant *v,
			 const struct item *item, int64_t at_ns);

/* The members "result" (null when @result is NULL) and "text" of a step or last event. */
void item_event_set_result(struct value *event, const struct item *item,
			   const struct value *result);

#endif
