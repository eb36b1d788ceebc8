/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns/gate-priv.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"

#define CHAIN_MAX 16	/* aliases in a row; unbound gives up earlier */

/* The result of the rules for a question. */
struct fate {
	int rcode;		/* or DNS_SILENT, or DNS_PASS */
	int delay_ms;
	bool truncate;
};

static void note(struct gate *g, bool tcp, const struct dns_query *q)
{
	char line[DNS_TEXT_SIZE + 32], type[16];
	int n;

	dns_type_text(q->type, type);
	n = snprintf(line, sizeof(line), "%s %s %s\n", tcp ? "tcp" : "udp", type, q->name);
	/* One write() for each line, so that readers get it whole. */
	if (write(g->opts->log_fd, line, (size_t)n) != n)
		fprintf(stderr, "name server: cannot note a question: %m\n");
}

/*
 * Questions for A, for AAAA and for other types are counted separately: "first" applies to
 * each.
 */
static int count(struct gate *g, const struct dns_rule *rule, unsigned int type)
{
	size_t i = (size_t)(rule - g->opts->zone->rule) * 3;

	return g->seen[i + (type == DNS_TYPE_A ? 0 : type == DNS_TYPE_AAAA ? 1 : 2)]++;
}

static void release(struct timer *due);

static struct gate_slot *take_slot(struct gate *g)
{
	struct gate_slot *s = &g->slot[g->next];

	g->next = (g->next + 1) % GATE_SLOTS;
	vbm_timer_disarm(&s->due);
	free(s->msg);
	*s = (struct gate_slot){.gate = g, .due.fire = release};
	return s;
}

static void put_id(uint8_t *msg, unsigned int id)
{
	msg[0] = (uint8_t)(id >> 8);
	msg[1] = (uint8_t)id;
}

static void send_answer(struct gate *g, const struct gate_client *c, const uint8_t *msg, size_t len)
{
	if (!c->line)
		sendto(g->opts->udp_fd, msg, len, MSG_DONTWAIT, (const struct sockaddr *)&c->from, c->len);
	else if (c->line->serial == c->serial)
		gate_line_send(&c->line->client, msg, len);
}

static void ask_unbound(struct gate *g, struct gate_slot *s, uint8_t *msg, size_t len)
{
	struct gate_line *l = s->client.line;

	if (l) {
		if (l->client.watch.fd >= 0 && l->serial == s->client.serial)
			gate_line_ask(g, l, msg, len);
		return;
	}
	s->asked = true;
	put_id(msg, (unsigned int)(s - g->slot));
	/* A message that is not sent is lost, as on any network. */
	send(g->upstream.fd, msg, len, MSG_DONTWAIT);
}

static void hold(struct gate *g, struct gate_slot *s, const uint8_t *msg, size_t len, int ms)
{
	vbm_timer_arm(&g->loop, &s->due, clock_now_ns() + ms * NS_PER_MS);
	s->msg = xcalloc(1, len);
	s->len = len;
	memcpy(s->msg, msg, len);
}

static void apply(struct gate *g, const struct dns_rule *rule, unsigned int type, struct fate *f)
{
	f->rcode = count(g, rule, type) < rule->times ? rule->first : rule->rcode;
	f->delay_ms += rule->delay_ms;
	f->truncate |= rule->truncate;
}

/* unbound follows an alias, so the rules of the alias's target apply as well. */
static struct fate fate_of(struct gate *g, const struct dns_query *q)
{
	bool follow = q->type != DNS_TYPE_CNAME && q->type != DNS_TYPE_ALL;
	const struct dns_rule *rule;
	struct fate f = {.rcode = DNS_PASS};
	const char *name = q->name;
	int i;

	for (i = 0; name && i <= CHAIN_MAX && f.rcode == DNS_PASS; i++) {
		rule = dns_zone_rule(g->opts->zone, name, q->type);
		if (rule)
			apply(g, rule, q->type, &f);
		name = follow ? dns_zone_alias(g->opts->zone, name) : NULL;
	}
	return f;
}

