/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CATALOGUE_FINDING_H
#define VBM_CATALOGUE_FINDING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/value.h"
#include "plan/require.h"
#include "compile/scenario.h"

/*
 * What is known to be wrong: the files of a suite's folder
 * findings. Where a finding applies, a scenario that fails in the way it says
 * is expected to (XFAIL), and one that passes has a finding that must go
 * (XPASS). A failure of another kind stays a failure.
 */
#define FINDING_WHEN_MAX 8

#define FINDING_LINKS_MAX 8

/* In the order of lists. */
enum finding_kind {
	FINDING_BUG,		/* a memory error, a crash or a hang, whatever pages promise */
	FINDING_DEVIATION,	/* a manual page or specification says otherwise */
	FINDING_DIFFERENCE,	/* they say nothing; our decision is otherwise */
	FINDING_DOCUMENTATION,	/* what the page says cannot be meant */
	FINDING_OTHER,		/* another project's doing, which the stack hands on */
	FINDING_KINDS,
};

/* Worst first. */
enum finding_severity {
	FINDING_CRASH,		/* the process or the kernel dies, or can */
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
	struct pos pos, scenario_pos, complaint_pos, field_pos, step_pos, round_pos;
	char *complaint;	/* owned; a pattern of what the kernel says, or NULL; see below */
	char *field;		/* owned; the field that differs; NULL with @complaint */
	char *got;		/* owned; what it is then, or NULL for anything */
	char *step;		/* owned; the call, or NULL for any: "getaddrinfo" */
	char *round;		/* owned; a pattern of rounds of repeat:, or NULL for any */
	bool sometimes;		/* it may also be as it should; only with @field */
};

/* What ended it upstream: in the project whose layer the finding is of. */
struct finding_fix {
	struct pos pos, release_pos;
	char *commit;		/* owned; the id, or NULL where it is not known */
	char *release;		/* owned; the first version that has it, or NULL */
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
	char *cause;		/* owned; the function and line suspected; or NULL */
	char *reported;		/* owned; to whom and when; or NULL */
	char *link[FINDING_LINKS_MAX];	/* owned; to issues or commits upstream */
	size_t link_count;
	struct finding_fix fixed_by;
	struct require when[FINDING_WHEN_MAX];
	size_t when_count;
	struct finding_place *place;	/* owned */
	size_t place_count;
};

/* The newest versions that the findings of a suite were held against; NULL: none was named. */
struct findings_newest {
	char *kernel, *rdma_core;	/* owned */
};

struct findings {
	struct finding *item;
	size_t count;
	struct findings_newest newest;
};

extern const char *const finding_kinds[FINDING_KINDS];
/* As sentences have them: "documentation bug" for "documentation". */
extern const char *const finding_kind_titles[FINDING_KINDS];
extern const char *const finding_severities[FINDING_SEVERITIES];

/* Add the entries of one file. -EINVAL with diagnostics when it is not one. */
int findings_parse(struct findings *d, const char *path, const char *text, size_t len,
		   struct diagnostics *diag);

/* Add all files (*.yaml) of a folder, by name; one that is not there holds none. */
int findings_load(struct findings *d, const char *dir, struct vbm_error *err);
void findings_fini(struct findings *d);

/* A call that a variant makes: "a.1.poll_cq". */
struct scenario_call {
	char *text;			/* owned */
	const struct step_kind *kind;	/* borrowed */
};

/* A variant that findings can speak of. */
struct scenario_name {
	char *name, *id;		/* owned */
	struct scenario_call *call;	/* owned; each once */
	size_t calls;
	char **round;			/* owned, and so are they; of "repeat:", as they come */
	size_t rounds;
};

struct scenario_names {
	struct scenario_name *item;	/* owned */
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

/* Diagnostics for what would excuse more than it tells of: by itself, and in a suite. */
void finding_place_check_width(const struct finding_place *p, struct diagnostics *diag);
void finding_check_width(const struct finding *d, const struct scenario_names *names,
			 struct diagnostics *diag);

/*
 * A diagnostic for each finding of @d, the file @path in the folder @dir, that has
 * the name of one in another file, or tells of the same failure as another one.
 */
void findings_check_twins(const struct findings *d, const char *path, const char *dir,
			  struct diagnostics *diag);

/*
 * Whether a pass is no surprise here: the release with the fix is newer, and this is
 * a point release, which may have got the fix by itself (rdma-core 63.1, Linux 7.3.4).
 */
bool finding_may_be_mended(const struct finding *d, const struct facts *facts);

/* Whether that place is a field of @scenario; one that differs now and then counts if @sometimes. */
bool finding_place_has(const struct finding_place *p, const char *scenario, bool sometimes);

/* Whether @scenario is said to show it, wherever it runs, by a field that differs each time. */
bool finding_names(const struct finding *d, const char *scenario);

/* Whether it is about @scenario and about the place that @facts tells of. */
bool finding_applies(const struct finding *d, const char *scenario, const struct facts *facts);

/*
 * Whether the newest versions that the suite names do not have it any more: a condition
 * on kernel or rdma-core does not hold for them. Such a finding is history.
 */
bool finding_is_history(const struct finding *d, const struct findings_newest *newest);

/* Whether its kind counts against the stack: no page's fault and no other project's. */
bool finding_is_of_stack(const struct finding *d);

/* "Linux", "rdma-core" or "glibc", whose version fixed_by: is about; NULL for an unknown layer. */
const char *finding_project(const struct finding *d);

/* Whether @clause is among those that do not hold. */
bool finding_is_about(const struct finding *d, const char *clause);

/* "GAI-RET-BADFLAGS, RES-RET-ERR", or NULL; for the caller to free. */
char *finding_clauses(const struct finding *d);

/* As JSON has it; for the caller to free. What is not said is not there. */
struct value *finding_to_value(const struct finding *d);

/* Of a map that finding_to_value() made: "rdma-core 64.0, commit 406cd2ad0", or NULL; to free. */
char *finding_fix_show(const struct value *m);

/* What a run saw: the call, the field that differed, what it was, the round or "". */
struct finding_seen {
	const char *scenario, *step, *field, *got, *round;
};

/* Whether a process died, or a program by a signal. */
bool finding_seen_is_death(const struct finding_seen *seen);

/* Whether a failure is one that is known; how a process died has to be said by value. */
bool finding_explains(const struct finding *d, const struct finding_seen *seen);

/* Whether the kernel is known to say @complaint in @scenario, in the place of @facts. */
bool finding_foresees(const struct finding *d, const char *scenario, const struct facts *facts,
		      const char *complaint);

#endif
