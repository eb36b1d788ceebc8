/* SPDX-License-Identifier: BSD-2-Clause */
#include "acm/answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/xalloc.h"

#define PKEY_DEFAULT 0xffff
/* GMP, primary, outbound, inbound: the kernel uses such a path in both directions. */
#define FLAGS_DEFAULT 0x2b

/* The selector of the last three is 2: the value is exact. */
static const struct acm_path path_default = {
	.flags = FLAGS_DEFAULT,
	.pkey = PKEY_DEFAULT,
	.hop_limit = 64,
	.mtu = 0x80 | 3,
	.rate = 0x80 | 3,
	.lifetime = 0x80 | 18,
};

const struct acm_word acm_words[] = {
	{"SILENT", ACM_SILENT, "takes requests and never answers"},
	{"CLOSE", ACM_CLOSE, "closes the connection instead of answering"},
	{"HALF_HEADER", ACM_HALF_HEADER, "sends half of the header and closes"},
	{"CUT", ACM_CUT, "closes in the middle of the message"},
	{"LENGTH_SHORT", ACM_LENGTH_SHORT, "states a length that is eight bytes too small"},
	{"LENGTH_LONG", ACM_LENGTH_LONG, "states a length that is one entry too large, and closes"},
	{"LENGTH_HUGE", ACM_LENGTH_HUGE, "states a length of 65535, and closes"},
	{"LENGTH_ZERO", ACM_LENGTH_ZERO, "states a length of 0, and closes"},
	{"ODD", ACM_ODD, "sends and states seven bytes less than whole entries"},
	{"TOO_MANY", ACM_TOO_MANY, "sends nine entries, one more than a message holds"},
	{"VERSION", ACM_VERSION, "answers in another version of the protocol"},
	{"OPCODE", ACM_OPCODE, "answers with the code of another operation"},
	{"TRANID", ACM_TRANID, "answers with the transaction id of another request"},
	{"TYPE", ACM_TYPE, "sends entries of a type that does not exist"},
	{"SPLIT", ACM_SPLIT, "sends a correct answer three bytes at a time"},
	{NULL},
};

struct acm_reading {
	struct diagnostics *diag;
	struct acm_answer *answer;
	struct acm_path *path;	/* the path that is being read */
};

static void read_fault(struct acm_reading *r, const struct value *v)
{
	const char *text = v->type == VALUE_STRING ? v->s : "";
	struct suggestion s;
	size_t i;

	if (diag_spares(r->diag, v))
		return;
	suggest_init(&s, text);
	for (i = 0; acm_words[i].name; i++) {
		if (strcmp(acm_words[i].name, text) == 0) {
			r->answer->fault = acm_words[i].fault;
			return;
		}
		suggest_offer(&s, acm_words[i].name);
	}
	diag_add(r->diag, v->pos, suggest_hint(suggest_best(&s)),
		 "'%s' is not a fault of a path service", text);
}

static int64_t read_number(struct acm_reading *r, const char *key, const struct value *v,
			   int64_t max)
{
	if (diag_spares(r->diag, v))
		return 0;
	if (v->type == VALUE_INT && v->i >= 0 && v->i <= max)
		return v->i;
	diag_add(r->diag, v->pos, NULL, "'%s' takes a number from 0 to %lld", key, (long long)max);
	return 0;
}

static void read_address(struct acm_reading *r, const char *key, const struct value *v,
			 struct acm_address *a)
{
	if (diag_spares(r->diag, v))
		return;
	if (v->type != VALUE_STRING || !acm_address_read(a, v->s))
		diag_add(r->diag, v->pos, NULL, "'%s' takes an IP address or a GID", key);
}

static void read_status(struct acm_reading *r, const struct value *v)
{
	r->answer->status = (uint8_t)read_number(r, "status", v, UINT8_MAX);
}

static void read_source(struct acm_reading *r, const struct value *v)
{
	read_address(r, "source", v, &r->answer->source);
}

static void read_tcp(struct acm_reading *r, const struct value *v)
{
	if (v->type == VALUE_BOOL)
		r->answer->tcp = v->b;
	else if (!diag_spares(r->diag, v))
		diag_add(r->diag, v->pos, NULL, "'tcp' takes true or false");
}

static void read_sgid(struct acm_reading *r, const struct value *v)
{
	read_address(r, "sgid", v, &r->path->sgid);
}

static void read_dgid(struct acm_reading *r, const struct value *v)
{
	read_address(r, "dgid", v, &r->path->dgid);
}

