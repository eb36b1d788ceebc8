/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/mutants/mutant.h"

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

static void set(void *at, size_t size, uint64_t value)
{
	uint8_t v8 = (uint8_t)value;
	uint16_t v16 = (uint16_t)value;
	uint32_t v32 = (uint32_t)value;
	const void *from = size == 1 ? (void *)&v8 : size == 2 ? (void *)&v16 :
			   size == 4 ? (void *)&v32 : (void *)&value;

	memcpy(at, from, size);
}

static uint64_t get(const void *at, size_t size)
{
	uint8_t v8 = 0;
	uint16_t v16 = 0;
	uint32_t v32 = 0;
	uint64_t v64 = 0;

	memcpy(size == 1 ? (void *)&v8 : size == 2 ? (void *)&v16 :
	       size == 4 ? (void *)&v32 : (void *)&v64, at, size);
	return size == 1 ? v8 : size == 2 ? v16 : size == 4 ? v32 : v64;
}

void mutant_members(void *filled, const struct mutant_member *members, size_t n)
{
	const struct mutant_member *m;
	char *at;

	for (m = members; m < members + n; m++) {
		if (!mutant_on(m->mutant))
			continue;
		at = (char *)filled + m->offset;
		set(at, m->size, m->add ? get(at, m->size) + m->value : m->value);
	}
}
