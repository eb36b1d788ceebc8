/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PLAN_REQUIRE_H
#define VBM_PLAN_REQUIRE_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

/*
 * What a scenario needs of the place it runs in: "layout=netns", "kernel>=7.1",
 * "call=rdma_resolve_addrinfo". Where it does not hold, the scenario is skipped
 * with the reason.
 */
enum require_op {
	REQUIRE_EQ,	/* = */
	REQUIRE_NE,	/* != */
	REQUIRE_GE,	/* >= */
	REQUIRE_LE,	/* <= */
	REQUIRE_GT,	/* > */
	REQUIRE_LT,	/* < */
};

/* How the fact is compared. */
enum require_type {
	REQUIRE_WORD,		/* one word: = and != */
	REQUIRE_SET,		/* words apart by spaces: = has it, != has not */
	REQUIRE_VERSION,	/* numbers and dots, as many as the scenario gives */
};

/* The place, as far as the runner knows it; NULL: not known. Borrowed. */
struct facts {
	const char *lane;	/* "native", "guest" */
	const char *layout;	/* "netns", "shared" */
	const char *kernel;	/* "6.1.0-31-amd64" */
	const char *rdma_core;	/* "44.0" */
	const char *target;	/* "system", "reference" or a path */
	const char *call;	/* functions that the target has */
	const char *program;	/* programs that are there, of those asked for */
};

/* A capability's name, and what it is about. */
struct capability {
	const char *name;
	enum require_type type;
	const char *words;	/* WORD: those allowed, apart by spaces, or NULL */
	const char *doc;
};

extern const struct capability capabilities[];	/* ends with a NULL name */

struct require {
	const struct capability *capability;
	enum require_op op;
	char value[64];
};

/* -EINVAL and a message with a suggestion when @text is not of that form. */
int require_parse(struct require *out, const char *text, struct vbm_error *err);

/* "rdma_core>=44"; for the caller to free. */
char *require_show(const struct require *r);

/* Whether no fact could meet both. */
bool require_excludes(const struct require *a, const struct require *b);

/* Whether no fact could meet @list[@at] together with those before it. */
bool require_conflicts(const struct require *list, size_t at);

/*
 * Whether it holds. When not, *@why (owned by the caller) says so: "needs
 * kernel>=7.1, and it is 6.1.0-31-amd64". A fact that is not known never does.
 */
bool require_holds(const struct require *req, const struct facts *facts, char **why);

#endif
