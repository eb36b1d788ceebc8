/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_NAMES_CABLE_FAULT_H
#define VBM_NAMES_CABLE_FAULT_H

#include <stddef.h>
#include <stdint.h>

#include <verbatim/error.h>

/* The faults that a cable can have, in the direction from a host to the others. */
enum cable_fault {
	CABLE_LOSS,	/* in millionths of the packets */
	CABLE_DELAY,	/* in microseconds */
	CABLE_RATE,	/* in bits per second */
	CABLE_FAULTS,
};

struct cable_faults {
	int64_t value[CABLE_FAULTS];	/* 0: the cable does not have this fault */
};

/* Pure. "loss", and back: -1 for another word. */
const char *cable_fault_name(enum cable_fault fault);
int cable_fault_called(const char *name);

/*
 * Pure. Reads "3%", "2ms" or "1gbit", a number with at most three decimals and a unit.
 * -EINVAL with the units and limits in @err.
 */
int cable_fault_read(enum cable_fault fault, const char *text, int64_t *value, struct vbm_error *err);

/* Pure. "loss 3%, delay 2ms"; empty: there are none. */
#define CABLE_FAULTS_TEXT_MAX 96
void cable_faults_text(const struct cable_faults *faults, char text[CABLE_FAULTS_TEXT_MAX]);

#endif
