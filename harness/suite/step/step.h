/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_STEP_STEP_H
#define VBM_STEP_STEP_H

/*
 * Runs in: any process, in the thread of the caller; no state of its own.
 * Owns:    the values that it returns belong to the caller.
 * Ends:    with the call.
 * Tests:   unit/test_steps; tests/guest/steps.test.
 */

#include <stdbool.h>
#include <stdint.h>

#include <verbatim/error.h>



struct const_set;
struct host_info;
struct step_ctx;
struct value;

/*
 * The step vocabulary. One line of a family's table describes a step completely.
 * The scenario checker, the JSON schema, the manual page, "verbatim list --steps"
 * and the agent all read it. docs/adding-a-step.md lists the files of a new step
 * and of a new family.
 */
enum param_type {
	PARAM_INT,	/* integer within [min, max] when max > min */
	PARAM_BOOL,
	PARAM_STRING,	/* any scalar text; null means the C argument NULL */
	PARAM_CONST,	/* a name of @set, or an integer; arrives as an int */
	PARAM_FLAGS,	/* a list of names of @set or integers; arrives as one int */
	PARAM_OBJECT,	/* the name ("as:") of an object of @object made on
			 * this host by an earlier step */
	PARAM_ADDRESS,	/* "IP" or "IP:PORT"/"[IP6]:PORT"; arrives as string */
	PARAM_BYTES,	/* a text or {hex: ...}, of at most @max bytes unless @max is 0;
			 * arrives unchanged, for arg_bytes() */
	PARAM_LIST,	/* a list whose items are maps of @sub */
	PARAM_TEXTS,	/* a list of scalars; each arrives as a text */
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
	OBJECT_MANY,		/* many objects of one kind */
	OBJECT_PROGRAM,		/* a program that was started */
	OBJECT_TCP_LISTENER,	/* a listening TCP socket of the handshake steps */
	OBJECT_TCP,		/* a TCP connection of theirs */
	OBJECT_WATCH,		/* a watch of packets */
	OBJECT_RULE,		/* a rule for packets */
};

/* The form that a text must have; in a list of texts, the first one. */
enum text_form {
	TEXT_ANY,
	TEXT_SOME,	/* at least one character */
	TEXT_REGEX,	/* an extended regular expression that does not match everything */
	TEXT_PACKET,	/* each text of a list is a word about packets: codec/pattern.h */
	TEXT_CROSSING,	/* the same, or "in" or "out" */
	TEXT_SETTING,	/* each text of a list gives a field a value: codec/build.h */
};

struct param {
	const char *name;
	enum param_type type;
	enum text_form form;		/* STRING and TEXTS */
	const struct const_set *set;	/* CONST and FLAGS */
	enum object_kind object;	/* OBJECT */
	const struct param *sub;	/* LIST: ends with a NULL name */
	bool required;
	bool u64;		/* INT: an unsigned number of 64 bits, in the bits of an int64_t */
	int64_t min, max;
	const char *doc;	/* text for the manual page, with unit and default */
};

enum field_type {
	FIELD_INT,
	FIELD_BOOL,
	FIELD_STRING,
	FIELD_CONST,	/* int with names from @set */
	FIELD_FLAGS,
	FIELD_BYTES,	/* in the form of bytes_to_value() */
	FIELD_LIST,	/* a list of maps of @sub */
};

struct field {
	const char *name;
	enum field_type type;
	const struct const_set *set;
	const struct field *sub;	/* LIST: ends with a NULL name */
	bool u64;		/* INT: an unsigned number of 64 bits, in the bits of an int64_t */
	bool or_errno;		/* CONST: a negative value may be a negative errno, too */
	const char *doc;
};

/* An object that a step makes in addition to the one that "as:" names: AS_SUFFIX. */
struct step_also {
	const char *suffix;		/* "qp": "as: ep" also names ep_qp */
	enum object_kind kind;
};

/*
 * The part of its host that a step changes. No other scenario uses that fabric afterwards; on a machine the
 * part is restored. A change that cannot be undone there is not made.
 */
enum step_disturbs {
	DISTURBS_NOTHING,
	DISTURBS_SETTINGS,	/* the interface, its addresses, neighbours and routes */
	DISTURBS_BY_ADDRESS,	/* the same: it adds the address of its parameter "address" */
	DISTURBS_BY_NEIGHBOUR,	/* the same: it adds a neighbour with that address */
	DISTURBS_DEVICE,	/* the RDMA device */
	DISTURBS_INTERFACE,	/* removes the interface */
};

