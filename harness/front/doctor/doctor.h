/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_DOCTOR_DOCTOR_H
#define VBM_DOCTOR_DOCTOR_H

/*
 * Runs in: the front end, in its main thread.
 * Owns:    nothing; each check undoes what it made.
 * Ends:    with the command.
 * Tests:   unit/test_doctor; tests/cli/doctor.test; tests/guest/hosts-doctor.test.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Reports what works on this machine, and why the rest does not. Each check tests
 * one thing and reports a finding. If a command repairs it, @fix is that command,
 * ready to paste.
 */
enum doctor_state {
	DOCTOR_OK,
	DOCTOR_WARN,	/* it works with a drawback */
	DOCTOR_FAIL,	/* the lanes of the check do not work */
	DOCTOR_SKIP,	/* nothing was tested; @text says why */
};

struct doctor_finding {
	enum doctor_state state;
	char text[640];
	char fix[256];		/* empty: there is none */
};

enum doctor_lane {
	DOCTOR_NATIVE = 1,
	DOCTOR_GUEST = 2,
	DOCTOR_UML = 4,
	DOCTOR_ALL = 7,
};

struct doctor {
	bool try_out;		/* make a fabric and boot a guest */
	unsigned failed;	/* the lanes that do not work, by the checks so far */
	char accelerator[16];	/* the accelerator of the booted guest, or empty */
};

struct doctor_check {
	const char *name;
	unsigned lanes;		/* the lanes that do not work if the check fails */
	void (*look)(struct doctor *doctor, struct doctor_finding *finding);
};

/* Ends with a NULL name. */
extern const struct doctor_check doctor_checks[];

/* Runs all checks. One finding for each, in the table's order. The caller owns the array. */
struct doctor_finding *doctor_examine(struct doctor *doctor);

/* The next three functions are pure. */
bool doctor_lane_works(const struct doctor_check *checks, const struct doctor_finding *findings,
		       enum doctor_lane lane);
void doctor_show(FILE *out, const struct doctor_check *checks,
		 const struct doctor_finding *findings);
/* {"lanes": {...}, "checks": [...]}; the caller frees it. */
char *doctor_json(const struct doctor_check *checks, const struct doctor_finding *findings);

/* The rest is for the files of doctor/ only. found.c: records the result of a check. */
void doctor_found(struct doctor_finding *finding, enum doctor_state state, const char *fix,
		  const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Whether the lane is tried out; if not, @finding says why. @tried: "booted". */
bool doctor_may_try(const struct doctor *doctor, enum doctor_lane lane, const char *tried, struct doctor_finding *finding);

/* check-native.c */
void check_root(struct doctor *doctor, struct doctor_finding *finding);
void check_rxe(struct doctor *doctor, struct doctor_finding *finding);
void check_devices(struct doctor *doctor, struct doctor_finding *finding);
void check_memory(struct doctor *doctor, struct doctor_finding *finding);
void check_fabric(struct doctor *doctor, struct doctor_finding *finding);
void check_leftovers(struct doctor *doctor, struct doctor_finding *finding);

/* check-own.c; doctor_add_lacks() adds the abilities that are missing in @can, words separated by spaces. */
struct text;
void check_own(struct doctor *doctor, struct doctor_finding *finding);
void doctor_add_lacks(struct text *out, const char *can);

/* check-guest.c */
void check_qemu(struct doctor *doctor, struct doctor_finding *finding);
void check_kernels(struct doctor *doctor, struct doctor_finding *finding);
void check_guest(struct doctor *doctor, struct doctor_finding *finding);
void check_kvm(struct doctor *doctor, struct doctor_finding *finding);
void check_uml_kernels(struct doctor *doctor, struct doctor_finding *finding);
void check_uml(struct doctor *doctor, struct doctor_finding *finding);
void check_confined(struct doctor *doctor, struct doctor_finding *finding);
void check_choice(struct doctor *doctor, struct doctor_finding *finding);

/* The conclusions of the checks. Pure. */
#define CAPABILITY_NET_ADMIN 12
#define CAPABILITY_IPC_LOCK 14
#define CAPABILITY_SYS_ADMIN 21

void doctor_judge_privileges(uint64_t capabilities, bool root, struct doctor_finding *finding);
void doctor_judge_rxe(bool loaded, bool installed, const char *release, const char *system,
	       struct doctor_finding *finding);
void doctor_judge_memory(uint64_t limit, uint64_t capabilities, struct doctor_finding *finding);
void doctor_judge_kvm(int permitted, const char *why, bool broken, const char *accelerator,
	       struct doctor_finding *finding);

#endif
