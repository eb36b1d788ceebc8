/* SPDX-License-Identifier: BSD-2-Clause */
#include "export/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

/* Shared receive queues, address handles, and what changes a queue or a region that exists. */

static void expect_return(struct export *x)
{
	export_expect(x, &(struct export_field){"return", "ret", NULL}, 1);
}

static void resize_cq(struct export *x)
{
	auto_free char *cq = export_object(x, "cq", OBJECT_CQ), *cqe = export_arg(x, "cqe", "64"), *got = xasprintf("%s->cqe", cq);

	export_line(x, "ret = ibv_resize_cq(%s, %s);", cq, cqe);
	export_expect(x, (const struct export_field[]){{"return", "ret", NULL}, {"cqe", got, NULL}}, 2);
}

static void req_notify_cq(struct export *x)
{
	auto_free char *cq = export_object(x, "cq", OBJECT_CQ), *solicited = export_arg(x, "solicited_only", "false");

	export_line(x, "ret = ibv_req_notify_cq(%s, %s);", cq, solicited);
	expect_return(x);
}

static void get_cq_event(struct export *x)
{
	auto_free char *cq = export_object(x, "cq", OBJECT_CQ);

	export_line(x, "ret = next_event(%s, %d);", cq, export_item(x)->deadline_ms);
	expect_return(x);
}

static void ack_cq_events(struct export *x)
{
	auto_free char *cq = export_object(x, "cq", OBJECT_CQ), *count = export_arg(x, "count", "1");

	export_line(x, "ibv_ack_cq_events(%s, %s);", cq, count);
	export_expect(x, &(struct export_field){"return", "0", NULL}, 1);
}

static void rereg_mr(struct export *x)
{
	auto_free char *m = export_object(x, "mr", OBJECT_MR), *flags = export_arg(x, "flags", "0"), *access = export_arg(x, "access", "0");
	auto_free char *pd = export_has_arg(x, "pd") ? export_object(x, "pd", OBJECT_PD) : xstrdup("NULL");
	auto_free char *rkey = xasprintf("%s.mr->rkey", m), *lkey = xasprintf("%s.mr->lkey", m);

	if (strstr(flags, "TRANSLATION"))
		export_refuse(x, "a region that gets other memory");
	export_line(x, "ret = ibv_rereg_mr(%s.mr, %s, %s, NULL, 0, %s);", m, flags, pd, access);
	export_line(x, "code = errno;");
	export_expect(x, (const struct export_field[]){
		{"return", "ret", NULL}, {"errno", "(ret ? code : 0)", NULL}, {"rkey", rkey, NULL}, {"lkey", lkey, NULL}}, 4);
}

/* The fields of a shared receive queue are those of a struct ibv_srq_attr in C. */
#define ATTRIBUTES(at) \
	{"max_wr", at ".max_wr", NULL}, {"max_sge", at ".max_sge", NULL}, {"srq_limit", at ".srq_limit", NULL}

static void create_srq(struct export *x)
{
	auto_free char *pd = export_object(x, "pd", OBJECT_PD), *made = export_made(x, "struct ibv_srq *");
	auto_free char *wr = export_arg(x, "max_wr", "16"), *sge = export_arg(x, "max_sge", "1"), *limit = export_arg(x, "srq_limit", "0");
	auto_free char *is_made = xasprintf("(%s != NULL)", made), *failed = xasprintf("(%s ? 0 : code)", made);

	export_line(x, "struct ibv_srq_init_attr init = {.attr = {.max_wr = %s, .max_sge = %s, .srq_limit = %s}};", wr, sge, limit);
	export_line(x, "%s = ibv_create_srq(%s, &init);", made, pd);
	export_line(x, "code = errno;");
	export_expect(x, (const struct export_field[]){
		{"return", is_made, NULL}, {"errno", failed, NULL}, ATTRIBUTES("init.attr")}, 5);
}

static void modify_srq(struct export *x)
{
	auto_free char *srq = export_object(x, "srq", OBJECT_SRQ), *wr = export_arg(x, "max_wr", NULL), *limit = export_arg(x, "srq_limit", NULL);
	auto_free char *usual = xasprintf("%s%s%s", wr ? "IBV_SRQ_MAX_WR" : "", wr && limit ? " | " : "", limit ? "IBV_SRQ_LIMIT" : "");
	auto_free char *mask = export_arg(x, "mask", *usual ? usual : "0");

	export_line(x, "struct ibv_srq_attr attr = {.max_wr = %s, .srq_limit = %s};", wr ? wr : "0", limit ? limit : "0");
	export_line(x, "int mask = %s;", mask);
	export_line(x, "ret = ibv_modify_srq(%s, &attr, mask);", srq);
	export_expect(x, (const struct export_field[]){{"return", "ret", NULL}, {"mask", "mask", NULL}}, 2);
}

static void query_srq(struct export *x)
{
	auto_free char *srq = export_object(x, "srq", OBJECT_SRQ);

	export_line(x, "struct ibv_srq_attr attr = {0};");
	export_line(x, "ret = ibv_query_srq(%s, &attr);", srq);
	export_expect(x, (const struct export_field[]){{"return", "ret", NULL}, ATTRIBUTES("attr")}, 4);
}

static void create_ah(struct export *x)
{
	auto_free char *pd = export_object(x, "pd", OBJECT_PD), *made = export_made(x, "struct ibv_ah *");
	auto_free char *is_made = xasprintf("(%s != NULL)", made), *failed = xasprintf("(%s ? 0 : code)", made);

	if (!export_has_arg(x, "dest_gid"))
		export_refuse(x, "an address handle without dest_gid");
	else
		export_path(x, "struct ibv_ah_attr path =", ";");
	export_line(x, "%s = ibv_create_ah(%s, &path);", made, pd);
	export_line(x, "code = errno;");
	export_expect(x, (const struct export_field[]){{"return", is_made, NULL}, {"errno", failed, NULL}}, 2);
}

const struct export_call export_queue_calls[] = {
	{"resize_cq", resize_cq}, {"req_notify_cq", req_notify_cq}, {"get_cq_event", get_cq_event}, {"ack_cq_events", ack_cq_events},
	{"rereg_mr", rereg_mr}, {"create_srq", create_srq}, {"modify_srq", modify_srq}, {"query_srq", query_srq},
	{"create_ah", create_ah},
	{NULL, NULL},
};
