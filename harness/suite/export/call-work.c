/* SPDX-License-Identifier: BSD-2-Clause */
#include "export/parts.h"

#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"

/* Requests and completions. */

/* The bytes of a request: where they are, how many, and their key. */
struct bytes {
	char *at, *length, *lkey;	/* owned; NULL: the request has no bytes */
};

static void bytes_fini(struct bytes *b)
{
	free(b->at);
	free(b->length);
	free(b->lkey);
}

#define auto_bytes __attribute__((cleanup(bytes_fini)))

static bool is(const char *opcode, const char *word)
{
	return !strcmp(opcode, word);
}

/* Without "mr:" it is the region QP_mr if there is one. */
static char *region_of(struct export *x)
{
	const char *qp = value_get_string(export_item(x)->args, "qp", "qp");
	auto_free char *own = xasprintf("%s_mr", qp), *variable = xasprintf("%c_%s", export_host(x), own);

	if (!export_has_arg(x, "mr") && value_get(x->objects, variable))
		return steal(&variable);
	return export_object(x, "mr", OBJECT_MR);
}

static struct bytes bytes_of(struct export *x, const char *opcode)
{
	int64_t length = value_get_int(export_item(x)->args, "length", -1);
	bool bind = is(opcode, "IBV_WR_BIND_MW"), eight = strstr(opcode, "ATOMIC");
	struct bytes b = {NULL, NULL, NULL};
	auto_free char *m = NULL, *whole = NULL, *offset = NULL, *start = NULL, *key = NULL;

	/* The step checks them; C has no bounds. */
	export_ignore_arg(x, "beyond");
	if (is(opcode, "IBV_WR_LOCAL_INV") || (length == 0 && !export_has_arg(x, "mr") && !bind)) {
		export_ignore_arg(x, "length");
		export_ignore_arg(x, "mr");
		return b;
	}
	m = region_of(x);
	whole = eight ? xstrdup("8") : xasprintf("%s.length", m);
	start = xasprintf("(uintptr_t)%s.at", m);
	key = xasprintf("%s.mr->lkey", m);
	b.length = export_arg(x, "length", whole);
	offset = export_arg(x, "offset", "0");
	{
		auto_free char *base = export_arg(x, "addr", start);

		b.at = strcmp(offset, "0") ? xasprintf("%s + %s", base, offset) : xstrdup(base);
	}
	b.lkey = export_arg(x, "lkey", key);
	return b;
}

static void write_list(struct export *x, const struct bytes *b)
{
	if (b->at)
		export_line(x, "struct ibv_sge sge = {.addr = %s, .length = %s, .lkey = %s};", b->at, b->length, b->lkey);
}

static const char *list_of(const struct bytes *b)
{
	if (!b->at)
		return "";
	return strcmp(b->length, "0") ? "\t.sg_list = &sge, .num_sge = 1," : "";
}

/* Posts it, @count times. The queue @to is a queue pair, or a shared receive queue: @shared. */
static void write_post(struct export *x, const char *call, const char *to, const struct bytes *b, bool recv, bool shared)
{
	auto_free char *id = export_arg(x, "id", "0"), *count = export_arg(x, "count", NULL);
	const char *indent = "", *qp = shared ? "NULL" : to;

	if (count) {
		export_line(x, "int done;");
		export_line(x, "for (done = 0, ret = 0; done < %s && ret == 0; done += ret == 0) {", count);
		indent = "\t";
	}
	export_line(x, "%swr.wr_id = %s%s;", indent, id, count ? " + (uint64_t)done" : "");
	export_line(x, "%sret = %s(%s, &wr, &bad);", indent, call, to);
	export_line(x, "%sif (ret == 0)", indent);
	if (b->at)
		export_line(x, "%s\tposted(%s, wr.wr_id, %s, (unsigned char *)(uintptr_t)(%s), %s);", indent, qp, recv ? "true" : "false",
			    b->at, b->length);
	else
		export_line(x, "%s\tposted(%s, wr.wr_id, %s, NULL, 0);", indent, qp, recv ? "true" : "false");
	if (count)
		export_line(x, "}");
	export_expect(x, (const struct export_field[]){
		{"return", "ret", NULL}, {"bad_wr", "(bad != NULL)", NULL}, {"posted", count ? "done" : "(ret == 0)", NULL},
		{"rkey", "wr_rkey", NULL}}, recv ? 3 : 4);
}

static void post_receive(struct export *x, const char *call, const char *to, bool shared)
{
	auto_bytes struct bytes b = bytes_of(x, "");

	write_list(x, &b);
	export_line(x, "struct ibv_recv_wr wr = {%s}, *bad = NULL;", *list_of(&b) ? ".sg_list = &sge, .num_sge = 1" : "0");
	write_post(x, call, to, &b, true, shared);
}