struct step_kind {
	const char *name;		/* in scenarios: "create_qp" */
	const char *call;		/* the call that it makes: "ibv_create_qp(3)" */
	const char *doc;		/* one sentence */
	const struct param *params;	/* ends with a NULL name; may be NULL */
	const char *const *one_of;	/* exactly one of these parameters must be given; may be NULL */
	const struct field *fields;	/* ends with a NULL name */
	enum object_kind makes;		/* the object that "as:" names; OBJECT_NONE: only the result */
	const struct step_also *also;	/* ends with a NULL suffix; may be NULL */
	int64_t ok;			/* the expected "return", unless the scenario has an expectation for it */
	bool waits;			/* may wait, until its deadline at most */
	int deadline_ms;		/* see step_deadline_ms(); 0: STEP_DEADLINE_MS */
	bool query;			/* changes nothing, so until: may repeat it */
	bool by_runner;			/* the runner executes it, not an agent */
	enum step_disturbs disturbs;
	bool machine_wide;		/* changes something of the machine or its network besides the objects of its process; so does each rule for packets */
	bool other_devices;		/* shows the devices of other hosts */
	bool starts_program;		/* starts a program of the machine: see variant_wants_programs() */
	bool sends_packets;		/* all that it does to its machine: it sends packets from the host's own address */
	const char *needs;		/* capability the step needs, or NULL */
	const char *at_end;		/* the step that looks at the end whether this one had an effect, or NULL */

	/*
	 * Runs in the agent, in its host's namespace. @args has only
	 * parameters of the step; enum param_type says as which type each
	 * arrives. Fills the map @result
	 * ("return" and "errno" first, if the call has them). Returns 0
	 * when the call was made, whatever it answered; a negative errno with
	 * @err when the step could not be executed. -ETIMEDOUT means that the
	 * target or a program did not do something in time: see step_wait_failed().
	 */
	int (*run)(struct step_ctx *ctx, const struct value *args,
		   struct value *result, struct vbm_error *err);
};

struct step_family {
	const char *name;		/* "qp" */
	const char *doc;
	const struct step_kind *steps;	/* ends with a NULL name */
	bool only_objects;		/* its steps leave nothing in their process but objects: see variant_shares_processes() */
};

extern const struct step_family *const step_families[];	/* in call/families.c; NULL-terminated */

/* NULL when there is no such step. */
const struct step_kind *step_find(const char *name);
const char *step_suggest(const char *name);

/*
 * Whether it waits, or says how long its call took. In a user-mode kernel it takes as long to read the clock as
 * to make a short call, so the others do not.
 */
bool step_is_timed(const struct step_kind *kind);
const struct step_family *step_family_of(const struct step_kind *kind);

/* The one of this name in a table of a step; NULL when there is none, or no table. */
const struct param *step_param_find(const struct param *params, const char *name);
const struct field *step_field_find(const struct field *fields, const char *name);

/*
 * The time that a step may take, before the clock's factor, if neither the step
 * nor its kind sets one. It is longer than a call or wait takes without a fault.
 */
#define STEP_DEADLINE_MS 2000
int step_deadline_ms(const struct step_kind *kind);

/*
 * The name of the object that a step without "as:" makes ("qp"). If an OBJECT
 * parameter is left out, it means the object of this name or, if there is none,
 * the only object of its kind. NULL for OBJECT_NONE.
 */
const char *step_default_name(enum object_kind kind);
const char *step_object_kind_name(enum object_kind kind);	/* "queue pair" */

struct numbering;
struct objects;
struct program_home;

/* The agent as a step sees it. */
struct step_ctx {
	const struct host_info *host;
	const struct step_kind *kind;		/* the step that runs */
	const struct target *target;
	struct objects *objects;
	struct numbering *numbering;	/* keeps the numbers of hosts apart */
	const struct program_home *programs;	/* NULL: the agent cannot start programs */
	const char *as;			/* NULL without "as:" */
	int64_t deadline_ns;		/* in the time of clock_now_ns() */
	bool timed;			/* the step has a use for @began_ns: see step_is_timed() */
	int64_t began_ns;		/* see call_begins(); 0 unless @timed */
	bool wait_failed;			/* see step_wait_failed() */
	int fail_nth;			/* the point at which the kernel fails in the next call; 0: at none */
	int answer_fd;			/* to the runner; only "garble" uses it */
	int dns_log_fd, dns_pidfd;	/* of the name server; -1: there is none (see agent.h) */
	int acm_log_fd, acm_control_fd;	/* of the path service; -1: there is none */
};

#endif
