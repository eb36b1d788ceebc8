/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/resolve/lookup.h"

#include <stdio.h>
#include <string.h>

#include <verbatim/addrinfo.h>

#include "lib/resolve/resolvconf.h"

static const int families[2] = {AF_INET, AF_INET6};

static void next_candidate(struct lookup *l);

/*
 * Of two answers without addresses the one with the higher rank counts. A failure ranks
 * above "no data", because the failed server might have had data. "No data" ranks above
 * "no such name", because the name then exists.
 */
static int gravity(enum dns_status s)
{
	static const int rank[] = {
		[DNS_NXDOMAIN] = 0,
		[DNS_NODATA] = 1,
		[DNS_PERMANENT] = 2,
		[DNS_TEMPORARY] = 3,
		[DNS_SILENT] = 4,
		[DNS_SYSTEM] = 5,
		[DNS_MEMORY] = 6,
		[DNS_FOUND] = 7,
	};

	return rank[s];
}

/* Join the answers for IPv4 and IPv6 about one name. */
static enum dns_status join(enum dns_status a, enum dns_status b)
{
	/*
	 * A lack of memory is local, and a list that may lack half of the addresses is no
	 * answer.
	 */
	if (a == DNS_MEMORY || b == DNS_MEMORY)
		return DNS_MEMORY;
	return gravity(a) >= gravity(b) ? a : b;
}

static int code_of(const struct lookup *l, enum dns_status status)
{
	static const int code[] = {
		[DNS_FOUND] = 0,
		[DNS_NODATA] = EAI_NODATA,
		[DNS_NXDOMAIN] = EAI_NONAME,
		[DNS_TEMPORARY] = EAI_AGAIN,
		[DNS_SILENT] = EAI_AGAIN,
		[DNS_PERMANENT] = EAI_FAIL,
		[DNS_MEMORY] = EAI_MEMORY,
		[DNS_SYSTEM] = EAI_SYSTEM,
	};

	if (l->other_family && (status == DNS_NODATA || status == DNS_NXDOMAIN))
		return EAI_ADDRFAMILY;
	return code[status];
}

static void finish_lookup(struct lookup *l, enum dns_status status)
{
	struct lookup_result result = {
		.code = code_of(l, status),
		.error = l->error,
		.addrs = &l->addrs,
		.canon = l->canon,
	};

	l->done(l->arg, &result);
}

/* The other family is asked for only to tell "no address of this family" from "no address". */
static void conclude(struct lookup *l)
{
	if (l->probing) {
		finish_lookup(l, DNS_NODATA);
	} else if (l->worst == DNS_NODATA && l->family != AF_UNSPEC && !l->other_family) {
		l->probing = true;
		l->candidate = 0;
		next_candidate(l);
	} else {
		finish_lookup(l, l->worst);
	}
}

/*
 * It is known by now that the host has no address of the wanted family. If there is no
 * answer about the other family, this result stays.
 */
static void judge_probe(struct lookup *l, enum dns_status status)
{
	switch (status) {
	case DNS_MEMORY:
	case DNS_SYSTEM:
		finish_lookup(l, status);
		return;
	case DNS_FOUND:
		vbm_addr_list_clear(&l->addrs);
		l->other_family = true;
		finish_lookup(l, DNS_NODATA);
		return;
	case DNS_SILENT:	/* the next name would time out, too */
		finish_lookup(l, DNS_NODATA);
		return;
	case DNS_NODATA:
	case DNS_NXDOMAIN:
	case DNS_TEMPORARY:
	case DNS_PERMANENT:
		next_candidate(l);
		return;
	}
}

static void judge_answers(struct lookup *l)
{
	enum dns_status status = join(l->status[0], l->status[1]);

	if (l->probing) {
		judge_probe(l, status);
		return;
	}
	switch (status) {
	case DNS_FOUND:
	case DNS_SILENT:
	case DNS_SYSTEM:
	case DNS_MEMORY:
		finish_lookup(l, status);
		return;
	case DNS_NODATA:
	case DNS_NXDOMAIN:
	case DNS_TEMPORARY:
	case DNS_PERMANENT:
		l->worst = join(l->worst, status);
		next_candidate(l);
		return;
	}
}

static void on_answer(struct lookup *l, int which, const struct dns_answer *answer)
{
	l->status[which] = answer->status;
	if (answer->status == DNS_SYSTEM)
		l->error = answer->error;
	if (answer->status == DNS_FOUND) {
		if (!l->canon[0])
			snprintf(l->canon, sizeof(l->canon), "%s", answer->canon);
		for (size_t i = 0; i < answer->addrs->count; i++)
			if (vbm_addr_list_add(&l->addrs, &answer->addrs->item[i]))
				l->status[which] = DNS_MEMORY;
	}
	if (!--l->pending)
		judge_answers(l);
}

static void on_a(void *arg, const struct dns_answer *answer)
{
	on_answer(arg, 0, answer);
}

static void on_aaaa(void *arg, const struct dns_answer *answer)
{
	on_answer(arg, 1, answer);
}

/*
 * An answer may come at once. So one answer more than there are questions counts as
 * pending until both questions are sent; otherwise the first answer would end the look-up.
 */
static void ask_questions(struct lookup *l, const char *name)
{
	static dns_done *const done[2] = {on_a, on_aaaa};

	l->pending = 1;
	for (int i = 0; i < 2; i++) {
		bool wanted = l->family == AF_UNSPEC || l->family == families[i];

		l->status[i] = DNS_NXDOMAIN;
		if (wanted == l->probing)
			continue;
		l->pending++;
		vbm_dns_ask(l->client, name, families[i], done[i], l, &l->question[i]);
	}
	if (!--l->pending)
		judge_answers(l);
}

static void next_candidate(struct lookup *l)
{
	char name[520];

	while (vbm_resolv_candidate(l->conf, l->name, l->candidate, name, sizeof(name))) {
		l->candidate++;
		if (!*name || strlen(name) > 253)
			continue;
		ask_questions(l, name);
		return;
	}
	conclude(l);
}

void vbm_lookup_start(struct lookup *l)
{
	l->worst = DNS_NXDOMAIN;
	next_candidate(l);
}

void vbm_lookup_clear(struct lookup *l)
{
	for (int i = 0; i < 2; i++)
		if (l->question[i])
			vbm_dns_drop(l->question[i]);
	l->question[0] = l->question[1] = NULL;
	vbm_addr_list_clear(&l->addrs);
}
