/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CATALOGUE_FINDING_H
#define VBM_CATALOGUE_FINDING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/value.h"
#include "plan/require.h"
#include "compile/scenario.h"

/*
 * The known failures: the files in a suite's folder findings. If a finding
 * applies and the scenario fails in the way that it says, the verdict is XFAIL.
 * If the scenario passes, the verdict is XPASS, and the finding must be removed.
 * Any other failure stays a failure.
 */
#define FINDING_WHEN_MAX 8

#define FINDING_LINKS_MAX 8

/* In the order of the lists. */
enum finding_kind {
	FINDING_BUG,		/* a memory error, a crash or a hang, whatever pages promise */
	FINDING_DEVIATION,	/* a manual page or specification says otherwise */
	FINDING_DIFFERENCE,	/* they say nothing; the stack differs from our decision */
	FINDING_DOCUMENTATION,	/* the page says something that it cannot mean */
	FINDING_OTHER,		/* another project causes it, and the stack passes it on */
	FINDING_KINDS,
};

/* The worst first. */
enum finding_severity {
	FINDING_CRASH,		/* the process or the kernel dies, or can */
	FINDING_HANG,		/* the call never returns, or the event never comes */
	FINDING_WRONG_RESULT,	/* success with a wrong result */
	FINDING_WRONG_CODE,	/* failure with another code than documented */
	FINDING_MINOR,		/* programs hardly need it */
	FINDING_SEVERITIES,
};

/*
 * A symptom: one way in which a scenario shows a finding. It is a field that
 * differs, always or sometimes, or a complaint of the kernel, which may come or not.
 */
struct finding_symptom {
	char *scenario;		/* owned; a pattern of names, see match.h */
	struct pos pos, scenario_pos, complaint_pos, field_pos, step_pos, round_pos;
	char *complaint;	/* owned; a pattern of a kernel message, or NULL; see below */
	char *field;		/* owned; the field that differs; NULL with @complaint */
	char *got;		/* owned; the value that it has then, or NULL for any */
	char *step;		/* owned; the call, or NULL for any: "getaddrinfo" */
	char *round;		/* owned; a pattern of rounds of repeat:, or NULL for any */
	bool sometimes;		/* the field may also be right; only with @field */
};

/* The fix in the project of the finding's layer. */
struct finding_fix {
	struct pos pos, release_pos;
	char *commit;		/* owned; the id, or NULL if it is not known */
	char *release;		/* owned; the first version with the fix, or NULL */
};

struct finding {
	char *file;		/* owned */
	struct pos pos, kind_pos, severity_pos, source_pos;
	char *name;		/* owned */
	char *kind_name, *severity_name;	/* owned; as the file writes them, or NULL */
	enum finding_kind kind;
	enum finding_severity severity;
	char *layer;		/* owned; "librdmacm", "glibc", "rdma_rxe"...; or NULL */
	struct value *clauses;	/* owned; a list of ids, or NULL */
	char *source;		/* owned; a citation if there is no clause, in the form of clauses.tsv; or NULL */
	char *what;		/* owned; one sentence that says what happens */
	char *expected;		/* owned; replaces the text of the clause; or NULL */
	char *got;		/* owned; the actual result in words; or NULL */
	char *measured;		/* owned; the versions on which it was measured */
	char *inferred;		/* owned; versions that must also have it but were not measured; or NULL */
	char *cause;		/* owned; the function and line that probably cause it; or NULL */
	char *reported;		/* owned; to whom it was reported, and when; or NULL */
	char *link[FINDING_LINKS_MAX];	/* owned; addresses of issues or commits upstream */
	size_t link_count;
	struct finding_fix fixed_by;
	struct require when[FINDING_WHEN_MAX];
	size_t when_count;
	struct finding_symptom *symptom;	/* owned */
	size_t symptom_count;
};

/* The newest versions that the findings of a suite were compared with; NULL: the suite names none. */
struct findings_newest {
	char *kernel, *rdma_core;	/* owned */
};

struct findings {
	struct finding *item;
	size_t count;
	struct findings_newest newest;
};

extern const char *const finding_kinds[FINDING_KINDS];
/* The kinds for use in sentences: "documentation bug" for "documentation". */
extern const char *const finding_kind_titles[FINDING_KINDS];
extern const char *const finding_severities[FINDING_SEVERITIES];

/* Adds the entries of one file. -EINVAL with diagnostics when the file is not valid. */
int findings_parse(struct findings *d, const char *path, const char *text, size_t len,
		   struct diagnostics *diag);

/* Adds all files (*.yaml) of a folder, sorted by name. A missing folder has no findings. */
int findings_load(struct findings *d, const char *dir, struct vbm_error *err);
void findings_fini(struct findings *d);

