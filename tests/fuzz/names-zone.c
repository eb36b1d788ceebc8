/* SPDX-License-Identifier: BSD-2-Clause */
#include "names-zone.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "random.h"

#define LONG "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-1"	/* 63 letters */

/* There are so few labels that names with and without a domain often both exist. */
static const char *const labels[] = {"a", "b", "www", "x", "n-1", "_s", "a", "b", LONG, NULL};
static const char *const domains[] = {
	"x.test", "x.test", "test", "x", "b.test", "y.test", "sub.x.test", NULL,
};

static const char *const answer_words[ANSWERS] = {
	[ANSWER_NODATA] = "NODATA", [ANSWER_NXDOMAIN] = "NXDOMAIN", [ANSWER_FORMERR] = "FORMERR",
	[ANSWER_SERVFAIL] = "SERVFAIL", [ANSWER_NOTIMP] = "NOTIMP",
	[ANSWER_REFUSED] = "REFUSED", [ANSWER_SILENT] = "SILENT",
};

/* True once in @times. */
static bool rarely(struct dice *d, unsigned int times)
{
	return !dice_roll(d, times);
}

static void roll_name(struct dice *d, char *out, size_t room)
{
	const char *first = dice_pick(d, labels), *second = dice_pick(d, labels);
	const char *domain = dice_pick(d, domains);

	if (rarely(d, 8))
		snprintf(out, room, "%s", first);
	else if (rarely(d, 4))
		snprintf(out, room, "%s.%s.%s", first, second, domain);
	else
		snprintf(out, room, "%s.%s", first, domain);
}

static address_set roll_set(struct dice *d)
{
	address_set all = (((address_set)1 << ADDRESSES_MOST) - 1) << 1, set = 0;

	if (rarely(d, 12))
		return all;	/* more than a datagram can hold */
	for (unsigned int n = 1 + dice_roll(d, 3); n; n--)
		set |= (address_set)2 << dice_roll(d, ADDRESSES_MOST);
	return set;
}

/* Silence takes a second each time, so few zones have it. */
static enum answer roll_fault(struct zone *z, struct dice *d)
{
	static const enum answer faults[] = {
		ANSWER_SERVFAIL, ANSWER_SERVFAIL, ANSWER_REFUSED, ANSWER_NOTIMP, ANSWER_FORMERR,
	};

	if (z->silence && rarely(d, 2))
		return ANSWER_SILENT;
	return faults[dice_roll(d, 5)];
}

static void roll_types(struct zone *z, struct entry *e, struct dice *d)
{
	for (int t = 0; t < TYPES; t++) {
		if (rarely(d, 3))
			continue;
		if (rarely(d, 8))
			e->type[t] = rarely(d, 3) ? ANSWER_NODATA : roll_fault(z, d);
		else
			e->set[t] = roll_set(d);
	}
	e->truncate = rarely(d, 10);
	e->delay_ms = rarely(d, 10) ? 1 + (int)dice_roll(d, 40) : 0;
}

static void roll_whole(struct zone *z, struct entry *e, struct dice *d)
{
	switch (dice_roll(d, 5)) {
	case 0:
		e->whole = ANSWER_NXDOMAIN;
		break;
	case 1:
		e->whole = ANSWER_NODATA;
		break;
	case 2:
		e->whole = ANSWER_ODD;
		e->rcode = 6 + (int)dice_roll(d, 10);
		break;
	default:
		e->whole = roll_fault(z, d);
	}
}

/* An alias leads only to an earlier name or to nothing, so there is no circle. */
static void roll_alias(struct entry *e, const char *target)
{
	if (strcmp(e->name, target))
		snprintf(e->alias, sizeof(e->alias), "%s", target);
}

/* A name followed by a domain, so that the search list has a choice. */
static void roll_longer(const struct zone *z, struct dice *d, char *out)
{
	const char *shorter = z->entry[dice_roll(d, (unsigned int)z->entries)].name;

	char longer[NAME_LONGEST];

	if (strlen(shorter) >= NAME_LONGEST / 2)
		return;
	snprintf(longer, sizeof(longer), "%s.%s", shorter, dice_pick(d, domains));
	memcpy(out, longer, sizeof(longer));
}

static void roll_entry(struct zone *z, struct dice *d)
{
	struct entry *e = &z->entry[z->entries];
	char target[NAME_LONGEST];

	roll_name(d, e->name, sizeof(e->name));
	if (z->entries && rarely(d, 3))
		roll_longer(z, d, e->name);
	if (zone_find(z, e->name) != NULL)
		return;
	z->entries++;
	if (rarely(d, 4)) {
		snprintf(target, sizeof(target), "%s", z->entry[dice_roll(d, (unsigned int)z->entries)].name);
		if (rarely(d, 6))
			snprintf(target, sizeof(target), "nobody.test");
		roll_alias(e, target);
	}
	if (e->alias[0])
		e->delay_ms = rarely(d, 10) ? 1 + (int)dice_roll(d, 20) : 0;
	else if (rarely(d, 3))
		roll_whole(z, e, d);
	else
		roll_types(z, e, d);
}

static void roll_search(struct zone *z, struct dice *d)
{
	static const char *const list[] = {
		"x.test", "test", "y.test", "b.test", "X.Test", "y.test.", "nowhere.test", ".", NULL,
	};

	z->searches = dice_roll(d, SEARCH_MOST + 1);
	for (size_t i = 0; i < z->searches; i++)
		snprintf(z->search[i], sizeof(z->search[i]), "%s", dice_pick(d, list));
}