static void on_question(struct gate *g, const struct gate_client *client, uint8_t *msg, size_t len)
{
	struct gate_slot *s;
	struct dns_query q;
	struct fate f;

	if (!dns_query_read(msg, len, &q))
		return;
	note(g, client->line, &q);
	f = fate_of(g, &q);
	if (f.rcode == DNS_SILENT)
		return;
	s = take_slot(g);
	s->client = *client;
	s->id = (uint16_t)(msg[0] << 8 | msg[1]);
	s->truncate = f.truncate && !client->line;
	s->ours = f.rcode != DNS_PASS;
	if (s->ours)
		len = dns_answer_rcode(msg, &q, f.rcode);
	if (f.delay_ms)
		hold(g, s, msg, len, f.delay_ms);
	else if (s->ours)
		send_answer(g, client, msg, len);
	else
		ask_unbound(g, s, msg, len);
}

static void release(struct timer *due)
{
	struct gate_slot *s = OWNER_OF(due, struct gate_slot, due);
	uint8_t *msg = steal(&s->msg);

	if (s->ours)
		send_answer(s->gate, &s->client, msg, s->len);
	else
		ask_unbound(s->gate, s, msg, s->len);
	free(msg);
}

static void read_questions(struct watch *udp, uint32_t events)
{
	struct gate *g = OWNER_OF(udp, struct gate, udp);
	uint8_t msg[DNS_MESSAGE_MAX];
	struct gate_client c = {0};
	ssize_t n;

	(void)events;
	for (;;) {
		c.len = sizeof(c.from);
		n = recvfrom(g->opts->udp_fd, msg, sizeof(msg), MSG_DONTWAIT,
			     (struct sockaddr *)&c.from, &c.len);
		if (n < 0)
			return;
		on_question(g, &c, msg, (size_t)n);
	}
}

static void read_answers(struct watch *upstream, uint32_t events)
{
	struct gate *g = OWNER_OF(upstream, struct gate, upstream);
	uint8_t msg[DNS_MESSAGE_MAX];
	struct gate_slot *s;
	size_t len;
	ssize_t n;

	(void)events;
	while ((n = recv(g->upstream.fd, msg, sizeof(msg), MSG_DONTWAIT)) >= 0) {
		s = n >= 2 ? &g->slot[((unsigned int)msg[0] << 8 | msg[1]) % GATE_SLOTS] : NULL;
		if (!s || !s->asked)
			continue;
		s->asked = false;
		put_id(msg, s->id);
		len = s->truncate ? dns_answer_truncate(msg, (size_t)n) : (size_t)n;
		send_answer(g, &s->client, msg, len);
	}
}

static void relay_answers(struct watch *w, uint32_t events)
{
	(void)events;
	gate_line_relay(OWNER_OF(w, struct gate_line, unbound.watch));
}

static void read_line(struct watch *w, uint32_t events)
{
	struct gate_line *l = OWNER_OF(w, struct gate_line, client.watch);

	(void)events;
	gate_line_read(l->gate, l);
}

static void open_line(struct watch *tcp, uint32_t events)
{
	(void)events;
	gate_line_open(OWNER_OF(tcp, struct gate, tcp));
}

/* Answers have their turn before the questions that may follow them. */
static void serve(struct gate *g, int upstream)
{
	int i, rc = 0;

	watch_add(&g->loop, &g->upstream, upstream, POLLIN, read_answers);
	watch_add(&g->loop, &g->udp, g->opts->udp_fd, POLLIN, read_questions);
	for (i = 0; i < GATE_LINES; i++) {
		g->line[i].gate = g;
		watch_add(&g->loop, &g->line[i].unbound.watch, -1, POLLIN, relay_answers);
		watch_add(&g->loop, &g->line[i].client.watch, -1, POLLIN, read_line);
	}
	watch_add(&g->loop, &g->tcp, g->opts->tcp_fd, POLLIN, open_line);
	while (rc == 0 || rc == -EINTR)
		rc = vbm_loop_run(&g->loop, -1);
	errno = -rc;
}

static int connect_upstream(const struct gate_options *opts)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = htons(opts->upstream_port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd;

	if (opts->upstream_netns >= 0 && setns(opts->upstream_netns, CLONE_NEWNET) < 0)
		return -1;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

void gate_main(const struct gate_options *opts)
{
	struct gate *g = xcalloc(1, sizeof(*g));
	int upstream = connect_upstream(opts);

	g->question = on_question;
	g->opts = opts;
	g->slot = xcalloc(GATE_SLOTS, sizeof(*g->slot));
	g->seen = xcalloc(opts->zone->rules * 3 + 1, sizeof(*g->seen));
	vbm_loop_init_plain(&g->loop);
	if (upstream >= 0)
		serve(g, upstream);
	fprintf(stderr, "name server: the gate cannot go on: %m\n");
	_exit(1);
}
