/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns/zone.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "base/xalloc.h"
#include "dns/message.h"

#define NAME_MAX_LENGTH 253
#define LABEL_MAX_LENGTH 63
#define DELAY_MAX_MS 600000
#define TIMES_MAX 1000
#define RECORDS_MAX 1000

/* The record of a name that exists but has no address. */
#define NOTHING "TXT \"there\""

const char dns_zone_empty[] = "$TTL 60\n. SOA ns. admin. 1 60 60 60 60\n. NS ns.\nns. A 127.0.0.1\n";

const struct dns_word dns_words[] = {
	{"NODATA", RCODE_NOERROR, "the name exists, without a record of that type"},
	{"NXDOMAIN", RCODE_NXDOMAIN, "there is no such name"},
	{"SERVFAIL", RCODE_SERVFAIL, "the server failed"},
	{"FORMERR", RCODE_FORMERR, "the server did not understand"},
	{"NOTIMP", RCODE_NOTIMP, "the server cannot do that"},
	{"REFUSED", RCODE_REFUSED, "the server will not do that"},
	{"SILENT", DNS_SILENT, "there is never an answer"},
	{NULL, 0, NULL},
};

/* The name that is being read. */
struct dns_owner {
	char *name;		/* owned */
	FILE *records;		/* borrowed */
	int word;		/* for the whole name; DNS_PASS: no word */
	int a, aaaa;		/* for one type; DNS_PASS: no word */
	int first, times, delay_ms;
	bool truncate, has_records, has_alias;
	char *target;		/* owned; the alias's target */
};

/* Whether clients can ask for the name: labels of 1 to 63 letters, digits, - and _. */
static bool dns_name_ok(const char *name)
{
	size_t n;

	if (!*name || strlen(name) > NAME_MAX_LENGTH)
		return false;
	for (;; name += n + 1) {
		for (n = 0; isalnum((unsigned char)name[n]) || name[n] == '-' || name[n] == '_';)
			n++;
		if (!n || n > LABEL_MAX_LENGTH || (name[n] && name[n] != '.'))
			return false;
		if (!name[n])
			return true;
	}
}

