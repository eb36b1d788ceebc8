/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PLAN_REQUIRE_H
#define VBM_PLAN_REQUIRE_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

/*
 * A requirement of a scenario on the lane, the target or the machine: "layout=netns",
 * "kernel>=7.1", "call=rdma_resolve_addrinfo". If one does not hold, the scenario
 * is skipped with that reason.
 */
enum require_op {
	REQUIRE_EQ,	/* = */
	REQUIRE_NE,	/* != */
	REQUIRE_GE,	/* >= */
	REQUIRE_LE,	/* <= */
	REQUIRE_GT,	/* > */
	REQUIRE_LT,	/* < */
};

/* How a fact is compared with the value. */
enum require_type {
	REQUIRE_WORD,		/* one word: = and != */
	REQUIRE_SET,		/* words separated by spaces: = the word is there, != it is not */
	REQUIRE_VERSION,	/* numbers and dots; only as many as the scenario gives are compared */
};

/* The facts that the runner knows; NULL: not known. Borrowed. */
struct facts {
	const char *lane;	/* "native", "guest" */
	const char *layout;	/* "netns", "shared" */
	const char *kernel;	/* "6.1.0-31-amd64" */
	const char *kernel_a, *kernel_b;	/* those of hosts a and b; NULL: they have @kernel */
	const char *rdma_core;	/* "44.0" */
	const char *target;	/* "system", "reference" or a path */
	const char *device;	/* "rxe"; the type of the hosts' devices */
	const char *can;	/* abilities of these devices */
	const char *connects;	/* "modify_qp" or "rdma_cm": how fragments connect queue pairs */
	const char *faults;	/* "yes" or "no": whether the kernel can inject faults */
	const char *time;	/* "virtual" or "real": how the clock of the place goes */
	const char *call;	/* functions that the target has */
	const char *program;	/* of the programs that were asked for: those that are there */
};

/* A capability that "requires:" can name. */
struct capability {
	const char *name;
	enum require_type type;
	const char *words;	/* WORD: the allowed words, separated by spaces, or NULL */
	const char *doc;
};

extern const struct capability require_capabilities[];	/* ends with a NULL name */

struct require {
	const struct capability *capability;
	enum require_op op;
	char value[64];
};

/* -EINVAL and a message with a suggestion when @text does not have that form. */
int require_parse(struct require *out, const char *text, struct vbm_error *err);

/* "rdma_core>=44"; for the caller to free. */
char *require_show(const struct require *r);

/* Whether no fact can satisfy both. */
bool require_excludes(const struct require *a, const struct require *b);

/* Whether no fact can satisfy @list[@at] and all entries before it. */
bool require_conflicts(const struct require *list, size_t at);

/*
 * Whether @req holds. If not, *@why (owned by the caller) has the reason: "needs
 * kernel>=7.1, but it is 6.1.0-31-amd64". A fact that is not known never holds.
 */
bool require_holds(const struct require *req, const struct facts *facts, char **why);

#endif
