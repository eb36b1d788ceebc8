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

/* Addresses are numbers from 1 to 60: bit N is 192.0.2.N or 2001:db8::N. */
typedef uint64_t address_set;

/* The answer to a question for one name and type. */
enum answer {
	ANSWER_RECORDS,		/* the records of the entry; without any: no data */
	ANSWER_NODATA,
	ANSWER_NXDOMAIN,
	ANSWER_FORMERR,
	ANSWER_SERVFAIL,
	ANSWER_NOTIMP,
	ANSWER_REFUSED,
	ANSWER_ODD,		/* unusual response codes */
	ANSWER_SILENT,
	ANSWERS,
};

struct entry {
	char name[NAME_LONGEST];
	char alias[NAME_LONGEST];	/* "": not an alias */
	enum answer whole;	/* for all types; ANSWER_RECORDS: see each type */
	enum answer type[TYPES];
	address_set set[TYPES];
	int rcode;		/* of ANSWER_ODD */
	int delay_ms;
	bool truncate;
};

/* A zone, and the resolv.conf(5) of its clients. */
struct zone {
	struct entry entry[ENTRIES_MOST];
	size_t entries;
	char search[SEARCH_MOST][64];
	size_t searches;
	int ndots;
	bool silence;		/* a name in it gets no answer */
	bool stray;		/* a wrong answer comes before each real one */
	bool dead_first;	/* the first server in the list does not exist */
	bool use_tcp, rotate;
	int attempts;
	int timeout_s;		/* long if no test waits for it, so that a busy machine does not reach it */
};

void zone_roll(struct zone *z, struct dice *d);

/* A name to look up. Most are a name of the zone, or a part of one. */
void zone_roll_node(const struct zone *z, struct dice *d, char node[NAME_ROOM]);

/* The zone as the test's name server reads it (JSON). The caller frees the text. */
char *zone_text(const struct zone *z);

const struct entry *zone_find(const struct zone *z, const char *name);

/* A name without an answer of its own exists if there is a name below it. */
bool zone_has_below(const struct zone *z, const char *name);

#endif