static char *lower_case(const char *s)
{
	char *copy = xstrdup(s), *p;

	for (p = copy; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return copy;
}

static const struct dns_word *find_word(const struct value *v)
{
	const struct dns_word *w;

	for (w = dns_words; w->name && v->type == VALUE_STRING; w++)
		if (strcmp(w->name, v->s) == 0)
			return w;
	return NULL;
}

static void bad_word(struct diagnostics *d, const struct value *v, const char *what)
{
	auto_free char *shown = value_show(v);
	const struct dns_word *w;
	struct suggestion s;

	suggest_init(&s, v->type == VALUE_STRING ? v->s : "");
	for (w = dns_words; w->name; w++)
		suggest_offer(&s, w->name);
	diag_add(d, v->pos, suggest_hint(suggest_best(&s)), "%s is not %s", shown, what);
}

static bool is_address(const struct value *v, int family)
{
	unsigned char bytes[16];

	return v->type == VALUE_STRING && inet_pton(family, v->s, bytes) == 1;
}

static void add_address(struct diagnostics *d, struct dns_owner *o, const struct value *v, int family)
{
	const char *type = family == AF_INET ? "A" : "AAAA";

	if (is_address(v, family))
		fprintf(o->records, "%s. %s %s\n", o->name, type, v->s);
	else if (!diag_spares(d, v))
		bad_word(d, v, family == AF_INET ? "an IPv4 address or a word of dns"
						 : "an IPv6 address or a word of dns");
	o->has_records = true;
}

/* "A:" and "AAAA:": an address, a list of them, or a word. */
static void read_addresses(struct diagnostics *d, struct dns_owner *o, const struct value *v,
			   int family)
{
	int *slot = family == AF_INET ? &o->a : &o->aaaa;
	const struct dns_word *w = find_word(v);
	size_t i;

	if (w) {
		*slot = w->rcode;
		return;
	}
	if (v->type != VALUE_LIST) {
		add_address(d, o, v, family);
		return;
	}
	if (!v->list.count || v->list.count > RECORDS_MAX)
		diag_add(d, v->pos, NULL, "this takes a list of 1 to %d addresses", RECORDS_MAX);
	for (i = 0; i < v->list.count; i++)
		add_address(d, o, v->list.item[i], family);
}

static void read_a(struct diagnostics *d, struct dns_owner *o, const struct value *v)
{
	read_addresses(d, o, v, AF_INET);
}

static void read_aaaa(struct diagnostics *d, struct dns_owner *o, const struct value *v)
{
	read_addresses(d, o, v, AF_INET6);
}

static void read_cname(struct diagnostics *d, struct dns_owner *o, const struct value *v)
{
	o->has_alias = true;
	if (diag_spares(d, v))
		return;
	if (v->type != VALUE_STRING || !dns_name_ok(v->s)) {
		diag_add(d, v->pos, NULL, "CNAME takes the name that this one is an alias of");
		return;
	}
	o->target = lower_case(v->s);
	fprintf(o->records, "%s. CNAME %s.\n", o->name, o->target);
}

static int read_code(struct diagnostics *d, const struct value *v, const char *key)
{
	const struct dns_word *w = find_word(v);

	if (w && w->rcode != RCODE_NOERROR)
		return w->rcode;
	if (v->type == VALUE_INT && v->i > 0 && v->i <= RCODE_MAX)
		return (int)v->i;
	if (!diag_spares(d, v))
		diag_add(d, v->pos, NULL,
			 "'%s' takes a word (SERVFAIL, ...) or a response code of 1 to %d",
			 key, RCODE_MAX);
	return RCODE_SERVFAIL;
}

static void read_rcode(struct diagnostics *d, struct dns_owner *o, const struct value *v)
{
	o->word = read_code(d, v, "rcode");
}

static void read_first(struct diagnostics *d, struct dns_owner *o, const struct value *v)
{
	o->first = read_code(d, v, "first");
}

static int read_number(struct diagnostics *d, const struct value *v, const char *key, int max)
{
	if (v->type == VALUE_INT && v->i > 0 && v->i <= max)
		return (int)v->i;
	if (!diag_spares(d, v))
		diag_add(d, v->pos, NULL, "'%s' takes a number from 1 to %d", key, max);
	return 1;
}

static void read_times(struct diagnostics *d, struct dns_owner *o, const struct value *v)
{
	o->times = read_number(d, v, "times", TIMES_MAX);
}

static void read_delay(struct diagnostics *d, struct dns_owner *o, const struct value *v)
{
	o->delay_ms = read_number(d, v, "delay_ms", DELAY_MAX_MS);
}

static void read_truncate(struct diagnostics *d, struct dns_owner *o, const struct value *v)
{
	if (v->type == VALUE_BOOL)
		o->truncate = v->b;
	else if (!diag_spares(d, v))
		diag_add(d, v->pos, NULL, "'truncate' takes true or false");
}

const struct dns_key dns_keys[] = {
	{"A", read_a, "IPv4 address, a list of them, or a word"},
	{"AAAA", read_aaaa, "IPv6 address, a list of them, or a word"},
	{"CNAME", read_cname, "the name that this one is an alias of"},
	{"rcode", read_rcode, "response code of every answer: a word or a number"},
	{"first", read_first, "response code of the first answers: a word or a number"},
	{"times", read_times, "the number of answers of each type that \"first\" applies to; default 1"},
	{"delay_ms", read_delay, "milliseconds until an answer is sent; default 0"},
	{"truncate", read_truncate, "true: answers over UDP are truncated, those over TCP are whole"},
	{NULL},
};

static void read_key(struct diagnostics *d, struct dns_owner *o, const struct value_member *m)
{
	struct suggestion s;
	size_t i;

	suggest_init(&s, m->key);
	for (i = 0; dns_keys[i].name; i++) {
		if (strcmp(dns_keys[i].name, m->key) == 0) {
			dns_keys[i].read(d, o, m->value);
			return;
		}
		suggest_offer(&s, dns_keys[i].name);
	}
	diag_add(d, m->pos, suggest_hint(suggest_best(&s)), "a name has no key '%s'", m->key);
}

static void read_map(struct diagnostics *d, struct dns_owner *o, const struct value *v)
{
	size_t i;

	for (i = 0; i < v->map.count; i++)
		read_key(d, o, &v->map.member[i]);
	if (o->has_alias && (o->has_records || o->a != DNS_PASS || o->aaaa != DNS_PASS))
		diag_add(d, v->pos, NULL, "an alias cannot have other records");
	if (o->word != DNS_PASS && (o->has_alias || o->has_records))
		diag_add(d, v->pos, NULL, "with 'rcode' no client sees the records of a name");
	if (value_get(v, "times") && !value_get(v, "first"))
		diag_add(d, v->pos, NULL, "'times' is for 'first', which is missing");
}

/* A word, or the map of a name. */
static void read_owner(struct diagnostics *d, struct dns_owner *o, const struct value *v)
{
	const struct dns_word *w = find_word(v);

	if (w)
		o->word = w->rcode;
	else if (v->type == VALUE_MAP)
		read_map(d, o, v);
	else if (!diag_spares(d, v))
		bad_word(d, v, "a word of dns, nor a map of records");
}

static void add_rule(struct dns_zone *z, const struct dns_owner *o, unsigned int type, int rcode)
{
	GROW(z->rule, z->rules);
	z->rule[z->rules++] = (struct dns_rule){
		.owner = xstrdup(o->name),
		.type = type,
		.rcode = rcode,
		.first = o->first,
		.times = o->first == DNS_PASS ? 0 : o->times,
		.delay_ms = o->delay_ms,
		.truncate = o->truncate,
	};
}

static bool is_special(const struct dns_owner *o)
{
	return o->first != DNS_PASS || o->delay_ms || o->truncate;
}

/* unbound answers NODATA and NXDOMAIN itself; other words need a rule. */
static void write_word(struct dns_zone *z, const struct dns_owner *o)
{
	bool by_unbound = o->word == RCODE_NOERROR || o->word == RCODE_NXDOMAIN;

	if (o->word == RCODE_NOERROR)
		fprintf(o->records, "%s. %s\n", o->name, NOTHING);
	if (!by_unbound || is_special(o))
		add_rule(z, o, DNS_TYPE_ANY, by_unbound ? DNS_PASS : o->word);
}

static void add_alias(struct dns_zone *z, const struct dns_owner *o)
{
	GROW(z->alias, z->aliases);
	z->alias[z->aliases++] = (struct dns_alias){
		.owner = xstrdup(o->name),
		.target = xstrdup(o->target),
	};
}

static void write_records(struct dns_zone *z, const struct dns_owner *o)
{
	const struct {
		unsigned int type;
		int word;
	} types[] = {{DNS_TYPE_A, o->a}, {DNS_TYPE_AAAA, o->aaaa}};
	bool special = is_special(o);
	size_t i;

	if (o->target)
		add_alias(z, o);
	if (!o->has_records && !o->has_alias)
		fprintf(o->records, "%s. %s\n", o->name, NOTHING);
	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i].word != DNS_PASS && types[i].word != RCODE_NOERROR)
			add_rule(z, o, types[i].type, types[i].word);
		else if (special)
			add_rule(z, o, types[i].type, DNS_PASS);
	if (special)
		add_rule(z, o, DNS_TYPE_ANY, DNS_PASS);
}

