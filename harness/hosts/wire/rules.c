/* SPDX-License-Identifier: BSD-2-Clause */
#include "wire/rules.h"

#include <errno.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "codec/header.h"
#include "codec/packet.h"
#include "lib/base/fail.h"
#include "lib/base/thread.h"
#include "wire/rule-action.h"

#define RING_BYTES (1 << 20)

int rules_open(struct packet_rules *r, const char *interface, struct vbm_error *err)
{
	*r = (struct packet_rules){
		.counts = -1, .crcs = -1, .passing = -1, .link = -1, .wake = -1, .ring.fd = -1,
		.lock = PTHREAD_MUTEX_INITIALIZER, .ifindex = (int)if_nametoindex(interface),
	};
	if (!r->ifindex)
		return vbm_fail(err, errno, "there is no interface %s: %s", interface, strerror(errno));
	if (bpf_array_new(&r->counts, RULES_MAX, sizeof(struct rule_counts), err) < 0)
		return -err->code;
	return bpf_ring_new(&r->ring, RING_BYTES, err);
}

/* The link keeps the program, so its descriptor is not needed any more. */
static int put_on(struct packet_rules *r, struct vbm_error *err)
{
	const struct rule_maps maps = {.counts = r->counts, .records = r->ring.fd, .crcs = r->crcs};
	auto_free struct rule_code *code = xcalloc(1, sizeof(*code));
	auto_close int program = -1;

	return rule_code(code, r->rule, r->count, &maps, err) ?:
	       bpf_program_new(&program, code->insn, code->count, err) ?:
	       (r->link < 0 ? bpf_link_new(&r->link, program, r->ifindex, err) : bpf_link_replace(r->link, program, err));
}

static int set_crcs(struct packet_rules *r, const struct packet_rule *rule, size_t number, struct vbm_error *err)
{
	auto_free uint32_t *entry = xcalloc(RULE_CRC_ENTRIES, sizeof(*entry));
	uint32_t family;
	int rc = 0;

	if (r->crcs < 0)
		rc = bpf_array_new(&r->crcs, 2 * RULES_MAX, RULE_CRC_ENTRIES * sizeof(*entry), err);
	for (family = 0; rc == 0 && family < 2; family++) {
		rc = rule_crcs(rule, family, entry, err) ?:
		     bpf_array_set(r->crcs, 2 * (uint32_t)number + family, entry, err);
	}
	return rc;
}

static bool removes_packets(const struct packet_rule *rule)
{
	const struct rule_kind *kind = &rule_kinds[rule->action];

	return kind->drops || (kind->cuts && rule->value < header_bth.bytes);
}

static int begin_rule(struct packet_rules *r, const struct packet_rule *rule, size_t number, uint64_t seed, struct vbm_error *err)
{
	const struct rule_counts counts = {.random = seed};
	int rc = number < RULES_MAX ? bpf_array_set(r->counts, (uint32_t)number, &counts, err) :
				      vbm_fail(err, E2BIG, "these are too many rules for one interface");

	if (rc == 0 && rule->right_icrc)
		rc = set_crcs(r, rule, number, err);
	if (rc == 0 && r->passing < 0 && rule_kinds[rule->action].keeps)
		rc = bpf_passing_new(&r->passing, err);
	if (rc == 0) {
		r->action[number] = rule->action;
		r->takes[number] = removes_packets(rule);
	}
	return rc == 0 ? put_on(r, err) : rc;
}

static int put_back(struct packet_rules *r, struct acted_packet *p, struct vbm_error *err)
{
	int rc;

	packet_udp_sum_remove(p->bytes, p->len);
	p->bytes[RULE_AGAIN_AT] |= RULE_AGAIN_BIT;
	rc = bpf_receive(r->passing, r->ifindex, p->bytes, p->len, err);
	r->again[p->rule] += rc == 0;
	free(p->bytes);
	p->bytes = NULL;
	return rc < 0 ? rc : 0;
}

static void wake(const struct packet_rules *r)
{
	const uint64_t one = 1;
	ssize_t n = write(r->wake, &one, sizeof(one));

	(void)n;	/* a counter that is full wakes the thread, too */
}

/* Packets of one rule go on in their order. */
static void delay(struct packet_rules *r, int64_t due_ns)
{
	size_t i;

	GROW(r->delayed, r->delayed_count);
	for (i = r->delayed_count; i > 0 && r->delayed[i - 1].due_ns <= due_ns; i--)
		r->delayed[i] = r->delayed[i - 1];
	r->delayed[i] = (struct delayed_packet){due_ns, r->acted_count - 1};
	r->delayed_count++;
	wake(r);
}

