/* SPDX-License-Identifier: BSD-2-Clause */
#include "export/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"

/* Queue pairs and their states. */

static void create_qp(struct export *x)
{
	static const char *const caps[][2] = {
		{"max_send_wr", "16"}, {"max_recv_wr", "16"}, {"max_send_sge", "1"}, {"max_recv_sge", "1"}, {"max_inline_data", "0"},
	};
	auto_free char *pd = export_object(x, "pd", OBJECT_PD), *made = export_made(x, "struct ibv_qp *");
	auto_free char *type = export_arg(x, "qp_type", "IBV_QPT_RC"), *all = export_arg(x, "sq_sig_all", "false");
	bool two = export_has_arg(x, "send_cq") && export_has_arg(x, "recv_cq");
	auto_free char *srq = export_has_arg(x, "srq") ? export_object(x, "srq", OBJECT_SRQ) : xstrdup("NULL");
	auto_free char *send = export_object(x, two ? "send_cq" : "cq", OBJECT_CQ);
	auto_free char *recv = export_object(x, two ? "recv_cq" : "cq", OBJECT_CQ);
	auto_free char *is_made = xasprintf("(%s != NULL)", made), *num = xasprintf("%s->qp_num", made);
	auto_free char *state = xasprintf("%s->state", made), *same = xasprintf("(%s->pd == %s)", made, pd);
	const struct export_field fields[] = {
		{"return", is_made, NULL}, {"qp_num", num, NULL}, {"state", state, NULL}, {"same_pd", same, NULL},
		{"errno", "code", NULL}, {"max_inline_data", "init.cap.max_inline_data", NULL},
		{"max_send_wr", "init.cap.max_send_wr", NULL}, {"max_recv_wr", "init.cap.max_recv_wr", NULL},
		{"max_send_sge", "init.cap.max_send_sge", NULL}, {"max_recv_sge", "init.cap.max_recv_sge", NULL},
	};
	size_t i;

	export_line(x, "struct ibv_qp_init_attr init = {");
	export_line(x, "\t.send_cq = %s, .recv_cq = %s, .srq = %s, .qp_type = %s, .sq_sig_all = %s,", send, recv, srq, type, all);
	export_line(x, "\t.cap = {");
	for (i = 0; i < ARRAY_SIZE(caps); i++) {
		auto_free char *n = export_arg(x, caps[i][0], caps[i][1]);

		export_line(x, "\t\t.%s = %s,", caps[i][0], n);
	}
	export_line(x, "\t},");
	export_line(x, "};");
	export_line(x, "%s = ibv_create_qp(%s, &init);", made, pd);
	export_line(x, "code = errno;");
	export_expect(x, fields, ARRAY_SIZE(fields));
}

/* The attributes of ibv_modify_qp(3): argument, member, bit. */
static const struct {
	const char *arg, *member, *bit;
} attributes[] = {
	{"state", "qp_state", "IBV_QP_STATE"}, {"cur_state", "cur_qp_state", "IBV_QP_CUR_STATE"},
	{"en_sqd_async_notify", "en_sqd_async_notify", "IBV_QP_EN_SQD_ASYNC_NOTIFY"},
	{"access", "qp_access_flags", "IBV_QP_ACCESS_FLAGS"}, {"pkey_index", "pkey_index", "IBV_QP_PKEY_INDEX"},
	{"port", "port_num", "IBV_QP_PORT"}, {"qkey", "qkey", "IBV_QP_QKEY"}, {"path_mtu", "path_mtu", "IBV_QP_PATH_MTU"},
	{"timeout", "timeout", "IBV_QP_TIMEOUT"}, {"retry_cnt", "retry_cnt", "IBV_QP_RETRY_CNT"},
	{"rnr_retry", "rnr_retry", "IBV_QP_RNR_RETRY"}, {"rq_psn", "rq_psn", "IBV_QP_RQ_PSN"}, {"sq_psn", "sq_psn", "IBV_QP_SQ_PSN"},
	{"max_rd_atomic", "max_rd_atomic", "IBV_QP_MAX_QP_RD_ATOMIC"},
	{"max_dest_rd_atomic", "max_dest_rd_atomic", "IBV_QP_MAX_DEST_RD_ATOMIC"},
	{"min_rnr_timer", "min_rnr_timer", "IBV_QP_MIN_RNR_TIMER"}, {"dest_qp_num", "dest_qp_num", "IBV_QP_DEST_QPN"},
};

/* The GID of the other host, or of this one. */
static char *gid(struct export *x)
{
	const struct value *v = value_get(export_item(x)->args, "dest_gid");
	const char *ref = v && v->type == VALUE_EXPR ? v->s : "";

	if (!strcmp(ref, "$a.gid") || !strcmp(ref, "$b.gid"))
		return xasprintf("shared.gid[%c]", ref[1] == 'a' ? 'A' : 'B');
	if (v && v->type == VALUE_STRING)
		return xasprintf("gid_of(\"%s\")", v->s);
	export_refuse(x, "this dest_gid");
	return xstrdup("shared.gid[A]");
}

