/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/resolve/dns.c lib/resolve/lookup.c lib/resolve/order.c */
/*
 * Names, random zones behind a real name server, and random hints. The library's results
 * are compared with a model of the pages, and with getaddrinfo(3) in the cases where the
 * pages allow no difference.
 */
#include <arpa/inet.h>
#include <netdb.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <verbatim/addrinfo.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "names-model.h"
#include "names-sandbox.h"
#include "random.h"

#define QUERIES 12	/* at the same time, so that their silences pass together */
#define TRIES 6		/* the first try is among the other queries */
#define PORT 7471

struct job {
	const struct zone *zone;
	struct query query;
	struct outcome want, mine, other;
	int64_t took_ms;	/* of the library */
};

static void add_address(struct outcome *o, const struct sockaddr *sa)
{
	const struct sockaddr_in *in = (const void *)sa;
	const struct sockaddr_in6 *in6 = (const void *)sa;
	int t = sa->sa_family == AF_INET ? FOUR : SIX;
	const uint8_t *b = t == FOUR ? (const void *)&in->sin_addr : (const void *)&in6->sin6_addr;
	uint32_t n = t == FOUR ? b[3] : b[15];
	struct in6_addr right6;
	struct in_addr right4;
	char text[64];

	snprintf(text, sizeof(text), t == FOUR ? "192.0.2.%u" : "2001:db8::%x", n);
	if (t == FOUR)
		o->odd |= inet_pton(AF_INET, text, &right4) != 1 || memcmp(&right4, b, 4);
	else
		o->odd |= inet_pton(AF_INET6, text, &right6) != 1 || memcmp(&right6, b, 16);
	o->odd |= ntohs(t == FOUR ? in->sin_port : in6->sin6_port) != PORT;
	o->odd |= n > ADDRESSES_MOST || o->set[t] >> n & 1;
	o->set[t] |= (address_set)1 << (n & 63);
}

static struct outcome ours(const struct query *q)
{
	struct rdma_addrinfo hints = {.ai_flags = q->flags, .ai_family = q->family}, *res;
	bool passive = q->flags & RAI_PASSIVE;
	struct outcome o = {0};

	o.code = vbm_getaddrinfo(q->node, "7471", &hints, &res);
	if (o.code) {
		o.odd = res != NULL;
		return o;
	}
	snprintf(o.canon, sizeof(o.canon), "%s",
		 passive ? res->ai_src_canonname : res->ai_dst_canonname);
	for (struct rdma_addrinfo *r = res; r; r = r->ai_next) {
		const struct sockaddr *sa = passive ? r->ai_src_addr : r->ai_dst_addr;

		o.odd |= !sa || sa->sa_family != r->ai_family || r->ai_flags != q->flags;
		if (sa)
			add_address(&o, sa);
	}
	vbm_freeaddrinfo(res);
	return o;
}

static struct outcome theirs(const struct query *q)
{
	struct addrinfo hints = {.ai_family = q->family, .ai_socktype = SOCK_STREAM}, *res;
	struct outcome o = {0};

	o.code = getaddrinfo(q->node, "7471", &hints, &res);
	if (o.code)
		return o;
	for (struct addrinfo *r = res; r; r = r->ai_next)
		add_address(&o, r->ai_addr);
	freeaddrinfo(res);
	return o;
}

/*
 * Whether getaddrinfo(3) can be asked this, and does not give up earlier than the page
 * says. It waits for ever for an answer over TCP that does not come.
 */
static bool comparable(const struct job *j)
{
	return !(j->zone->silence && j->zone->use_tcp) && j->query.family != AF_IB && !(j->query.flags & RAI_NUMERICHOST) &&
		!model_libc_gives_up(j->zone, &j->query);
}

static bool same_set(const struct outcome *a, const struct outcome *b)
{
	return a->set[FOUR] == b->set[FOUR] && a->set[SIX] == b->set[SIX];
}

/*
 * Two questions at once to a server that does not exist: the DNS library misses the
 * refusal of one, which then waits for its time-out. A fault of the next server then looks
 * like silence, and the search ends there.
 */
static bool misses_refusal(const struct job *j)
{
	return j->zone->dead_first && j->query.family == AF_UNSPEC;
}

static bool as_wanted(const struct job *j)
{
	const struct outcome *w = &j->want, *m = &j->mine;

	if (misses_refusal(j)) {
		if (m->code == EAI_AGAIN && model_libc_gives_up(j->zone, &j->query))
			return true;
	} else if (!j->zone->silence && j->took_ms >= 1000 * j->zone->timeout_s) {
		return false;
	}
	if (m->odd)
		return false;
	if (w->code || m->code)
		return m->code == w->code || (w->or_code && m->code == w->or_code);
	return same_set(w, m) && !strcasecmp(w->canon, m->canon);
}

