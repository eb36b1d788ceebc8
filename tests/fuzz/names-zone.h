/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FUZZ_NAMES_ZONE_H
#define VBM_FUZZ_NAMES_ZONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dice;

#define NAME_ROOM 520
#define NAME_LONGEST 160	/* of the zone */
#define ENTRIES_MOST 16
#define ADDRESSES_MOST 60
#define SEARCH_MOST 3

enum { FOUR, SIX, TYPES };

/*
 * Addresses are numbers from 1 to 60: bit N stands for 192.0.2.N or for
 * 2001:db8::N.
 */
typedef uint64_t address_set;

/* How a question about one name and type is answered. */
enum answer {
	ANSWER_RECORDS,		/* those of the entry; none: there is no data */
	ANSWER_NODATA,
	ANSWER_NXDOMAIN,
	ANSWER_FORMERR,
	ANSWER_SERVFAIL,
	ANSWER_NOTIMP,
	ANSWER_REFUSED,
	ANSWER_ODD,		/* response codes that nobody uses */
	ANSWER_SILENT,
	ANSWERS,
};

struct entry {
	char name[NAME_LONGEST];
	char alias[NAME_LONGEST];	/* "": none */
	enum answer whole;	/* of the name; ANSWER_RECORDS: see the types */
	enum answer type[TYPES];
	address_set set[TYPES];
	int rcode;		/* of ANSWER_ODD */
	int delay_ms;
	bool truncate;
};

/* A zone and a resolv.conf(5) with which it is looked into. */
struct zone {
	struct entry entry[ENTRIES_MOST];
	size_t entries;
	char search[SEARCH_MOST][64];
	size_t searches;
	int ndots;
	bool silence;		/* something in it is silent */
	bool stray;		/* each answer is preceded by one to another question */
	bool dead_first;	/* the first of the servers does not exist */
	bool use_tcp, rotate;
	int attempts;
	int timeout_s;		/* long where nothing waits for it: a busy machine does not reach it */
};

void zone_roll(struct zone *z, struct dice *d);

/* A name to look up: mostly one of the zone's, in whole or in part. */
void zone_roll_node(const struct zone *z, struct dice *d, char node[NAME_ROOM]);

/* As the test's name server reads it (JSON), which the caller frees. */
char *zone_text(const struct zone *z);

const struct entry *zone_find(const struct zone *z, const char *name);

/* A name without an answer of its own exists when something is below it. */
bool zone_has_below(const struct zone *z, const char *name);

#endif
