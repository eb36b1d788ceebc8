/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_STEP_STEP_H
#define VBM_STEP_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include <verbatim/error.h>

#include "fabric/fabric.h"
#include "names/consts.h"

struct step_ctx;
struct value;

/*
 * The step vocabulary. One line of a family's table describes a step wholly:
 * the scenario checker, the JSON schema, the man page section, "verbatim list
 * --steps" and the agent all read it. docs/adding-a-step.md names all that a new
 * step and a new family touch.
 */
enum param_type {
	PARAM_INT,	/* integer within [min, max] when max > min */
	PARAM_BOOL,
	PARAM_STRING,	/* any scalar text; null means the C argument NULL */
	PARAM_CONST,	/* a name of @set, or an integer; arrives as an int */
	PARAM_FLAGS,	/* a list of names of @set or ints; arrives or-ed */
	PARAM_OBJECT,	/* the name ("as:") of an object of @object made on
			 * this host by an earlier step */
	PARAM_ADDRESS,	/* "IP" or "IP:PORT"/"[IP6]:PORT"; arrives as string */
	PARAM_BYTES,	/* a text or {hex: ...}, of at most @max bytes when there
			 * is one; arrives as such, for arg_bytes() */
	PARAM_LIST,	/* a list whose items are maps of @sub */
	PARAM_TEXTS,	/* a list of scalars; they arrive as texts */
};

enum object_kind {
	OBJECT_NONE,
	OBJECT_DEVICE_LIST,
	OBJECT_CONTEXT,		/* struct ibv_context */
	OBJECT_PD,
	OBJECT_CQ,
	OBJECT_MR,
	OBJECT_QP,
	OBJECT_AH,
	OBJECT_SRQ,
	OBJECT_MW,
	OBJECT_ADDRINFO,	/* struct rdma_addrinfo list */
	OBJECT_CHANNEL,		/* struct rdma_event_channel */
	OBJECT_CM_ID,		/* struct rdma_cm_id */
	OBJECT_RESOLVER,	/* an identifier that resolves asynchronously */
	OBJECT_EVENT,		/* struct rdma_cm_event not yet acknowledged */
	OBJECT_ASYNC_EVENT,	/* struct ibv_async_event not yet acknowledged */
	OBJECT_COMP_CHANNEL,	/* struct ibv_comp_channel */
	OBJECT_MANY,		/* many things of one kind */
	OBJECT_PROGRAM,		/* a program that was started */
};

/* What a text has to be; of a list of texts the first. */
enum text_form {
	TEXT_ANY,
	TEXT_SOME,	/* a character at least */
	TEXT_REGEX,	/* an extended regular expression that does not match everything */
};

struct param {
	const char *name;
	enum param_type type;
	enum text_form form;		/* STRING and TEXTS */
	const struct const_set *set;	/* CONST and FLAGS */
	enum object_kind object;	/* OBJECT */
	const struct param *sub;	/* LIST: ends with a NULL name */
	bool required;
	bool u64;		/* INT: an unsigned number of 64 bits, as a pattern */
	int64_t min, max;
	const char *doc;	/* one sentence with unit and default */
};

enum field_type {
	FIELD_INT,
	FIELD_BOOL,
	FIELD_STRING,
	FIELD_CONST,	/* int with names from @set */
	FIELD_FLAGS,
	FIELD_BYTES,	/* of bytes_to_value() */
	FIELD_LIST,	/* a list of maps of @sub */
};

struct field {
	const char *name;
	enum field_type type;
	const struct const_set *set;
	const struct field *sub;	/* LIST: ends with a NULL name */
	bool u64;		/* INT: an unsigned number of 64 bits, as a pattern */
	const char *doc;
};

/* An object that a step makes beside the one "as:" names: AS_SUFFIX. */
struct step_also {
	const char *suffix;		/* "qp": "as: ep" also names ep_qp */
	enum object_kind kind;
};

struct step_kind {
	const char *name;		/* as scenarios write it: "create_qp" */
	const char *call;		/* what it calls: "ibv_create_qp(3)" */
	const char *doc;		/* one sentence */
	const struct param *params;	/* ends with a NULL name; may be NULL */
	const char *const *one_of;	/* parameters of which one is given, and no two; may be NULL */
	const struct field *fields;	/* ends with a NULL name */
	enum object_kind makes;		/* what "as:" names; OBJECT_NONE: record */
	const struct step_also *also;	/* ends with a NULL suffix; may be NULL */
	int64_t ok;			/* "return" expected when no expect says so */
	bool waits;			/* may wait: honours the deadline */
	int deadline_ms;		/* see step_deadline_ms(); 0: the usual */
	bool query;			/* changes nothing: until: may repeat it */
	bool by_runner;			/* carried out by the runner, not by an agent */
	bool disturbs;			/* changes the fabric: no other scenario gets it then */
	bool starts_program;		/* of the machine: see variant_wants_programs() */
	const char *needs;		/* capability the step needs, or NULL */

	/*
	 * Runs in the agent, in its host's namespace. @args has only known
	 * parameters, of the arriving types above. Fills the map @result
	 * ("return" and "errno" first, where the call has them). Returns 0
	 * when the call was made, whatever it answered; a negative errno with
	 * @err when the step could not be carried out at all. -ETIMEDOUT is
	 * what the thing under test is blamed for: see waited_in_vain().
	 */
	int (*run)(struct step_ctx *ctx, const struct value *args,
		   struct value *result, struct vbm_error *err);
};

struct step_family {
	const char *name;		/* "qp" */
	const char *doc;
	const struct step_kind *steps;	/* ends with a NULL name */
};

extern const struct step_family *const step_families[];	/* in call/families.c; NULL-terminated */

/* NULL when there is none. */
const struct step_kind *step_find(const char *name);
const char *step_suggest(const char *name);

/*
 * How long a step may take that says nothing about it, before the clock's
 * factor: what a call or a wait of its kind takes at most when all is well.
 */
#define STEP_DEADLINE_MS 2000
int step_deadline_ms(const struct step_kind *kind);

/*
 * What a step without "as:" calls the object it makes ("qp"), and what a
 * parameter that names no object means; where no object has that name, the
 * only one of its kind is meant. NULL for OBJECT_NONE.
 */
const char *step_default_name(enum object_kind kind);
const char *step_object_kind_name(enum object_kind kind);	/* "queue pair" */

struct numbering;
struct objects;
struct program_home;

/* One step's view of its agent. */
struct step_ctx {
	const struct host_info *host;
	const struct target *target;
	struct objects *objects;
	struct numbering *numbering;	/* what other hosts do not have */
	const struct program_home *programs;	/* NULL: it cannot start any */
	const char *as;			/* NULL when the step names nothing */
	int64_t deadline_ns;		/* clock_now_ns() terms */
	int64_t began_ns;		/* see call_begins() */
	bool in_vain;			/* see waited_in_vain() */
	int answer_fd;			/* the runner; only "garble" needs it */
	int dns_log_fd, dns_pidfd;	/* the name server; -1: none (see agent.h) */
	int acm_log_fd, acm_control_fd;	/* the path service; -1: none */
};

#endif