#define PATH_NUMBER(member, max)                                              \
	static void read_##member(struct acm_reading *r, const struct value *v)   \
	{                                                                     \
		r->path->member = (__typeof__(r->path->member))               \
			read_number(r, #member, v, max);                      \
	}
PATH_NUMBER(pkey, UINT16_MAX)
PATH_NUMBER(flags, UINT32_MAX)
PATH_NUMBER(service_id, INT64_MAX)
PATH_NUMBER(flow_label, 0xfffff)
PATH_NUMBER(tclass, UINT8_MAX)
PATH_NUMBER(sl, 15)
PATH_NUMBER(hop_limit, UINT8_MAX)
PATH_NUMBER(mtu, UINT8_MAX)
PATH_NUMBER(rate, UINT8_MAX)
PATH_NUMBER(lifetime, UINT8_MAX)
#undef PATH_NUMBER

static void read_paths(struct acm_reading *r, const struct value *v);

const struct acm_key acm_keys[] = {
	{"paths", read_paths, "a list of paths; default: no path"},
	{"source", read_source, "the source address in the answer, IPv4 or IPv6; default: no source"},
	{"status", read_status, "the error code to answer with, for example 3 for no data; default 0"},
	{"fault", read_fault, "a word of acm: the fault of the reply; default: no fault"},
	{"tcp", read_tcp, "true: the service listens on a TCP port of the loopback; default: on a Unix socket"},
	{NULL},
};
const struct acm_key acm_path_keys[] = {
	{"sgid", read_sgid, "GID of the source, or its IP address; default: the request's source"},
	{"dgid", read_dgid, "GID of the destination, or its IP address; default: the request's"},
	{"pkey", read_pkey, "partition key; default 0xffff"},
	{"flags", read_flags, "flags of struct ibv_path_data; default 0x2b"},
	{"service_id", read_service_id, "service id; default 0"},
	{"flow_label", read_flow_label, "flow label; default 0"},
	{"tclass", read_tclass, "traffic class; default 0"},
	{"sl", read_sl, "service level; default 0"},
	{"hop_limit", read_hop_limit, "hop limit; default 64"},
	{"mtu", read_mtu, "code of the path MTU, with its selector in the upper two bits; default 0x83"},
	{"rate", read_rate, "code of the rate, likewise; default 0x83"},
	{"lifetime", read_lifetime, "code of the packet lifetime, likewise; default 0x92"},
	{NULL},
};

static void read_map(struct acm_reading *r, const struct value *v, const struct acm_key *keys)
{
	const struct value_member *m;
	struct suggestion s;
	size_t i, k;

	for (i = 0; i < v->map.count; i++) {
		m = &v->map.member[i];
		suggest_init(&s, m->key);
		for (k = 0; keys[k].name && strcmp(keys[k].name, m->key); k++)
			suggest_offer(&s, keys[k].name);
		if (keys[k].name) {
			keys[k].read(r, m->value);
			continue;
		}
		diag_add(r->diag, m->pos, suggest_hint(suggest_best(&s)),
			 "'%s' is not a key of a path service", m->key);
	}
}

static void read_paths(struct acm_reading *r, const struct value *v)
{
	size_t i;

	if (v->type != VALUE_LIST || v->list.count > ACM_ITEMS) {
		diag_add(r->diag, v->pos, NULL, "'paths' takes a list of at most %d", ACM_ITEMS);
		return;
	}
	for (i = 0; i < v->list.count; i++) {
		r->path = &r->answer->path[r->answer->paths++];
		*r->path = path_default;
		if (v->list.item[i]->type == VALUE_MAP)
			read_map(r, v->list.item[i], acm_path_keys);
		else
			diag_add(r->diag, v->list.item[i]->pos, NULL,
				 "a path is a map, as in {} or {dgid: GID}");
	}
}

bool acm_answer_read(struct acm_answer *answer, const struct value *acm,
		     struct diagnostics *diag)
{
	struct acm_reading r = {.diag = diag, .answer = answer};
	const size_t before = diag->said;
	const struct value *source = value_get(acm, "source");

	memset(answer, 0, sizeof(*answer));
	if (acm->type == VALUE_STRING)
		read_fault(&r, acm);
	else if (acm->type == VALUE_MAP)
		read_map(&r, acm, acm_keys);
	else
		diag_add(diag, acm->pos, NULL,
			 "'acm' takes a map, or a word for the fault of the reply");
	if (source && answer->paths == ACM_ITEMS)
		diag_add(diag, source->pos, NULL,
			 "a message cannot hold %d paths and a source", ACM_ITEMS);
	return diag->said == before;
}
