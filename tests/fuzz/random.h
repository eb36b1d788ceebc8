/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FUZZ_RANDOM_H
#define VBM_FUZZ_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A program of random cases; random.c has main(). Case number i of seed S is case 0 of
 * seed S + i, so one case can be repeated without the others.
 */
struct dice {
	uint64_t state;
};

uint64_t dice_bits(struct dice *d);

/* 0 to @sides - 1. */
unsigned int dice_roll(struct dice *d, unsigned int sides);

/* A random string of a NULL-terminated list. */
const char *dice_pick(struct dice *d, const char *const *list);

/* The parts of one program. */
struct random_program {
	const char *about;	/* a sentence that is true for every case */
	unsigned int cases;	/* number of cases for "make check" */
	unsigned int inputs;	/* number of inputs of a case; 0: one */
	bool (*begin)(void);	/* false: this machine cannot run it. May be NULL */
	/* Run the case of @d. False: @said is the difference. */
	bool (*run)(struct dice *d, char *said, size_t room);
	void (*end)(void);	/* may be NULL */
};

extern const struct random_program random_program;

#endif
