/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COMPILE_SCENARIO_H
#define VBM_COMPILE_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "base/diag.h"
#include "base/value.h"
#include "step/step.h"

/*
 * A scenario file, checked and flattened. Pure: nothing here does I/O beyond
 * reading the file it is given.
 */
struct plan_step {
	struct pos pos;			/* of the step's key in the file */
	int host;			/* 0 is host a */
	const struct step_kind *kind;	/* borrowed */
	struct value *args;		/* owned; names already ints, "$..."
					 * references still strings */
	struct value *expect;		/* owned; NULL: "return" must be kind->ok */
	char *as;			/* owned; the kind's usual name when the file
					 * gives none; NULL: the result is dropped */
	char *note;			/* owned, or NULL; what a reader should know */
	int deadline_ms;		/* unscaled */
};

#define SCENARIO_DEADLINE_MS 10000	/* of a step that has no "deadline:" */
#define SCENARIO_HOSTS_MAX 26		/* that steps can name: a to z */
#define SCENARIO_MESH_MAX 64		/* those beyond z only share the switch */
#define SCENARIO_VARIANTS_MAX 1024

/* The head's keys about names, for names.h. */
enum names_key {
	NAMES_DNS,
	NAMES_HOSTS,
	NAMES_SERVICES,
	NAMES_RESOLV,
	NAMES_ACM,
	NAMES_COUNT,
};

struct scenario {
	char *path;		/* owned; as given by the user */
	char *id;		/* owned; "resolve/ud-with-tcp" */
	char *title;		/* owned */
	char **clauses;		/* owned; ids of scenarios/clauses.tsv */
	struct pos *clause_pos;	/* owned; where each of them is named */
	size_t clause_count;
	int hosts;		/* 2 for pair */
	struct value *requires;	/* owned; list of strings for require_parse(),
				 * what the steps need included */
	struct value *vary;	/* owned; map of lists, or NULL */
	struct value *names[NAMES_COUNT];	/* owned, or NULL; see names.h */
	struct plan_step *steps;	/* owned */
	size_t step_count;
};

/*
 * Compile @text (the content of @path, which only names it). On success 0 and
 * *@out; else -EINVAL and at least one diagnostic.
 */
int scenario_parse(struct scenario **out, const char *path, const char *id,
		   const char *text, size_t len, struct diagnostics *diag);
void scenario_free(struct scenario *s);

/* One combination of the values in "vary:"; a scenario without has one. */
struct variant {
	char *name;		/* owned; "data/send[ip=6,mtu=1024]" or the id */
	struct value *vars;	/* owned; map name -> value */
};

struct variants {
	struct variant *item;
	size_t count;
};

void scenario_variants(const struct scenario *s, struct variants *out);
void variants_fini(struct variants *v);

/*
 * Symbolic references. An environment holds the variables of the variant, one
 * map for each host ("ip", "ip4", "ip6", "dev", "gid_index", ...), and under a
 * host the result records that "as:" named.
 *   $name            a vary variable
 *   $a.ip            a fact of host a ("ip" and "gid_index" follow $ip)
 *   $a.qp.qp_num     a field of a named result; list items: $a.ai.results.0.port
 * A string that begins with "$$" is a text that begins with "$".
 */
struct env;
struct env *env_new(const struct value *vars);
void env_free(struct env *env);
void env_set_host(struct env *env, const struct host_info *host);
void env_set_result(struct env *env, const char *host, const char *as,
		    const struct value *result);

/* @in with every reference replaced; the caller owns *@out. */
int env_resolve(const struct env *env, const struct value *in,
		struct value **out, struct vbm_error *err);

/*
 * A step made ready to run: references replaced, then every value put into the
 * type its parameter or field asks for (a variable's "RC" becomes an integer).
 * The caller owns *@args and *@expect (NULL when the step has none).
 */
int plan_bind(const struct plan_step *step, const struct env *env,
	      struct value **args, struct value **expect, struct vbm_error *err);

/* The first field that is not as expected. */
struct mismatch {
	struct pos pos;		/* of the expectation, or of the step */
	char *field;		/* owned; "return", "results[0].family" */
	char *expected;		/* owned; with names: "EAI_QPTYPE (-7)" */
	char *actual;		/* owned */
};

void mismatch_fini(struct mismatch *m);

/*
 * Compare @result with @expect (from plan_bind(), or NULL). A result that has
 * a "return" must have kind->ok there when @expect does not speak of it. True
 * when all hold; else false and @m is filled.
 *
 * An expectation is a literal, the word any (the field is there), a list of
 * maps (as many items, each as its map says), or a map of one of: not, min and
 * max, any_of (a list; with why:), contains, count.
 */
bool expect_match(const struct step_kind *kind, struct pos step_pos,
		  const struct value *expect, const struct value *result,
		  struct mismatch *m);

#endif
