/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_DOCTOR_DOCTOR_H
#define VBM_DOCTOR_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * What works on this machine, and why the rest does not. A check looks at one
 * thing and finds one of these; where a command would change it, @fix is that
 * command, ready to paste.
 */
enum doctor_state {
	DOCTOR_OK,
	DOCTOR_WARN,	/* works, with a drawback */
	DOCTOR_FAIL,	/* the lanes that need it do not work */
	DOCTOR_SKIP,	/* cannot be seen from here, or would say nothing */
};

struct finding {
	enum doctor_state state;
	char text[640];
	char fix[256];		/* empty: none */
};

enum doctor_lane {
	DOCTOR_NATIVE = 1,
	DOCTOR_GUEST = 2,
};

struct doctor {
	bool try_out;		/* really make a fabric, really boot a guest */
	bool native_failed, guest_failed;	/* by the checks so far */
	char accelerator[16];	/* of the guest that was booted, else empty */
};

struct doctor_check {
	const char *name;
	unsigned lanes;		/* which lanes a failure rules out */
	void (*look)(struct doctor *doctor, struct finding *finding);
};

/* Ends with a NULL name. */
extern const struct doctor_check doctor_checks[];

/* One finding for each check, in the table's order. Owned by the caller. */
struct finding *doctor_examine(struct doctor *doctor);

/* Pure, as are the two that print. */
bool doctor_lane_works(const struct doctor_check *checks, const struct finding *findings,
		       enum doctor_lane lane);
void doctor_show(FILE *out, const struct doctor_check *checks,
		 const struct finding *findings);
/* {"lanes": {...}, "checks": [...]}; the caller frees it. */
char *doctor_json(const struct doctor_check *checks, const struct finding *findings);

void find(struct finding *finding, enum doctor_state state, const char *fix,
	  const char *fmt, ...) __attribute__((format(printf, 4, 5)));

#endif
