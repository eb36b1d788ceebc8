/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FUZZ_RANDOM_H
#define VBM_FUZZ_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A program of random cases: main() is shared (random.c). Case number i of seed
 * S is case 0 of seed S + i, so one case can be had again without the others.
 */
struct dice {
	uint64_t state;
};

uint64_t dice_bits(struct dice *d);

/* 0 to @sides - 1. */
unsigned int dice_roll(struct dice *d, unsigned int sides);

/* One of the strings of a NULL-terminated list. */
const char *dice_pick(struct dice *d, const char *const *list);

/* What a program brings. */
struct random_program {
	const char *about;	/* what holds of every case */
	unsigned int cases;	/* of "make check" */
	unsigned int inputs;	/* of a case; 0: one */
	bool (*begin)(void);	/* false: nothing can be done here. May be NULL */
	/* The case is @d's alone. False: @said is what is wrong. */
	bool (*run)(struct dice *d, char *said, size_t room);
	void (*end)(void);	/* may be NULL */
};

extern const struct random_program random_program;

#endif
