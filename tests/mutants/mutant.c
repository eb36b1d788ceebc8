/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/mutants/mutant.h"

#include <dlfcn.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ON_MAX 64
#define NAME_SIZE 80

static char on[ON_MAX][NAME_SIZE];
static size_t on_count;

/* "device/gid" is also the scenario of the variant "device/gid[6]". */
static bool is_of(const char *variant, const char *scenario)
{
	size_t len = strlen(scenario);

	return strncmp(variant, scenario, len) == 0 && (!variant[len] || variant[len] == '[');
}

__attribute__((constructor))
static void read_environment(void)
{
	char scenario[256], mutant[NAME_SIZE];
	const char *variant = getenv("VERBATIM_VARIANT"), *at = getenv("VERBATIM_MUTANTS");
	int used;

	for (; variant && at && sscanf(at, "%255s %79s%n", scenario, mutant, &used) == 2; at += used)
		if (on_count < ON_MAX && is_of(variant, scenario))
			memcpy(on[on_count++], mutant, sizeof(mutant));
}

bool mutant_on(const char *name)
{
	size_t i;

	for (i = 0; i < on_count; i++)
		if (strcmp(on[i], name) == 0)
			return true;
	return false;
}

void mutant_late(int ms)
{
	poll(NULL, 0, ms);
}

/* The object is opened for itself alone, so the program's own libraries come first. */
void *mutant_next(const char *symbol)
{
	void *next = mutant_own(symbol);

	if (!next)
		next = dlsym(RTLD_DEFAULT, symbol);
	if (!next) {
		fprintf(stderr, "mutants: no library has %s\n", symbol);
		abort();
	}
	return next;
}

void mutant_members(void *filled, const struct mutant_member *members, size_t n)
{
	const struct mutant_member *m;
	uint64_t value;
	char *at;

	for (m = members; m < members + n; m++) {
		if (!mutant_on(m->mutant))
			continue;
		at = (char *)filled + m->offset;
		value = 0;
		/* The lower bytes come first on x86-64. */
		if (m->add)
			memcpy(&value, at, m->size);
		value += m->value;
		memcpy(at, &value, m->size);
	}
}
