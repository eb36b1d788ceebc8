/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "base/xalloc.h"
#include "compile/check.h"
#include "compile/qps.h"
#include "compile/ref.h"
#include "base/yaml.h"

/*
 * "qps: {q: {type: RC, ends: [a, b]}}" is short for the steps that bring a
 * pair of connected queue pairs up. They are written here as a scenario would
 * write them, with %h this end's host, %p the peer's, %q the name in the file
 * and =KEY what the file says for KEY, or its default.
 */
enum { RC = 1, UC = 2, UD = 4, ANY = RC | UC | UD };

static const struct {
	const char *name;
	unsigned int bit;
} types[] = {{"RC", RC}, {"UC", UC}, {"UD", UD}};

static const char *const states[] = {"RESET", "INIT", "RTR", "RTS"};

const struct qps_key qps_keys[] = {
	{"type", "RC", "RC, UC or UD"},
	{"ends", "[a, b]", "the two hosts"},
	{"state", "RTS", "how far to go: RESET, INIT, RTR or RTS"},
	{"mtu", "1024", "path MTU, bytes"},
	{"psn", "0x1234", "first packet number, of both directions"},
	{"timeout", "14", "local ACK timeout, 4.096 us times two to the power of it"},
	{"retry_cnt", "7", "retries after a timeout"},
	{"rnr_retry", "7", "retries after receiver not ready; 7 is for ever"},
	{"min_rnr_timer", "12", "code of the receiver-not-ready delay"},
	{"max_rd_atomic", "1", "RDMA reads and atomics outstanding as initiator"},
	{"max_dest_rd_atomic", "1", "the same as responder"},
	{"access", "[REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC]", "remote access to the queue pair"},
	{"qkey", "0x11111111", "Q_Key, of UD"},
	{"length", "65536", "length of the memory region, bytes"},
	{"mr_access", "[LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC]",
	 "access to the memory region"},
	{"cqe", "64", "entries of the completion queue"},
	{"max_send_wr", "16", "outstanding send requests"},
	{"max_recv_wr", "16", "outstanding receive requests"},
	{"max_send_sge", "1", "scatter/gather entries of a send request"},
	{"max_recv_sge", "1", "scatter entries of a receive request"},
	{"max_inline_data", "0", "bytes that can be sent inline"},
	{"sq_sig_all", "false", "whether every send request makes a completion"},
	{NULL, NULL, NULL},
};

/* Each line for both ends before the next one; those past "state:" are left out. */
static const struct {
	unsigned int types;
	int state;	/* index in states */
	const char *text;
} lines[] = {
	{ANY, 0, "{%h.open_device: {}, as: %q_ctx}"},
	{ANY, 0, "{%h.alloc_pd: {ctx: %q_ctx}, as: %q_pd}"},
	{ANY, 0, "{%h.create_cq: {ctx: %q_ctx, cqe: =cqe}, as: %q_cq}"},
	{ANY, 0, "{%h.reg_mr: {pd: %q_pd, length: =length, access: =mr_access}, as: %q_mr}"},
	{ANY, 0, "{%h.create_qp: {pd: %q_pd, cq: %q_cq, qp_type: =type,"
		 " max_send_wr: =max_send_wr, max_recv_wr: =max_recv_wr,"
		 " max_send_sge: =max_send_sge, max_recv_sge: =max_recv_sge,"
		 " max_inline_data: =max_inline_data, sq_sig_all: =sq_sig_all}, as: %q}"},
	{RC | UC, 1, "{%h.modify_qp: {qp: %q, state: INIT, pkey_index: 0, port: $%h.port,"
		     " access: =access}}"},
	{UD, 1, "{%h.modify_qp: {qp: %q, state: INIT, pkey_index: 0, port: $%h.port,"
		" qkey: =qkey}}"},
	{RC, 2, "{%h.modify_qp: {qp: %q, state: RTR, path_mtu: =mtu, rq_psn: =psn,"
		" dest_qp_num: $%p.%q.qp_num, dest_gid: $%p.gid, gid_index: $%h.gid_index,"
		" max_dest_rd_atomic: =max_dest_rd_atomic, min_rnr_timer: =min_rnr_timer}}"},
	{UC, 2, "{%h.modify_qp: {qp: %q, state: RTR, path_mtu: =mtu, rq_psn: =psn,"
		" dest_qp_num: $%p.%q.qp_num, dest_gid: $%p.gid, gid_index: $%h.gid_index}}"},
	{UD, 2, "{%h.modify_qp: {qp: %q, state: RTR}}"},
	{RC, 3, "{%h.modify_qp: {qp: %q, state: RTS, sq_psn: =psn, timeout: =timeout,"
		" retry_cnt: =retry_cnt, rnr_retry: =rnr_retry, max_rd_atomic: =max_rd_atomic}}"},
	{UC | UD, 3, "{%h.modify_qp: {qp: %q, state: RTS, sq_psn: =psn}}"},
};