void zone_roll(struct zone *z, struct dice *d)
{
	unsigned int tries = 4 + dice_roll(d, ENTRIES_MOST - 4);

	memset(z, 0, sizeof(*z));
	z->silence = rarely(d, 16);
	while (tries--)
		roll_entry(z, d);
	roll_search(z, d);
	z->ndots = rarely(d, 2) ? 1 : (int)dice_roll(d, 4);
	z->stray = rarely(d, 6);
	z->dead_first = !z->silence && rarely(d, 40);
	z->use_tcp = !z->stray && rarely(d, 12);
	z->rotate = rarely(d, 12);
	z->attempts = z->silence ? 1 : 1 + (int)dice_roll(d, 2);
	z->timeout_s = z->silence || z->dead_first ? 1 : 10;
	for (size_t i = 0; z->stray && i < z->entries; i++) {
		/* The proxy with wrong answers supports UDP only. */
		struct entry *e = &z->entry[i];

		e->truncate = false;
		for (int t = 0; t < TYPES; t++)
			e->set[t] &= 0xff;
	}
}

static void part_of(const struct zone *z, struct dice *d, char *node)
{
	const struct entry *e = &z->entry[dice_roll(d, (unsigned int)z->entries)];
	unsigned int cut = dice_roll(d, 4);
	char *dot = node;

	snprintf(node, NAME_ROOM, "%s", e->name);
	if (!cut)
		return;
	/* Without some of its last labels, which the search list can add again. */
	while (cut-- && (dot = strchr(dot + 1, '.')))
		;
	if (dot)
		*dot = '\0';
}

/* Names with the longest possible labels or the greatest possible length. */
static void long_node(struct dice *d, char *node)
{
	size_t len = rarely(d, 2) ? 62 + dice_roll(d, 3) : 240 + dice_roll(d, 20);

	for (size_t i = 0; i < len; i++)
		node[i] = len > 70 && i % 32 == 31 && i + 1 < len ? '.' : 'a';
	node[len] = '\0';
}

void zone_roll_node(const struct zone *z, struct dice *d, char node[NAME_ROOM])
{
	if (rarely(d, 40))
		long_node(d, node);
	else if (rarely(d, 5) || !z->entries)
		roll_name(d, node, NAME_ROOM);
	else
		part_of(z, d, node);
	if (rarely(d, 12))
		strncat(node, rarely(d, 3) ? ".7" : ".", NAME_ROOM - 1 - strlen(node));
	for (char *c = node; *c && rarely(d, 2); c++)
		*c = (char)toupper((unsigned char)*c);
}

static void write_type(FILE *f, const struct entry *e, int t, bool *first)
{
	const char *comma = "";

	if (e->type[t] == ANSWER_RECORDS && !e->set[t])
		return;
	fprintf(f, "%s\"%s\": ", *first ? "" : ", ", t == FOUR ? "A" : "AAAA");
	*first = false;
	if (e->type[t] != ANSWER_RECORDS) {
		fprintf(f, "\"%s\"", answer_words[e->type[t]]);
		return;
	}
	fprintf(f, "[");
	for (unsigned int n = 1; n <= ADDRESSES_MOST; n++) {
		if (!(e->set[t] >> n & 1))
			continue;
		fprintf(f, t == FOUR ? "%s\"192.0.2.%u\"" : "%s\"2001:db8::%x\"", comma, n);
		comma = ",";
	}
	fprintf(f, "]");
}

static void write_entry(FILE *f, const struct entry *e)
{
	bool first = true;

	fprintf(f, "\"%s\": ", e->name);
	if (e->whole == ANSWER_ODD) {
		fprintf(f, "{\"rcode\": %d}", e->rcode);
		return;
	}
	if (e->whole != ANSWER_RECORDS) {
		fprintf(f, "\"%s\"", answer_words[e->whole]);
		return;
	}
	fprintf(f, "{");
	if (e->alias[0]) {
		fprintf(f, "\"CNAME\": \"%s\"", e->alias);
		first = false;
	}
	for (int t = 0; t < TYPES && !e->alias[0]; t++)
		write_type(f, e, t, &first);
	if (e->delay_ms)
		fprintf(f, "%s\"delay_ms\": %d", first ? "" : ", ", e->delay_ms);
	if (e->truncate)
		fprintf(f, "%s\"truncate\": true", first && !e->delay_ms ? "" : ", ");
	fprintf(f, "}");
}

char *zone_text(const struct zone *z)
{
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		abort();
	fprintf(f, "{");
	for (size_t i = 0; i < z->entries; i++) {
		fprintf(f, "%s", i ? ", " : "");
		write_entry(f, &z->entry[i]);
	}
	fprintf(f, "}");
	fclose(f);
	return text;
}

const struct entry *zone_find(const struct zone *z, const char *name)
{
	for (size_t i = 0; i < z->entries; i++)
		if (!strcasecmp(z->entry[i].name, name))
			return &z->entry[i];
	return NULL;
}

/* A name that the proxy answers itself gets no record. */
static bool has_records(const struct entry *e)
{
	return e->whole == ANSWER_RECORDS || e->whole == ANSWER_NODATA;
}

bool zone_has_below(const struct zone *z, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < z->entries; i++) {
		const char *other = z->entry[i].name;
		size_t len = strlen(other);

		if (has_records(&z->entry[i]) && len > n && other[len - n - 1] == '.' &&
		    !strcasecmp(other + len - n, name))
			return true;
	}
	return false;
}