/* A call that a variant makes: "a.1.poll_cq". */
struct scenario_call {
	char *text;			/* owned */
	const struct step_kind *kind;	/* borrowed */
};

/* The names in a variant that findings can refer to. */
struct scenario_name {
	char *name, *id;		/* owned */
	struct scenario_call *call;	/* owned; without duplicates */
	size_t calls;
	char **round;			/* owned, with the texts; the rounds of "repeat:", in order */
	size_t rounds;
};

struct scenario_names {
	struct scenario_name *item;	/* owned */
	size_t count;
	bool some_invalid;	/* a file did not compile, so its names are not in @item */
};

struct clauses;
struct scenario;
struct scenario_files;

void scenario_names_add(struct scenario_names *names, const struct scenario *sc);

/* Loads the files whose scenarios are not in @names yet, and adds their names. */
void scenario_names_load(struct scenario_names *names, const struct scenario_files *files);
void scenario_names_fini(struct scenario_names *names);
bool scenario_names_match(const struct scenario_names *names, const char *pattern);

/* Adds a diagnostic for each clause and scenario that @d names but that does not exist. */
void findings_check(const struct findings *d, const struct clauses *clauses,
		    const struct scenario_names *names, struct diagnostics *diag);

/* Adds diagnostics for symptoms that match too much: one symptom by itself, or within a suite. */
void finding_symptom_check_width(const struct finding_symptom *p, struct diagnostics *diag);
void finding_check_width(const struct finding *d, const struct scenario_names *names,
			 struct diagnostics *diag);

/*
 * Adds a diagnostic for each finding of @d, the file @path in the folder @dir, that
 * has the same name as one in another file, or lists the same failures.
 */
void findings_check_duplicates(const struct findings *d, const char *path, const char *dir,
			  struct diagnostics *diag);

/*
 * Whether a pass needs no change of the finding: the release with the fix is newer, but
 * these facts name a point release, which may have got the fix (rdma-core 63.1, Linux 7.3.4).
 */
bool finding_may_be_fixed(const struct finding *d, const struct facts *facts);

/* Whether the symptom is a field of @scenario. A field that differs only sometimes counts if @sometimes. */
bool finding_symptom_has(const struct finding_symptom *p, const char *scenario, bool sometimes);

/* Whether @scenario shows the finding by a field that differs every time, on any kernel and target. */
bool finding_names(const struct finding *d, const char *scenario);

/*
 * Whether devices of this type can have the finding: a condition does not exclude them, and the layer
 * is not the driver or the provider of another type.
 */
bool finding_is_of_device(const struct finding *d, const char *device);

/*
 * Whether all conditions of the finding hold for @facts, and devices of their type can have it (if
 * the type is known).
 */
bool finding_holds(const struct finding *d, const struct facts *facts);

/* Whether the finding is about @scenario, and its conditions hold for @facts. */
bool finding_applies(const struct finding *d, const char *scenario, const struct facts *facts);

/*
 * Whether the newest versions that the suite names no longer have it: a condition on
 * kernel or rdma-core does not hold for them.
 */
bool finding_is_history(const struct finding *d, const struct findings_newest *newest);

/* Whether the kind counts against the stack: neither a page nor another project is at fault. */
bool finding_is_of_stack(const struct finding *d);

/* The project of the layer, whose version fixed_by: names: "Linux", "rdma-core", "glibc"; NULL if unknown. */
const char *finding_project(const struct finding *d);

/* Whether the finding breaks @clause. */
bool finding_is_about(const struct finding *d, const char *clause);

/* "GAI-RET-BADFLAGS, RES-RET-ERR", or NULL. The caller frees it. */
char *finding_clauses(const struct finding *d);

/* The finding as a map for JSON, without the members that are not set. The caller frees it. */
struct value *finding_to_value(const struct finding *d);

/* For a map that finding_to_value() made: "rdma-core 64.0, commit 406cd2ad0", or NULL. The caller frees it. */
char *finding_fix_show(const struct value *m);

/* A failure in a run: the call, the field that differed, its value, the round or "". */
struct finding_seen {
	const char *scenario, *step, *field, *got, *round;
};

/* Whether a process died, or a signal ended a program. */
bool finding_seen_is_death(const struct finding_seen *seen);

/* Whether @seen is a symptom of the finding. A death must match by its value. */
bool finding_explains(const struct finding *d, const struct finding_seen *seen);

/* Whether the kernel may print @complaint in @scenario, under the conditions of @facts. */
bool finding_foresees(const struct finding *d, const char *scenario, const struct facts *facts,
		      const char *complaint);

#endif