static bool as_theirs(const struct job *j)
{
	if (!comparable(j))
		return true;
	return !j->other.odd && !j->mine.code == !j->other.code && same_set(&j->mine, &j->other);
}

static void ask_both(struct job *j)
{
	j->want = model_outcome(j->zone, &j->query);
	j->took_ms = -clock_now_ns() / 1000000;
	j->mine = ours(&j->query);
	j->took_ms += clock_now_ns() / 1000000;
	if (comparable(j))
		j->other = theirs(&j->query);
}

static void *ask_thread(void *arg)
{
	ask_both(arg);
	return NULL;
}

static void show(char *out, size_t room, const char *who, const struct outcome *o)
{
	int n = snprintf(out, room, "#   %-5s %3d %s", who, o->code,
			 o->code ? gai_strerror(o->code) : o->canon);

	if (!o->code)
		n += snprintf(out + n, room - (size_t)n, " A %llx AAAA %llx",
			      (unsigned long long)o->set[FOUR], (unsigned long long)o->set[SIX]);
	snprintf(out + n, room - (size_t)n, "%s\n", o->odd ? ", and something odd" : "");
}

static void describe(const struct job *j, char *said, size_t room)
{
	const struct zone *z = j->zone;
	auto_free char *text = zone_text(z);
	char want[700], mine[700], other[700] = "", search[300] = "";

	for (size_t i = 0; i < z->searches; i++)
		snprintf(search + strlen(search), sizeof(search) - strlen(search), " %s", z->search[i]);
	show(want, sizeof(want), "page", &j->want);
	show(mine, sizeof(mine), "ours", &j->mine);
	if (comparable(j))
		show(other, sizeof(other), "C", &j->other);
	snprintf(said, room, "node \"%s\" family %d flags %d%s, %d ms\n%s%s%s"
		 "#   search%s, ndots %d, attempts %d%s%s%s%s\n#   %s",
		 j->query.node, j->query.family, j->query.flags,
		 j->zone->silence ? ", silence" : "", (int)j->took_ms, want, mine, other, search, z->ndots,
		 z->attempts, z->use_tcp ? ", use-vc" : "", z->rotate ? ", rotate" : "",
		 z->stray ? ", stray answers" : "", z->dead_first ? ", first server dead" : "", text);
}

static void roll_query(const struct zone *z, struct query *q, struct dice *d)
{
	static const int families[] = {AF_UNSPEC, AF_UNSPEC, AF_INET, AF_INET6};
	static const int flags[] = {RAI_PASSIVE, RAI_NOROUTE, RAI_FAMILY};

	zone_roll_node(z, d, q->node);
	q->family = dice_roll(d, 30) ? families[dice_roll(d, 4)] : AF_IB;
	q->flags = dice_roll(d, 30) ? 0 : RAI_NUMERICHOST;
	for (size_t i = 0; i < 3; i++)
		q->flags |= dice_roll(d, 4) ? 0 : flags[i];
}

static bool agrees(const struct job *j)
{
	return as_wanted(j) && as_theirs(j);
}

/*
 * On a busy machine an answer can be late. So a query with a difference is asked again,
 * alone. Only a difference in all TRIES counts.
 */
static bool agree(struct job *jobs, char *said, size_t room)
{
	for (size_t i = 0; i < QUERIES; i++) {
		for (int tries = 1; !agrees(&jobs[i]) && tries < TRIES; tries++)
			ask_both(&jobs[i]);
		if (agrees(&jobs[i]))
			continue;
		describe(&jobs[i], said, room);
		return false;
	}
	return true;
}

static bool run(struct dice *d, char *said, size_t room)
{
	struct job jobs[QUERIES] = {0};
	pthread_t thread[QUERIES];
	struct vbm_error err = {0};
	struct zone zone;
	bool ok;

	zone_roll(&zone, d);
	if (sandbox_serve(&zone, &err) < 0) {
		snprintf(said, room, "no name server: %s", err.msg);
		return false;
	}
	for (size_t i = 0; i < QUERIES; i++) {
		jobs[i].zone = &zone;
		roll_query(&zone, &jobs[i].query, d);
		if (pthread_create(&thread[i], NULL, ask_thread, &jobs[i]))
			abort();
	}
	for (size_t i = 0; i < QUERIES; i++)
		pthread_join(thread[i], NULL);
	ok = agree(jobs, said, room);
	sandbox_stop();
	return ok;
}

static bool begin(void)
{
	char why[300];

	if (sandbox_open(why, sizeof(why)))
		return true;
	printf("# %s\n", why);
	return false;
}

const struct random_program random_program = {
	.about = "names come to what the pages say and to what getaddrinfo(3) makes of them",
	.cases = 120,
	.inputs = 3 * QUERIES, /* it waits for a server */
	.begin = begin,
	.run = run,
	.end = sandbox_close,
};