static void read_member(struct diagnostics *d, struct dns_zone *z, const struct value_member *m,
			FILE *records)
{
	auto_free char *name = lower_case(m->key);
	struct dns_owner o = {
		.name = name, .records = records, .word = DNS_PASS, .a = DNS_PASS,
		.aaaa = DNS_PASS, .first = DNS_PASS, .times = 1,
	};

	if (!dns_name_ok(name)) {
		diag_add(d, m->pos, NULL,
			 "'%.80s' is not a domain name: labels of 1 to %d letters, digits, "
			 "- and _, with dots between them and none at the end", m->key,
			 LABEL_MAX_LENGTH);
		return;
	}
	read_owner(d, &o, m->value);
	if (o.word != DNS_PASS)
		write_word(z, &o);
	else
		write_records(z, &o);
	free(o.target);
}

bool dns_zone_read(struct dns_zone *zone, const struct value *dns, struct diagnostics *d)
{
	const size_t before = d->said;
	struct dns_zone z = {0};
	size_t i, n;
	FILE *records;

	if (dns->type != VALUE_MAP) {
		diag_add(d, dns->pos, NULL,
			 "'dns' takes a map from names to answers");
		return false;
	}
	records = open_memstream(&z.records, &n);
	if (!records)
		abort();
	fputs(dns_zone_empty, records);
	for (i = 0; i < dns->map.count; i++)
		read_member(d, &z, &dns->map.member[i], records);
	fclose(records);
	if (d->said == before && zone)
		*zone = z;
	else
		dns_zone_fini(&z);
	return d->said == before;
}

void dns_zone_fini(struct dns_zone *zone)
{
	size_t i;

	for (i = 0; i < zone->rules; i++)
		free(zone->rule[i].owner);
	for (i = 0; i < zone->aliases; i++) {
		free(zone->alias[i].owner);
		free(zone->alias[i].target);
	}
	free(zone->rule);
	free(zone->alias);
	free(zone->records);
	*zone = (struct dns_zone){0};
}

const struct dns_rule *dns_zone_rule(const struct dns_zone *zone, const char *name,
				     unsigned int type)
{
	const struct dns_rule *r, *any = NULL;
	size_t i;

	for (i = 0; i < zone->rules; i++) {
		r = &zone->rule[i];
		if (strcmp(r->owner, name))
			continue;
		if (r->type == type)
			return r;
		if (r->type == DNS_TYPE_ANY)
			any = r;
	}
	return any;
}

const char *dns_zone_alias(const struct dns_zone *zone, const char *name)
{
	size_t i;

	for (i = 0; i < zone->aliases; i++)
		if (strcmp(zone->alias[i].owner, name) == 0)
			return zone->alias[i].target;
	return NULL;
}
