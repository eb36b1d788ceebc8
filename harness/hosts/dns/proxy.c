/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns/proxy-priv.h"

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
struct decision {
	int rcode;		/* or DNS_SILENT, or DNS_PASS */
	int delay_ms;
	bool truncate;
};

static void log_question(struct proxy *p, bool tcp, const struct dns_query *q)
{
	char line[DNS_TEXT_SIZE + 32], type[16];
	int n;

	dns_type_text(q->type, type);
	n = snprintf(line, sizeof(line), "%s %s %s\n", tcp ? "tcp" : "udp", type, q->name);
	/* One write() for each line, so that readers get it whole. */
	if (write(p->opts->log_fd, line, (size_t)n) != n)
		fprintf(stderr, "name server: cannot log a question: %m\n");
}

/*
 * Questions for A, for AAAA and for other types are counted separately: "first" applies to
 * each.
 */
static int count_question(struct proxy *p, const struct dns_rule *rule, unsigned int type)
{
	size_t i = (size_t)(rule - p->opts->zone->rule) * 3;

	return p->seen[i + (type == DNS_TYPE_A ? 0 : type == DNS_TYPE_AAAA ? 1 : 2)]++;
}

static void send_delayed(struct timer *due);

static struct proxy_slot *take_slot(struct proxy *p)
{
	struct proxy_slot *s = &p->slot[p->next];

	p->next = (p->next + 1) % PROXY_SLOTS;
	vbm_timer_disarm(&s->due);
	free(s->msg);
	*s = (struct proxy_slot){.proxy = p, .due.fire = send_delayed};
	return s;
}

static void put_id(uint8_t *msg, unsigned int id)
{
	msg[0] = (uint8_t)(id >> 8);
	msg[1] = (uint8_t)id;
}

static void send_answer(struct proxy *p, const struct proxy_client *c, const uint8_t *msg, size_t len)
{
	if (!c->connection)
		sendto(p->opts->udp_fd, msg, len, MSG_DONTWAIT, (const struct sockaddr *)&c->from, c->len);
	else if (c->connection->serial == c->serial)
		proxy_connection_send(&c->connection->client, msg, len);
}

static void ask_unbound(struct proxy *p, struct proxy_slot *s, uint8_t *msg, size_t len)
{
	struct proxy_connection *l = s->client.connection;

	if (l) {
		if (l->client.watch.fd >= 0 && l->serial == s->client.serial)
			proxy_connection_ask(p, l, msg, len);
		return;
	}
	s->asked = true;
	put_id(msg, (unsigned int)(s - p->slot));
	/* A message that is not sent is lost, as on any network. */
	send(p->upstream.fd, msg, len, MSG_DONTWAIT);
}

static void hold(struct proxy *p, struct proxy_slot *s, const uint8_t *msg, size_t len, int ms)
{
	vbm_timer_arm(&p->loop, &s->due, clock_now_ns() + ms * NS_PER_MS);
	s->msg = xcalloc(1, len);
	s->len = len;
	memcpy(s->msg, msg, len);
}

static void apply_rule(struct proxy *p, const struct dns_rule *rule, unsigned int type, struct decision *f)
{
	f->rcode = count_question(p, rule, type) < rule->times ? rule->first : rule->rcode;
	f->delay_ms += rule->delay_ms;
	f->truncate |= rule->truncate;
}

/* unbound follows an alias, so the rules of the alias's target apply as well. */
static struct decision decision_of(struct proxy *p, const struct dns_query *q)
{
	bool follow = q->type != DNS_TYPE_CNAME && q->type != DNS_TYPE_ALL;
	const struct dns_rule *rule;
	struct decision f = {.rcode = DNS_PASS};
	const char *name = q->name;
	int i;

	for (i = 0; name && i <= CHAIN_MAX && f.rcode == DNS_PASS; i++) {
		rule = dns_zone_rule(p->opts->zone, name, q->type);
		if (rule)
			apply_rule(p, rule, q->type, &f);
		name = follow ? dns_zone_alias(p->opts->zone, name) : NULL;
	}
	return f;
}

