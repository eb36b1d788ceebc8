/* SPDX-License-Identifier: BSD-2-Clause */
#include "names-model.h"

#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include <verbatim/addrinfo.h>

#define CANDIDATES_MOST (SEARCH_MOST + 1)

/* The names to ask for, in order, for one node. */
struct candidates {
	char name[CANDIDATES_MOST][NAME_ROOM];
	size_t count;
};

static void add_candidate(struct candidates *c, const char *node, const char *domain)
{
	char *name = c->name[c->count++];
	size_t len;

	snprintf(name, NAME_ROOM, "%s%s%s", node, *domain && *domain != '.' ? "." : "", domain);
	len = strlen(name);
	while (len && name[len - 1] == '.')
		name[--len] = '\0';
}

/* resolv.conf(5), "search" and "ndots". */
static void list_candidates(const struct zone *z, const char *node, struct candidates *c)
{
	size_t len = strlen(node);
	int dots = 0;
	bool first;

	c->count = 0;
	for (const char *s = node; *s; s++)
		dots += *s == '.';
	first = dots >= z->ndots;
	if (node[len - 1] == '.' || first)
		add_candidate(c, node, "");
	if (node[len - 1] == '.')
		return;
	for (size_t i = 0; i < z->searches; i++)
		add_candidate(c, node, z->search[i]);
	if (!first)
		add_candidate(c, node, "");
}

/* The servers' answer for one name and type; aliases are followed. */
static enum answer ask(const struct zone *z, const char *name, int type, address_set *set,
		       char *canon)
{
	const struct entry *e = zone_find(z, name);
	enum answer answer;

	while (e && e->alias[0]) {
		name = e->alias;
		e = zone_find(z, name);
	}
	if (!e || e->whole == ANSWER_NXDOMAIN)
		return zone_has_below(z, name) ? ANSWER_NODATA : ANSWER_NXDOMAIN;
	answer = e->whole == ANSWER_RECORDS ? e->type[type] : e->whole;
	if (answer == ANSWER_RECORDS && !e->set[type])
		answer = ANSWER_NODATA;
	if (answer == ANSWER_RECORDS) {
		*set = e->set[type];
		snprintf(canon, NAME_ROOM, "%s", e->name);
	}
	return answer;
}

/* The code for each answer without an address (GAI-RET-*). */
static const int codes[ANSWERS] = {
	[ANSWER_NODATA] = EAI_NODATA,
	[ANSWER_NXDOMAIN] = EAI_NONAME,
	[ANSWER_FORMERR] = EAI_FAIL,
	[ANSWER_ODD] = EAI_FAIL,
	[ANSWER_SERVFAIL] = EAI_AGAIN,
	[ANSWER_NOTIMP] = EAI_AGAIN,
	[ANSWER_REFUSED] = EAI_AGAIN,
	[ANSWER_SILENT] = EAI_AGAIN,
};

/* The weaker of two codes: a fault proves nothing. */
static int join(int a, int b)
{
	static const int order[] = {EAI_AGAIN, EAI_FAIL, EAI_NODATA, EAI_NONAME};

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return 0;
}

/* Ask for one candidate. 0 with addresses, or a code; *@silent ends the search. */
static int ask_types(const struct zone *z, const char *name, const bool wanted[TYPES],
		     struct outcome *o, bool *silent)
{
	int code = EAI_NONAME;
	bool found = false;

	for (int t = 0; t < TYPES; t++) {
		enum answer a = wanted[t] ? ask(z, name, t, &o->set[t], o->canon) : ANSWER_NXDOMAIN;

		found |= a == ANSWER_RECORDS;
		*silent |= a == ANSWER_SILENT;
		if (a != ANSWER_RECORDS)
			code = join(code, codes[a]);
	}
	return found ? 0 : code;
}

/* A name must fit into the 255 bytes of a question (RFC 1035). */
static bool can_be_asked(const char *name)
{
	return *name && strlen(name) <= 253;
}

static int search(const struct zone *z, const struct candidates *c, const bool wanted[TYPES],
		  struct outcome *o)
{
	int worst = EAI_NONAME;
	bool silent = false;

	for (size_t i = 0; i < c->count && !silent; i++) {
		int code;

		if (!can_be_asked(c->name[i]))
			continue;
		code = ask_types(z, c->name[i], wanted, o, &silent);
		if (!code)
			return 0;
		worst = join(worst, code);
	}
	return worst;
}

/* 1 to 63 bytes between dots, at most 253 in all. */
static bool can_be_name(const char *node)
{
	size_t len = strlen(node), n;

	if (len && node[len - 1] == '.')
		len--;
	if (!len || len > 253)
		return false;
	for (; *node; node += n + (node[n] == '.')) {
		n = strcspn(node, ".");
		if (!n || n > 63)
			return false;
	}
	return true;
}

/*
 * If there is no data of the wanted family, the other family is asked for. The pages do
 * not say what a fault of that question means: nothing is proven, and the name exists.
 */
static void probe(const struct zone *z, const struct candidates *c, const bool wanted[TYPES],
		  struct outcome *o)
{
	const bool others[TYPES] = {!wanted[FOUR], !wanted[SIX]};
	struct outcome other = {0};
	int code = search(z, c, others, &other);

	o->code = !code ? EAI_ADDRFAMILY : code == EAI_NONAME ? EAI_NODATA : code;
	if (code == EAI_AGAIN || code == EAI_FAIL)
		o->or_code = EAI_NODATA;
}

struct outcome model_outcome(const struct zone *z, const struct query *q)
{
	const bool wanted[TYPES] = {q->family != AF_INET6, q->family != AF_INET};
	struct outcome o = {0};
	struct candidates c;

	if (!can_be_name(q->node) || q->flags & RAI_NUMERICHOST) {
		o.code = EAI_NONAME;
		return o;
	}
	if (q->family == AF_IB) {
		o.code = EAI_ADDRFAMILY;
		return o;
	}
	list_candidates(z, q->node, &c);
	o.code = search(z, &c, wanted, &o);
	if (o.code == EAI_NODATA && q->family != AF_UNSPEC)
		probe(z, &c, wanted, &o);
	return o;
}

static bool is_alias(const struct zone *z, const char *name)
{
	const struct entry *e = zone_find(z, name);

	return e && e->alias[0];
}

bool model_libc_gives_up(const struct zone *z, const struct query *q)
{
	const bool wanted[TYPES] = {q->family != AF_INET6, q->family != AF_INET};
	struct candidates c;

	list_candidates(z, q->node, &c);
	for (size_t i = 0; i < c.count; i++) {
		struct outcome o = {0};
		bool silent = false;
		int code = ask_types(z, c.name[i], wanted, &o, &silent);

		if (!code)
			return silent;
		if (code == EAI_AGAIN || code == EAI_FAIL || is_alias(z, c.name[i]))
			return true;
	}
	return false;
}
