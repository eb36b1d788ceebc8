/* SPDX-License-Identifier: BSD-2-Clause */
/* PROGRAM [SEED [INPUTS]]. Without arguments, the number of cases for "make check". */
#include "random.h"

#include <stdio.h>
#include <stdlib.h>

#define DIFFERENCES_MOST 10

/* The generator "splitmix64": neighbouring seeds give unrelated numbers. */
uint64_t dice_bits(struct dice *d)
{
	uint64_t z = d->state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

unsigned int dice_roll(struct dice *d, unsigned int sides)
{
	return (unsigned int)(dice_bits(d) % sides);
}

const char *dice_pick(struct dice *d, const char *const *list)
{
	unsigned int n = 0;

	while (list[n])
		n++;
	return list[dice_roll(d, n)];
}

static unsigned int run_all(uint64_t seed, uint64_t cases)
{
	unsigned int bad = 0;
	char said[8192];

	for (uint64_t i = 0; i < cases && bad < DIFFERENCES_MOST; i++) {
		struct dice first = {seed + i}, d = {dice_bits(&first)};

		if (random_program.run(&d, said, sizeof(said)))
			continue;
		bad++;
		printf("# seed %llu: %s\n", (unsigned long long)(seed + i), said);
	}
	return bad;
}

static uint64_t cases_of(uint64_t inputs)
{
	uint64_t each = random_program.inputs ? random_program.inputs : 1;

	return (inputs + each - 1) / each;
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	uint64_t cases = argc > 2 ? cases_of(strtoull(argv[2], NULL, 10)) : random_program.cases;
	unsigned int bad;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("1..1\n");
	if (random_program.begin && !random_program.begin()) {
		printf("ok 1 - %s # SKIP\n", random_program.about);
		return 0;
	}
	printf("# seed %llu, %llu cases\n", (unsigned long long)seed, (unsigned long long)cases);
	bad = run_all(seed, cases);
	if (random_program.end)
		random_program.end();
	printf("%s 1 - %s\n", bad ? "not ok" : "ok", random_program.about);
	return bad ? 1 : 0;
}
