/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_DNS_ZONE_H
#define VBM_DNS_ZONE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/value.h"

/*
 * What "dns:" of a scenario asks for, split between the two that serve it:
 * unbound answers with records, NXDOMAIN and NODATA; every fault (any other
 * response code, silence, failing first, answering late, truncating what would
 * fit) is the work of the gate in front of unbound. Pure.
 */
#define DNS_SILENT (-1)
#define DNS_PASS (-2)	/* as unbound answers */

/* What the gate does with questions for one name and type. */
struct dns_rule {
	char *owner;	/* owned; lower case */
	unsigned int type;	/* DNS_TYPE_ANY: all that have no rule of their own */
	int rcode;	/* or DNS_SILENT, or DNS_PASS */
	int first;	/* what the first @times questions get; DNS_PASS: nothing special */
	int times;
	int delay_ms;
	bool truncate;	/* over UDP */
};

/* What is asked of @owner is asked of @target, whose faults count, too. */
struct dns_alias {
	char *owner, *target;	/* owned; lower case */
};

struct dns_zone {
	char *records;	/* owned; a zone file of the root */
	struct dns_rule *rule;	/* owned */
	size_t rules;
	struct dns_alias *alias;	/* owned */
	size_t aliases;
};

/* The zone file in which no name is. */
extern const char dns_zone_empty[];

/* A word that can stand for a name's records, or for those of one type. */
struct dns_word {
	const char *name;
	int rcode;	/* NOERROR: NODATA */
	const char *doc;
};

/* A key in the map of a name. */
struct dns_key {
	const char *name, *doc;
};

extern const struct dns_word dns_words[];	/* both end with a NULL name */
extern const struct dns_key dns_keys[];

/* False when something is wrong; @zone (NULL: only look) is then empty. */
bool dns_zone_read(struct dns_zone *zone, const struct value *dns,
		   struct diagnostics *diag);
void dns_zone_fini(struct dns_zone *zone);

/* The rule for a question (its name in lower case), or NULL. */
const struct dns_rule *dns_zone_rule(const struct dns_zone *zone, const char *name,
				     unsigned int type);

/* The name that @name is an alias of, or NULL. */
const char *dns_zone_alias(const struct dns_zone *zone, const char *name);

/* Whether a name can be asked for: labels of 1 to 63 letters, digits, - and _. */
bool dns_name_ok(const char *name);

#endif