/* call-pair.c: the path to dest_gid, a struct ibv_ah_attr, between @before and @after. */
static void export_path(struct export *x, const char *before, const char *after)
{
	auto_free char *index = export_arg(x, "gid_index", "gid_index"), *hops = export_arg(x, "hop_limit", "64"), *dest = gid(x);

	export_ignore_arg(x, "dest_gid");
	export_line(x, "%s {", before);
	export_line(x, "\t\t.is_global = 1, .port_num = port,");
	export_line(x, "\t\t.grh = {.dgid = %s, .sgid_index = %s, .hop_limit = %s},", dest, index, hops);
	export_line(x, "\t}%s", after);
}

static void add_address(struct export *x, struct text *mask)
{
	if (!export_has_arg(x, "dest_gid"))
		return;
	export_path(x, "\t.ah_attr =", ",");
	text_addf(mask, "%sIBV_QP_AV", mask->len ? " | " : "");
}

static void modify_qp(struct export *x)
{
	auto_free char *qp = export_object(x, "qp", OBJECT_QP), *state = xasprintf("%s->state", qp);
	const struct export_field fields[] = {{"return", "ret", NULL}, {"state", state, NULL}, {"mask", "mask", NULL}};
	auto_text struct text mask = {0};
	auto_free char *also = export_arg(x, "also", NULL), *omit = export_arg(x, "omit", NULL), *given = export_arg(x, "mask", NULL);
	size_t i;

	export_line(x, "struct ibv_qp_attr attr = {");
	for (i = 0; i < ARRAY_SIZE(attributes); i++) {
		auto_free char *c = export_arg(x, attributes[i].arg, NULL);

		if (!c)
			continue;
		export_line(x, "\t.%s = %s,", attributes[i].member, c);
		text_addf(&mask, "%s%s", mask.len ? " | " : "", attributes[i].bit);
	}
	add_address(x, &mask);
	export_line(x, "};");
	export_line(x, "int mask = (%s%s%s)%s%s%s;", given ? given : mask.len ? mask.s : "0", also ? " | " : "", also ? also : "",
		    omit ? " & ~(" : "", omit ? omit : "", omit ? ")" : "");
	export_line(x, "ret = ibv_modify_qp(%s, &attr, mask);", qp);
	export_expect(x, fields, ARRAY_SIZE(fields));
}

static void query_qp(struct export *x)
{
	static const struct export_field fields[] = {
		{"return", "ret", NULL}, {"state", "attr.qp_state", NULL}, {"cur_state", "attr.cur_qp_state", NULL},
		{"sq_draining", "attr.sq_draining", NULL}, {"path_mtu", "attr.path_mtu", NULL},
		{"access", "attr.qp_access_flags", NULL}, {"qkey", "attr.qkey", NULL}, {"rq_psn", "attr.rq_psn", NULL},
		{"sq_psn", "attr.sq_psn", NULL}, {"dest_qp_num", "attr.dest_qp_num", NULL},
		{"pkey_index", "attr.pkey_index", NULL}, {"max_rd_atomic", "attr.max_rd_atomic", NULL},
		{"max_dest_rd_atomic", "attr.max_dest_rd_atomic", NULL}, {"min_rnr_timer", "attr.min_rnr_timer", NULL},
		{"port", "attr.port_num", NULL}, {"timeout", "attr.timeout", NULL}, {"retry_cnt", "attr.retry_cnt", NULL},
		{"rnr_retry", "attr.rnr_retry", NULL}, {"sq_sig_all", "init.sq_sig_all", NULL},
		{"max_send_sge", "attr.cap.max_send_sge", NULL}, {"max_recv_sge", "attr.cap.max_recv_sge", NULL},
	};
	auto_free char *qp = export_object(x, "qp", OBJECT_QP), *mask = export_arg(x, "mask", "IBV_QP_STATE | IBV_QP_AV | IBV_QP_CAP");
	auto_free char *holds = NULL;

	export_line(x, "struct ibv_qp_init_attr init = {0};");
	export_line(x, "struct ibv_qp_attr attr = {0};");
	if (export_item(x)->mode == ITEM_UNTIL) {
		holds = export_condition(x, fields, ARRAY_SIZE(fields));
		export_line(x, "int64_t deadline = now_ms() + %d;", export_item(x)->deadline_ms);
		export_line(x, "do");
		export_line(x, "\tret = ibv_query_qp(%s, &attr, %s, &init);", qp, mask);
		export_line(x, "while (!(%s) && now_ms() < deadline && sched_yield() == 0);", holds);
	} else {
		export_line(x, "ret = ibv_query_qp(%s, &attr, %s, &init);", qp, mask);
	}
	export_expect(x, fields, ARRAY_SIZE(fields));
}

const struct export_call export_pair_calls[] = {
	{"create_qp", create_qp}, {"modify_qp", modify_qp}, {"query_qp", query_qp},
	{NULL, NULL},
};

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
