/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/mutants/mutant.h"

#include <dlfcn.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ON_MAX 64
#define NAME_SIZE 80
#define HOW_SIZE 512

static char on[ON_MAX][NAME_SIZE];
static size_t on_count;

/* "device/gid" is also the scenario of the variant "device/gid[6]". */
static bool is_of(const char *variant, const char *scenario)
{
	size_t len = strlen(scenario);

	return strncmp(variant, scenario, len) == 0 && (!variant[len] || variant[len] == '[');
}

static void take_line(const char *variant, const char *line)
{
	char scenario[256], mutant[NAME_SIZE], how[HOW_SIZE];
	const char *wrong;

	if (sscanf(line, "%255s %79s %511[^\n]", scenario, mutant, how) != 3)
		wrong = "the line does not have a scenario, a mutant and a text";
	else if (!is_of(variant, scenario))
		return;
	else
		wrong = strcmp(how, "-") != 0 ? mutant_take(how) : NULL;
	if (wrong || on_count == ON_MAX) {
		fprintf(stderr, "mutants: %s: %s\n", line, wrong ? wrong : "too many mutants are on");
		abort();
	}
	memcpy(on[on_count++], mutant, sizeof(mutant));
}

__attribute__((constructor))
static void read_environment(void)
{
	const char *variant = getenv("VERBATIM_VARIANT"), *at = getenv("VERBATIM_MUTANTS");

	for (; variant && at && *at; at += strcspn(at, "\n"), at += *at == '\n')
		if (*at != '\n')
			take_line(variant, at);
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