struct qps_entry {
	const char *name;
	struct pos pos;
	const struct value *map;	/* borrowed; NULL: all defaults */
	int host[2];
	unsigned int type;
	int state;
};

static struct value *read_own(const char *text)
{
	struct diagnostics diag = {0};
	struct value *v = yaml_read(text, strlen(text), &diag);

	diagnostics_fini(&diag);
	return v ? v : value_null();
}

static const struct qps_key *key_find(const char *name)
{
	const struct qps_key *k;

	for (k = qps_keys; k->name; k++)
		if (strcmp(k->name, name) == 0)
			return k;
	return NULL;
}

static struct value *fallback(const char *name)
{
	const struct qps_key *k = key_find(name);

	return k ? read_own(k->fallback) : value_null();
}

/* The file's own value keeps its position, so that errors point at it. */
static void fill_in(struct value **slot, const struct qps_entry *e)
{
	struct value *v = *slot;
	const struct value *own;
	size_t i;

	if (v->type == VALUE_STRING && v->s[0] == '=') {
		own = value_get(e->map, v->s + 1);
		*slot = own ? value_dup(own) : fallback(v->s + 1);
		value_free(v);
		if (own)
			return;
		v = *slot;
	}
	v->pos = e->pos;
	for (i = 0; v->type == VALUE_LIST && i < v->list.count; i++)
		v->list.item[i]->pos = e->pos;
	for (i = 0; v->type == VALUE_MAP && i < v->map.count; i++) {
		v->map.member[i].pos = e->pos;
		fill_in(&v->map.member[i].value, e);
	}
}

static char *expand(const char *text, const struct qps_entry *e, int end)
{
	char *s = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&s, &n);

	if (!f)
		return xstrdup("");
	for (; *text; text++) {
		if (*text != '%')
			fputc(*text, f);
		else if (*++text == 'q')
			fputs(e->name, f);
		else
			fputc('a' + e->host[*text == 'h' ? end : !end], f);
	}
	fclose(f);
	return s;
}

static void add_line(struct checker *c, const struct qps_entry *e, const char *text, int end)
{
	auto_free char *expanded = expand(text, e, end);
	auto_value struct value *item = read_own(expanded);

	fill_in(&item, e);
	check_step(c, item);
}

static bool entry_keys(struct checker *c, const struct qps_entry *e)
{
	const struct value_member *m;
	const struct qps_key *k;
	struct suggestion s;
	bool ok = true;
	size_t i;

	for (i = 0; e->map && i < e->map->map.count; i++) {
		m = &e->map->map.member[i];
		if (key_find(m->key))
			continue;
		suggest_init(&s, m->key);
		for (k = qps_keys; k->name; k++)
			suggest_offer(&s, k->name);
		diag_add(c->diag, m->pos, diag_did_you_mean(suggest_best(&s)),
			 "a queue pair here has no key '%s'", m->key);
		ok = false;
	}
	return ok;
}

