/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CATALOGUE_FINDING_H
#define VBM_CATALOGUE_FINDING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/value.h"
#include "plan/require.h"
#include "compile/scenario.h"

/*
 * What is known not to be as it should: the files of a suite's folder
 * findings. Where a finding applies, a scenario that fails in the way it says
 * is expected to (XFAIL), and one that passes has a finding that must go
 * (XPASS). A failure of another kind stays a failure.
 */
#define FINDING_WHEN_MAX 8

enum finding_kind {
	FINDING_DEVIATION,	/* a manual page or specification says otherwise */
	FINDING_DIFFERENCE,	/* they say nothing; our decision is otherwise */
	FINDING_DOCUMENTATION,	/* what the page says cannot be meant */
	FINDING_KINDS,
};

/* Worst first. */
enum finding_severity {
	FINDING_CRASH,		/* the process dies */
	FINDING_HANG,		/* the call never returns, or the event never comes */
	FINDING_WRONG_RESULT,	/* success, with a result that is wrong */
	FINDING_WRONG_CODE,	/* failure, with another code than documented */
	FINDING_MINOR,		/* a program can do without */
	FINDING_SEVERITIES,
};

/*
 * One way in which a scenario shows a finding: a field that differs, every time or
 * now and then, or a complaint of the kernel, which may come or not.
 */
struct finding_place {
	char *scenario;		/* owned; a pattern of names, see match.h */
	struct pos scenario_pos;
	char *complaint;	/* owned; a pattern of what the kernel says, or NULL; see below */
	char *field;		/* owned; the field that differs; NULL with @complaint */
	char *got;		/* owned; what it is then, or NULL for anything */
	char *step;		/* owned; the call, or NULL for any: "getaddrinfo" */
	char *round;		/* owned; a pattern of rounds of repeat:, or NULL for any */
	bool sometimes;		/* it may also be as it should; only with @field */
};

struct finding {
	char *file;		/* owned */
	struct pos pos, kind_pos, severity_pos, source_pos;
	char *name;		/* owned */
	char *kind_name, *severity_name;	/* owned; as written, or NULL */
	enum finding_kind kind;
	enum finding_severity severity;
	char *layer;		/* owned; "librdmacm", "glibc", "rdma_rxe"...; or NULL */
	struct value *clauses;	/* owned; a list of ids, or NULL */
	char *source;		/* owned; of what has no clause; as in clauses.tsv; or NULL */
	char *what;		/* owned; one sentence: what happens */
	char *expected;		/* owned; in place of the clause's text; or NULL */
	char *got;		/* owned; what comes in its place, in words; or NULL */
	char *measured;		/* owned; where it was measured */
	char *inferred;		/* owned; where it is so without having been measured; or NULL */
	char *link;		/* owned; to an issue or commit upstream; or NULL */
	struct require when[FINDING_WHEN_MAX];
	size_t when_count;
	struct finding_place *place;	/* owned */
	size_t place_count;
};

struct findings {
	struct finding *item;
	size_t count;
};

extern const char *const finding_kinds[FINDING_KINDS];
extern const char *const finding_severities[FINDING_SEVERITIES];

/* Add the entries of one file. -EINVAL with diagnostics when it is not one. */
int findings_parse(struct findings *d, const char *path, const char *text, size_t len,
		   struct diagnostics *diag);

/* Add all files (*.yaml) of a folder, by name; one that is not there holds none. */
int findings_load(struct findings *d, const char *dir, struct vbm_error *err);
void findings_fini(struct findings *d);

/* The names of scenarios and variants that findings can speak of. */
struct scenario_names {
	char **item;	/* owned */
	size_t count;
	bool some_invalid;	/* a file did not compile, so its names are not in @item */
};

struct clauses;
struct scenario_files;

void scenario_names_make(struct scenario_names *names, const struct scenario_files *files);
void scenario_names_fini(struct scenario_names *names);
bool scenario_names_match(const struct scenario_names *names, const char *pattern);

/* A diagnostic for each clause and each scenario of @d that is not there. */
void findings_check(const struct findings *d, const struct clauses *clauses,
		    const struct scenario_names *names, struct diagnostics *diag);

/* Whether that place is a field of @scenario; one that differs now and then counts if @sometimes. */
bool finding_place_has(const struct finding_place *p, const char *scenario, bool sometimes);

/* Whether @scenario is said to show it, wherever it runs, by a field that differs each time. */
bool finding_names(const struct finding *d, const char *scenario);

/* Whether it is about @scenario and about the place that @facts tells of. */
bool finding_applies(const struct finding *d, const char *scenario, const struct facts *facts);

/* Whether @clause is among those that do not hold. */
bool finding_is_about(const struct finding *d, const char *clause);

/* "GAI-RET-BADFLAGS, RES-RET-ERR", or NULL; for the caller to free. */
char *finding_clauses(const struct finding *d);

/* As JSON has it; for the caller to free. What is not said is not there. */
struct value *finding_to_value(const struct finding *d);

/* What a run saw: the call, the field that differed, what it was, the round or "". */
struct finding_seen {
	const char *scenario, *step, *field, *got, *round;
};

/* Whether a failure is one that is known. */
bool finding_explains(const struct finding *d, const struct finding_seen *seen);

/* Whether the kernel is known to say @complaint in @scenario, in the place of @facts. */
bool finding_foresees(const struct finding *d, const char *scenario, const struct facts *facts,
		      const char *complaint);

#endif