static void take_packet(struct packet_rules *r, const struct rule_record *record)
{
	/* The program may still act for a rule that has just ended. */
	const struct packet_rule *rule = &r->rule[record->rule];
	enum rule_action action = r->action[record->rule];
	struct acted_packet p = {.rule = record->rule, .len = record->len};

	p.mark = packet_mark(record->bytes, record->len);
	if (rule_kinds[action].keeps && record->len <= RULE_RECORD_ALL) {
		p.bytes = xcalloc(1, record->len);
		memcpy(p.bytes, record->bytes, record->len);
	}
	/* If this fails, the count of packets that were put back shows it. */
	if (action == RULE_DUPLICATE && p.bytes)
		put_back(r, &p, NULL);
	GROW(r->acted, r->acted_count);
	r->acted[r->acted_count++] = p;
	if (action == RULE_DELAY && p.bytes)
		delay(r, clock_now_ns() + (int64_t)rule->value);
}

static void read_ring(struct packet_rules *r)
{
	const struct rule_record *record;
	size_t len;

	while ((record = bpf_ring_next(&r->ring, &len))) {
		if (record->rule < r->count)
			take_packet(r, record);
		bpf_ring_done(&r->ring, len);
	}
}

/* Puts the packets back whose time has come. The milliseconds until the next one, for poll(2); -1: there is none. */
static int put_due(struct packet_rules *r)
{
	int64_t now = clock_now_ns();

	while (r->delayed_count && r->delayed[r->delayed_count - 1].due_ns <= now) {
		struct acted_packet *p = &r->acted[r->delayed[--r->delayed_count].acted];

		if (p->bytes)
			put_back(r, p, NULL);
	}
	return r->delayed_count ? clock_left_ms(r->delayed[r->delayed_count - 1].due_ns) : -1;
}

static int work_locked(struct packet_rules *r, bool *ended)
{
	int left;

	pthread_mutex_lock(&r->lock);
	read_ring(r);
	left = put_due(r);
	*ended = r->ended;
	pthread_mutex_unlock(&r->lock);
	return left;
}

static void *put_packets_back(void *arg)
{
	struct packet_rules *r = arg;
	struct pollfd p[] = {{.fd = r->ring.fd, .events = POLLIN}, {.fd = r->wake, .events = POLLIN}};
	uint64_t times;
	bool ended = false;
	int left;

	while (left = work_locked(r, &ended), !ended) {
		poll(p, ARRAY_SIZE(p), left);
		if (p[1].revents && read(r->wake, &times, sizeof(times)) < 0)
			break;
	}
	return NULL;
}

static int start_thread(struct packet_rules *r, struct vbm_error *err)
{
	int rc;

	r->wake = eventfd(0, EFD_CLOEXEC);
	if (r->wake < 0)
		return vbm_fail(err, errno, "cannot make an eventfd: %s", strerror(errno));
	rc = vbm_thread_start(&r->thread, put_packets_back, r);
	if (rc == 0)
		return 0;
	close(steal_fd(&r->wake));
	return vbm_fail(err, rc, "cannot start a thread that puts packets back: %s", strerror(rc));
}

int rules_add(struct packet_rules *r, struct packet_rule *rule, uint64_t seed, struct vbm_error *err)
{
	const struct rule_kind *kind = &rule_kinds[rule->action];
	int rc = 0;

	if (kind->keeps && !kind->waits && r->wake < 0)
		rc = start_thread(r, err);
	pthread_mutex_lock(&r->lock);
	GROW(r->rule, r->count);
	r->rule[r->count++] = *rule;
	if (rc == 0)
		rc = begin_rule(r, rule, r->count - 1, seed, err);
	if (rc < 0)
		pattern_fini(&r->rule[--r->count].pattern);
	rc = rc < 0 ? rc : (int)r->count - 1;
	pthread_mutex_unlock(&r->lock);
	return rc;
}

int rules_end(struct packet_rules *r, size_t number, struct vbm_error *err)
{
	int rc;

	pthread_mutex_lock(&r->lock);
	read_ring(r);
	r->rule[number].action = RULE_OFF;
	rc = put_on(r, err);
	pthread_mutex_unlock(&r->lock);
	return rc;
}

int rules_counts(const struct packet_rules *r, size_t number, struct rule_counts *counts, struct vbm_error *err)
{
	return bpf_array_get(r->counts, (uint32_t)number, counts, err);
}