static void post_recv(struct export *x)
{
	auto_free char *qp = export_object(x, "qp", OBJECT_QP);

	post_receive(x, "ibv_post_recv", qp, false);
}

static void post_srq_recv(struct export *x)
{
	auto_free char *srq = export_object(x, "srq", OBJECT_SRQ);

	post_receive(x, "ibv_post_srq_recv", srq, true);
}

static void write_datagram(struct export *x)
{
	auto_free char *ah = export_object(x, "ah", OBJECT_AH), *qpn = export_arg(x, "remote_qpn", "0"), *qkey = export_arg(x, "remote_qkey", "0");

	export_line(x, "\t.wr.ud = {.ah = %s, .remote_qpn = (uint32_t)%s, .remote_qkey = (uint32_t)%s},", ah, qpn, qkey);
}

static void write_remote(struct export *x, const char *member)
{
	auto_free char *addr = export_arg(x, "remote_addr", "0"), *offset = export_arg(x, "remote_offset", "0");
	auto_free char *rkey = export_arg(x, "rkey", "0");

	export_line(x, "\t.wr.%s = {", member);
	export_line(x, "\t\t.remote_addr = (uint64_t)%s%s%s,", addr, strcmp(offset, "0") ? " + " : "", strcmp(offset, "0") ? offset : "");
	export_line(x, "\t\t.rkey = (uint32_t)%s,", rkey);
	if (is(member, "atomic")) {
		auto_free char *add = export_arg(x, "compare_add", "0"), *swap = export_arg(x, "swap", "0");

		export_line(x, "\t\t.compare_add = %s, .swap = %s,", add, swap);
	}
	export_line(x, "\t},");
}

static void write_bind(struct export *x, const struct bytes *b)
{
	auto_free char *mw = export_object(x, "mw", OBJECT_MW), *m = region_of(x), *access = export_arg(x, "access", "0");
	auto_free char *fresh = xasprintf("ibv_inc_rkey(%s->rkey)", mw), *rkey = export_arg(x, "rkey", fresh);

	export_line(x, "\t.bind_mw = {");
	export_line(x, "\t\t.mw = %s, .rkey = %s,", mw, rkey);
	export_line(x, "\t\t.bind_info = {.mr = %s.mr, .addr = %s, .length = %s, .mw_access_flags = %s},", m, b->at, b->length, access);
	export_line(x, "\t},");
}

