/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_DNS_ZONE_H
#define VBM_DNS_ZONE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/value.h"

/*
 * The "dns:" of a scenario, split between the two processes that serve it. unbound answers
 * with records, NXDOMAIN and NODATA. The proxy in front of it makes every fault: any other
 * response code, silence, failing first, answering late, and truncating an answer that
 * would fit. Pure.
 */
#define DNS_SILENT (-1)
#define DNS_PASS (-2)	/* unbound's answer */

/* The behaviour of the proxy for questions about one name and type. */
struct dns_rule {
	char *owner;	/* owned; lower case */
	unsigned int type;	/* DNS_TYPE_ANY: all types without a rule of their own */
	int rcode;	/* a response code, DNS_SILENT or DNS_PASS */
	int first;	/* the same, for the first @times questions */
	int times;
	int delay_ms;
	bool truncate;	/* answers over UDP */
};

/* Questions for @owner are answered with the records and faults of @target. */
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

/* A zone file without a name. */
extern const char dns_zone_empty[];

/* A word for all records of a name, or for those of one type. */
struct dns_word {
	const char *name;
	int rcode;	/* NOERROR: NODATA */
	const char *doc;
};

/* A key in the map of a name. */
struct dns_owner;
struct dns_key {
	const char *name;
	void (*read)(struct diagnostics *d, struct dns_owner *o, const struct value *v);
	const char *doc;
};

extern const struct dns_word dns_words[];	/* both end with a NULL name */
extern const struct dns_key dns_keys[];

/* False when @dns has a mistake; @zone is then empty. NULL for @zone: only check. */
bool dns_zone_read(struct dns_zone *zone, const struct value *dns,
		   struct diagnostics *diag);
void dns_zone_fini(struct dns_zone *zone);

/* The rule for a question, or NULL. @name is in lower case. */
const struct dns_rule *dns_zone_rule(const struct dns_zone *zone, const char *name,
				     unsigned int type);

/* The target of the alias @name, or NULL. */
const char *dns_zone_alias(const struct dns_zone *zone, const char *name);

#endif