static size_t kept_by(const struct packet_rules *r, size_t number)
{
	size_t i, n = 0;

	for (i = 0; i < r->acted_count; i++)
		n += r->acted[i].rule == number && r->acted[i].bytes;
	return n;
}

static int release_packets(struct packet_rules *r, size_t number, bool reversed, struct vbm_error *err)
{
	struct rule_counts counts = {0};
	size_t i, kept;
	int rc, n = 0;

	read_ring(r);
	kept = kept_by(r, number);
	rc = rules_counts(r, number, &counts, err);
	if (rc == 0 && kept + r->again[number] < counts.acted)
		rc = vbm_fail(err, ENOBUFS, "the rule took %llu packets away, and there was room for %zu of them only",
			      (unsigned long long)counts.acted, (size_t)(kept + r->again[number]));
	for (i = 0; rc == 0 && i < r->acted_count; i++) {
		struct acted_packet *p = &r->acted[reversed ? r->acted_count - 1 - i : i];

		if (p->rule != number || !p->bytes)
			continue;
		rc = put_back(r, p, err);
		n++;
	}
	return rc < 0 ? rc : n;
}

int rules_release(struct packet_rules *r, size_t number, bool reversed, struct vbm_error *err)
{
	int rc;

	pthread_mutex_lock(&r->lock);
	rc = release_packets(r, number, reversed, err);
	pthread_mutex_unlock(&r->lock);
	return rc;
}

int rules_sums(struct packet_rules *r, uint64_t *taken, uint64_t *again, struct vbm_error *err)
{
	struct rule_counts counts = {0};
	size_t i;
	int rc = 0;

	*taken = *again = 0;
	pthread_mutex_lock(&r->lock);
	read_ring(r);
	for (i = 0; rc == 0 && i < r->count; i++) {
		rc = rules_counts(r, i, &counts, err);
		*taken += r->takes[i] ? counts.acted : 0;
		*again += r->again[i];
	}
	pthread_mutex_unlock(&r->lock);
	return rc;
}

void rules_close(struct packet_rules *r)
{
	const int fds[] = {r->link, r->counts, r->crcs, r->passing, r->wake};
	size_t i;

	if (r->wake >= 0) {
		pthread_mutex_lock(&r->lock);
		r->ended = true;
		pthread_mutex_unlock(&r->lock);
		wake(r);
		pthread_join(r->thread, NULL);
	}
	for (i = 0; i < r->count; i++)
		pattern_fini(&r->rule[i].pattern);
	free(r->rule);
	for (i = 0; i < r->acted_count; i++)
		free(r->acted[i].bytes);
	free(r->acted);
	free(r->delayed);
	for (i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	bpf_ring_free(&r->ring);
	*r = (struct packet_rules){.counts = -1, .crcs = -1, .passing = -1, .link = -1, .ring.fd = -1, .wake = -1};
}

#define SEED_MAX 1000000	/* of those that are drawn: short enough to be written down */

static uint64_t value_of(const struct rule_kind *kind, const struct value *args)
{
	int64_t value = kind->value ? value_get_int(args, kind->value, kind->usual) : 0;

	return kind->is_time ? (uint64_t)clock_span_ns((int)value) : (uint64_t)value;
}

int rule_read(struct packet_rule *rule, const char *step, const struct value *args, struct vbm_error *err)
{
	const struct value *is = value_get(args, "is");
	int rc = 0;
	size_t i;

	*rule = (struct packet_rule){.action = rule_action_of(step)};
	rule->first = (uint64_t)value_get_int(args, "first", 1);
	rule->count = (uint64_t)value_get_int(args, "count", value_get(args, "percent") ? 0 : 1);
	rule->chance = RULE_CHANCE_ONE / 100 * (uint64_t)value_get_int(args, "percent", 0);
	rule->right_icrc = value_get_bool(args, "icrc", false);
	rule->value = value_of(&rule_kinds[rule->action], args);
	snprintf(rule->field, sizeof(rule->field), "%s", value_get_string(args, "field", ""));
	for (i = 0; is && rc == 0 && i < is->list.count; i++)
		rc = pattern_add(&rule->pattern, is->list.item[i]->s, err);
	return rc;
}

void rule_free(struct packet_rule *rule)
{
	pattern_fini(&rule->pattern);
}

uint64_t rule_seed(const struct packet_rule *rule, const struct value *args)
{
	return rule->chance ? (uint64_t)value_get_int(args, "seed", clock_now_ns() % SEED_MAX) : 0;
}