/* Arguments for other opcodes: the step leaves them alone, too. */
static void ignore_what_has_no_use(struct export *x)
{
	static const char *const names[] = {"remote_addr", "remote_offset", "rkey", "compare_add", "swap", "imm", "inv_rkey", "access"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		export_ignore_arg(x, names[i]);
}

static void post_send(struct export *x)
{
	auto_free char *qp = export_object(x, "qp", OBJECT_QP), *opcode = export_arg(x, "opcode", "IBV_WR_SEND");
	auto_free char *flags = export_arg(x, "flags", "IBV_SEND_SIGNALED"), *imm = export_arg(x, "imm", NULL);
	auto_free char *inv = export_arg(x, "inv_rkey", NULL);
	const struct value *fill = value_get(export_item(x)->args, "fill");
	auto_bytes struct bytes b = bytes_of(x, opcode);
	bool bind = is(opcode, "IBV_WR_BIND_MW");

	export_ignore_arg(x, "fill");
	if (fill && fill->type == VALUE_STRING && b.at)
		export_line(x, "fill((unsigned char *)(%s), %s, \"%s\");", b.at, b.length, fill->s);
	else if (fill && b.at)
		export_refuse(x, "a fill of hex digits");
	if (!bind)
		write_list(x, &b);
	export_line(x, "struct ibv_send_wr *bad = NULL, wr = {");
	export_line(x, "\t.opcode = %s, .send_flags = %s,", opcode, flags);
	if (!bind && *list_of(&b))
		export_line(x, "%s", list_of(&b));
	if (imm && !inv)
		export_line(x, "\t.imm_data = htobe32(%s),", imm);
	if (inv && (is(opcode, "IBV_WR_LOCAL_INV") || is(opcode, "IBV_WR_SEND_WITH_INV")))
		export_line(x, "\t.invalidate_rkey = (uint32_t)%s,", inv);
	ignore_what_has_no_use(x);
	if (bind)
		write_bind(x, &b);
	else if (export_has_arg(x, "ah"))
		write_datagram(x);
	else if (strstr(opcode, "RDMA_"))
		write_remote(x, "rdma");
	else if (strstr(opcode, "ATOMIC_CMP") || strstr(opcode, "ATOMIC_FETCH"))
		write_remote(x, "atomic");
	else if (strstr(opcode, "ATOMIC") || strstr(opcode, "FLUSH"))
		export_refuse(x, "the opcode %s", opcode);
	export_line(x, "};");
	export_line(x, "uint32_t wr_rkey = %s;", bind ? "wr.bind_mw.rkey" : "0");
	if (bind) {
		free(steal(&b.at));
		free(steal(&b.length));
	}
	write_post(x, "ibv_post_send", qp, &b, false, false);
	if (bind)
		export_line(x, "wr.bind_mw.mw->rkey = ret ? wr.bind_mw.mw->rkey : wr_rkey;");
	else
		export_line(x, "(void)wr_rkey;");
}

static void bind_mw(struct export *x)
{
	auto_free char *qp = export_object(x, "qp", OBJECT_QP), *mw = export_object(x, "mw", OBJECT_MW);
	bool nothing = value_get_int(export_item(x)->args, "length", -1) == 0 && !export_has_arg(x, "mr");
	auto_free char *m = nothing ? NULL : region_of(x);
	auto_free char *id = export_arg(x, "id", "0"), *access = export_arg(x, "access", "0");
	auto_free char *flags = export_arg(x, "flags", "IBV_SEND_SIGNALED"), *rkey = xasprintf("%s->rkey", mw);
	auto_bytes struct bytes b = bytes_of(x, nothing ? "" : "IBV_WR_BIND_MW");

	export_line(x, "struct ibv_mw_bind bind = {");
	export_line(x, "\t.wr_id = %s, .send_flags = %s,", id, flags);
	if (nothing)
		export_line(x, "\t.bind_info = {.mw_access_flags = %s},", access);
	else
		export_line(x, "\t.bind_info = {.mr = %s.mr, .addr = %s, .length = %s, .mw_access_flags = %s},", m, b.at, b.length, access);
	export_line(x, "};");
	export_line(x, "ret = ibv_bind_mw(%s, %s, &bind);", qp, mw);
	export_expect(x, (const struct export_field[]){{"return", "ret", NULL}, {"rkey", rkey, NULL}}, 2);
}

/* The queues of a queue pair: those with which the step created it. */
static void queues_of(struct export *x, char **first, char **second)
{
	const struct item *maker;
	const char *send, *recv;

	if (export_has_arg(x, "cq") || !export_has_arg(x, "qp")) {
		*first = export_object(x, "cq", OBJECT_CQ);
		return;
	}
	maker = export_maker(x, "qp", OBJECT_QP);
	send = value_get_string(maker ? maker->args : NULL, "send_cq", NULL);
	recv = value_get_string(maker ? maker->args : NULL, "recv_cq", NULL);
	if (!send || !recv)
		send = recv = value_get_string(maker ? maker->args : NULL, "cq", "cq");
	*first = xasprintf("%c_%s", export_host(x), send);
	if (strcmp(send, recv))
		*second = xasprintf("%c_%s", export_host(x), recv);
}

static void poll_cq(struct export *x)
{
	static const struct export_field fields[] = {
		{"return", "ret", NULL}, {"id", "wc.wr_id", NULL}, {"status", "wc.status", NULL}, {"opcode", "wc.opcode", NULL},
		{"length", "wc.byte_len", NULL}, {"data", "p.at, p.length", "holds"}, {"imm", "be32toh(wc.imm_data)", NULL},
		{"flags", "wc.wc_flags", NULL}, {"qp_num", "wc.qp_num", NULL}, {"src_qp", "wc.src_qp", NULL},
		{"inv_rkey", "wc.invalidated_rkey", NULL},
		{"vendor_err", "wc.vendor_err", NULL}, {"slid", "wc.slid", NULL}, {"sl", "wc.sl", NULL},
		{"dlid_path_bits", "wc.dlid_path_bits", NULL}, {"pkey_index", "wc.pkey_index", NULL},
	};
	const struct value *wait = value_get(export_item(x)->args, "wait");
	auto_free char *first = NULL, *second = NULL;

	export_ignore_arg(x, "wait");
	queues_of(x, &first, &second);
	export_line(x, "struct ibv_wc wc;");
	export_line(x, "struct posting p;");
	export_line(x, "ret = next_completion(%s, %s, %d, &wc);", first, second ? second : "NULL",
		    wait && wait->type == VALUE_BOOL && !wait->b ? 0 : export_item(x)->deadline_ms);
	export_line(x, "p = posting_of(&wc);");
	export_line(x, "(void)p;");
	if (export_item(x)->mode == ITEM_NOTHING)
		export_line(x, "want(ret == 0, \"answer\", \"no completion\", ret);");
	else
		export_expect(x, fields, ARRAY_SIZE(fields));
}

const struct export_call export_work_calls[] = {
	{"post_recv", post_recv}, {"post_srq_recv", post_srq_recv}, {"post_send", post_send}, {"bind_mw", bind_mw}, {"poll_cq", poll_cq},
	{NULL, NULL},
};
