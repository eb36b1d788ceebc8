/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_DNS_ZONE_H
#define VBM_DNS_ZONE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/critic.h"
#include "base/value.h"

/*
 * What "dns:" of a scenario asks for, split between the two that serve it:
 * unbound answers with records, NXDOMAIN, NODATA, REFUSED and silence; what no
 * honest server does by configuration (other response codes, one answer for A
 * and another for AAAA, failing first, answering late, truncating what would
 * fit) is done by the gate in front of it. Pure.
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

struct dns_zone {
	char *records;	/* owned; a zone file of the root */
	char *local;	/* owned; lines for the server clause of unbound.conf */
	struct dns_rule *rule;	/* owned */
	size_t rules;
};

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
		   struct critic *critic);
void dns_zone_fini(struct dns_zone *zone);

/* The rule for a question (its name in lower case), or NULL. */
const struct dns_rule *dns_zone_rule(const struct dns_zone *zone, const char *name,
				     unsigned int type);

/* Whether a name can be asked for: labels of 1 to 63 letters, digits, - and _. */
bool dns_name_ok(const char *name);

#endif