static bool is_text(const struct value *v, const char *text)
{
	return v->type == VALUE_STRING && strcmp(v->s, text) == 0;
}

static bool entry_type(struct checker *c, struct qps_entry *e)
{
	const struct value *v = value_get(e->map, "type");
	size_t i;

	e->type = RC;
	for (i = 0; v && i < ARRAY_SIZE(types); i++) {
		if (is_text(v, types[i].name)) {
			e->type = types[i].bit;
			return true;
		}
	}
	if (v)
		diag_add(c->diag, v->pos, NULL, "'type' is RC, UC or UD");
	return !v;
}

static bool entry_state(struct checker *c, struct qps_entry *e)
{
	const struct value *v = value_get(e->map, "state");
	int i, last = (int)ARRAY_SIZE(states) - 1;

	e->state = last;
	for (i = 0; v && i <= last; i++) {
		if (is_text(v, states[i])) {
			e->state = i;
			return true;
		}
	}
	if (v)
		diag_add(c->diag, v->pos, NULL, "'state' is RESET, INIT, RTR or RTS");
	return !v;
}

static int end_host(const struct checker *c, const struct value *v)
{
	int host = v->type == VALUE_STRING && v->s[0] && !v->s[1] ? v->s[0] - 'a' : -1;

	return host < c->scope.hosts ? host : -1;
}

static bool entry_ends(struct checker *c, struct qps_entry *e)
{
	const struct value *v = value_get(e->map, "ends");
	int i;

	e->host[0] = 0;
	e->host[1] = 1;
	if (!v && c->scope.hosts < 2)
		diag_add(c->diag, e->pos, NULL, "a fabric of one host has no two ends");
	if (!v)
		return c->scope.hosts > 1;
	if (v->type != VALUE_LIST || v->list.count != 2) {
		diag_add(c->diag, v->pos, NULL, "'ends' is a list of two hosts, as in [a, b]");
		return false;
	}
	for (i = 0; i < 2; i++) {
		e->host[i] = end_host(c, v->list.item[i]);
		if (e->host[i] >= 0)
			continue;
		diag_add(c->diag, v->list.item[i]->pos, NULL,
			 "an end is a host of this fabric, a to %c", 'a' + c->scope.hosts - 1);
		return false;
	}
	if (e->host[0] == e->host[1])
		diag_add(c->diag, v->pos, NULL,
			 "the two ends are one host: nothing would cross the wire");
	return e->host[0] != e->host[1];
}

static void check_entry(struct checker *c, const struct value_member *m)
{
	struct qps_entry e = {.name = m->key, .pos = m->pos};
	size_t i;
	bool ok;

	if (!ref_is_name(m->key) || strlen(m->key) > REF_PART_SIZE - 8) {
		diag_add(c->diag, m->pos, NULL,
			 "a queue pair's name is short, of lower-case letters, digits and _");
		return;
	}
	if (m->value->type != VALUE_MAP && m->value->type != VALUE_NULL) {
		diag_add(c->diag, m->value->pos, NULL, "a queue pair is a map: type, ends, ...");
		return;
	}
	e.map = m->value->type == VALUE_MAP ? m->value : NULL;
	ok = entry_keys(c, &e);
	ok = entry_type(c, &e) && ok;
	ok = entry_state(c, &e) && ok;
	ok = entry_ends(c, &e) && ok;
	if (!ok)
		return;
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		if (!(lines[i].types & e.type) || lines[i].state > e.state)
			continue;
		add_line(c, &e, lines[i].text, 0);
		add_line(c, &e, lines[i].text, 1);
	}
}

void check_qps(struct checker *c, struct value *map)
{
	size_t i;

	if (map->type != VALUE_MAP) {
		diag_add(c->diag, map->pos, NULL, "'qps' takes a map of queue pairs");
		return;
	}
	for (i = 0; i < map->map.count; i++)
		check_entry(c, &map->map.member[i]);
}
