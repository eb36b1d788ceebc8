/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns/gate-priv.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/xalloc.h"

#define CHAIN_MAX 16	/* aliases; unbound gives up earlier */

/* What the rules make of a question. */
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
	/* A line at once, so that readers never see half of one. */
	if (write(g->opts->log_fd, line, (size_t)n) != n)
		fprintf(stderr, "name server: cannot note a question: %m\n");
}

/* Kinds are counted apart: "fails first" is meant for A and for AAAA. */
static int count(struct gate *g, const struct dns_rule *rule, unsigned int type)
{
	size_t i = (size_t)(rule - g->opts->zone->rule) * 3;

	return g->seen[i + (type == DNS_TYPE_A ? 0 : type == DNS_TYPE_AAAA ? 1 : 2)]++;
}

static struct gate_slot *take_slot(struct gate *g)
{
	struct gate_slot *s = &g->slot[g->next];

	g->next = (g->next + 1) % GATE_SLOTS;
	if (s->due)
		g->held--;
	free(s->msg);
	*s = (struct gate_slot){0};
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
		if (l->client.fd >= 0 && l->serial == s->client.serial)
			gate_line_ask(g, l, msg, len);
		return;
	}
	s->asked = true;
	put_id(msg, (unsigned int)(s - g->slot));
	/* What does not get through is lost, as on any network. */
	send(g->upstream, msg, len, MSG_DONTWAIT);
}

static void hold(struct gate *g, struct gate_slot *s, const uint8_t *msg, size_t len, int ms)
{
	s->due = clock_now_ns() + (int64_t)ms * 1000000;
	s->msg = xcalloc(1, len);
	s->len = len;
	memcpy(s->msg, msg, len);
	g->held++;
}

static void apply(struct gate *g, const struct dns_rule *rule, unsigned int type, struct fate *f)
{
	f->rcode = count(g, rule, type) < rule->times ? rule->first : rule->rcode;
	f->delay_ms += rule->delay_ms;
	f->truncate |= rule->truncate;
}

/* unbound follows an alias by itself, so the gate looks where it leads. */
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

static void release(struct gate *g, struct gate_slot *s)
{
	uint8_t *msg = s->msg;

	s->msg = NULL;
	s->due = 0;
	g->held--;
	if (s->ours)
		send_answer(g, &s->client, msg, s->len);
	else
		ask_unbound(g, s, msg, s->len);
	free(msg);
}

/* Let go of what is due; how long until the next is, or -1. */
static int release_due(struct gate *g)
{
	int64_t now = clock_now_ns(), next = 0;
	unsigned int i, left = g->held;

	for (i = 0; left && i < GATE_SLOTS; i++) {
		struct gate_slot *s = &g->slot[i];

		if (!s->due)
			continue;
		left--;
		if (s->due <= now)
			release(g, s);
		else if (!next || s->due < next)
			next = s->due;
	}
	return next ? clock_left_ms(next) : -1;
}

static void read_questions(struct gate *g)
{
	uint8_t msg[DNS_MESSAGE_MAX];
	struct gate_client c = {0};
	ssize_t n;

	for (;;) {
		c.len = sizeof(c.from);
		n = recvfrom(g->opts->udp_fd, msg, sizeof(msg), MSG_DONTWAIT,
			     (struct sockaddr *)&c.from, &c.len);
		if (n < 0)
			return;
		on_question(g, &c, msg, (size_t)n);
	}
}

static void read_answers(struct gate *g)
{
	uint8_t msg[DNS_MESSAGE_MAX];
	struct gate_slot *s;
	size_t len;
	ssize_t n;

	while ((n = recv(g->upstream, msg, sizeof(msg), MSG_DONTWAIT)) >= 0) {
		s = n >= 2 ? &g->slot[((unsigned int)msg[0] << 8 | msg[1]) % GATE_SLOTS] : NULL;
		if (!s || !s->asked)
			continue;
		s->asked = false;
		put_id(msg, s->id);
		len = s->truncate ? dns_answer_truncate(msg, (size_t)n) : (size_t)n;
		send_answer(g, &s->client, msg, len);
	}
}

static void serve(struct gate *g)
{
	struct pollfd p[3 + 2 * GATE_LINES];
	int i, wait;

	for (;;) {
		/* First: what is released may open a line to unbound. */
		wait = release_due(g);
		p[0] = (struct pollfd){.fd = g->opts->udp_fd, .events = POLLIN};
		p[1] = (struct pollfd){.fd = g->opts->tcp_fd, .events = POLLIN};
		p[2] = (struct pollfd){.fd = g->upstream, .events = POLLIN};
		for (i = 0; i < GATE_LINES; i++) {
			p[3 + 2 * i] = (struct pollfd){.fd = g->line[i].client.fd, .events = POLLIN};
			p[4 + 2 * i] = (struct pollfd){.fd = g->line[i].unbound.fd, .events = POLLIN};
		}
		if (poll(p, ARRAY_SIZE(p), wait) < 0 && errno != EINTR)
			return;
		if (p[2].revents)
			read_answers(g);
		if (p[0].revents)
			read_questions(g);
		for (i = 0; i < GATE_LINES; i++) {
			if (p[4 + 2 * i].revents && g->line[i].unbound.fd == p[4 + 2 * i].fd)
				gate_line_relay(&g->line[i]);
			if (p[3 + 2 * i].revents && g->line[i].client.fd == p[3 + 2 * i].fd)
				gate_line_read(g, &g->line[i]);
		}
		if (p[1].revents)
			gate_line_open(g);
	}
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
	int i;

	g->question = on_question;
	g->opts = opts;
	g->slot = xcalloc(GATE_SLOTS, sizeof(*g->slot));
	g->seen = xcalloc(opts->zone->rules * 3 + 1, sizeof(*g->seen));
	for (i = 0; i < GATE_LINES; i++)
		g->line[i].client.fd = g->line[i].unbound.fd = -1;
	g->upstream = connect_upstream(opts);
	if (g->upstream >= 0)
		serve(g);
	fprintf(stderr, "name server: the gate cannot go on: %m\n");
	_exit(1);
}