static void on_question(struct proxy *p, const struct proxy_client *client, uint8_t *msg, size_t len)
{
	struct proxy_slot *s;
	struct dns_query q;
	struct decision f;

	if (!dns_query_read(msg, len, &q))
		return;
	log_question(p, client->connection, &q);
	f = decision_of(p, &q);
	if (f.rcode == DNS_SILENT)
		return;
	s = take_slot(p);
	s->client = *client;
	s->id = (uint16_t)(msg[0] << 8 | msg[1]);
	s->truncate = f.truncate && !client->connection;
	s->ours = f.rcode != DNS_PASS;
	if (s->ours)
		len = dns_answer_rcode(msg, &q, f.rcode);
	if (f.delay_ms)
		hold(p, s, msg, len, f.delay_ms);
	else if (s->ours)
		send_answer(p, client, msg, len);
	else
		ask_unbound(p, s, msg, len);
}

static void send_delayed(struct timer *due)
{
	struct proxy_slot *s = OWNER_OF(due, struct proxy_slot, due);
	uint8_t *msg = steal(&s->msg);

	if (s->ours)
		send_answer(s->proxy, &s->client, msg, s->len);
	else
		ask_unbound(s->proxy, s, msg, s->len);
	free(msg);
}

static void read_questions(struct watch *udp, uint32_t events)
{
	struct proxy *p = OWNER_OF(udp, struct proxy, udp);
	uint8_t msg[DNS_MESSAGE_MAX];
	struct proxy_client c = {0};
	ssize_t n;

	(void)events;
	for (;;) {
		c.len = sizeof(c.from);
		n = recvfrom(p->opts->udp_fd, msg, sizeof(msg), MSG_DONTWAIT,
			     (struct sockaddr *)&c.from, &c.len);
		if (n < 0)
			return;
		on_question(p, &c, msg, (size_t)n);
	}
}

static void read_answers(struct watch *upstream, uint32_t events)
{
	struct proxy *p = OWNER_OF(upstream, struct proxy, upstream);
	uint8_t msg[DNS_MESSAGE_MAX];
	struct proxy_slot *s;
	size_t len;
	ssize_t n;

	(void)events;
	while ((n = recv(p->upstream.fd, msg, sizeof(msg), MSG_DONTWAIT)) >= 0) {
		s = n >= 2 ? &p->slot[((unsigned int)msg[0] << 8 | msg[1]) % PROXY_SLOTS] : NULL;
		if (!s || !s->asked)
			continue;
		s->asked = false;
		put_id(msg, s->id);
		len = s->truncate ? dns_answer_truncate(msg, (size_t)n) : (size_t)n;
		send_answer(p, &s->client, msg, len);
	}
}

static void relay_answers(struct watch *w, uint32_t events)
{
	(void)events;
	proxy_connection_relay(OWNER_OF(w, struct proxy_connection, unbound.watch));
}

static void read_line(struct watch *w, uint32_t events)
{
	struct proxy_connection *l = OWNER_OF(w, struct proxy_connection, client.watch);

	(void)events;
	proxy_connection_read(l->proxy, l);
}

static void open_line(struct watch *tcp, uint32_t events)
{
	(void)events;
	proxy_connection_open(OWNER_OF(tcp, struct proxy, tcp));
}

/*
 * Answers are handled before questions, because a client may ask again as soon as it has
 * an answer.
 */
static void serve_questions(struct proxy *p, int upstream)
{
	int i, rc = 0;

	watch_add(&p->loop, &p->upstream, upstream, POLLIN, read_answers);
	watch_add(&p->loop, &p->udp, p->opts->udp_fd, POLLIN, read_questions);
	for (i = 0; i < PROXY_CONNECTIONS; i++) {
		p->connection[i].proxy = p;
		watch_add(&p->loop, &p->connection[i].unbound.watch, -1, POLLIN, relay_answers);
		watch_add(&p->loop, &p->connection[i].client.watch, -1, POLLIN, read_line);
	}
	watch_add(&p->loop, &p->tcp, p->opts->tcp_fd, POLLIN, open_line);
	while (rc == 0 || rc == -EINTR)
		rc = vbm_loop_run(&p->loop, -1);
	errno = -rc;
}

static int connect_upstream(const struct proxy_options *opts)
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

void proxy_main(const struct proxy_options *opts)
{
	struct proxy *p = xcalloc(1, sizeof(*p));
	int upstream = connect_upstream(opts);

	p->question = on_question;
	p->opts = opts;
	p->slot = xcalloc(PROXY_SLOTS, sizeof(*p->slot));
	p->seen = xcalloc(opts->zone->rules * 3 + 1, sizeof(*p->seen));
	vbm_loop_init_plain(&p->loop);
	if (upstream >= 0)
		serve_questions(p, upstream);
	fprintf(stderr, "name server: the proxy cannot continue: %m\n");
	_exit(1);
}
