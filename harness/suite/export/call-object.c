/* SPDX-License-Identifier: BSD-2-Clause */
#include "export/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"

/* Devices, domains, queues, regions and windows: calls that make or free one object. */

/* A call that returns a pointer: the condition, errno, and what else it answers. */
static void expect_made(struct export *x, const char *made, const struct export_field *more, size_t count)
{
	auto_free char *is_made = xasprintf("(%s != NULL)", made), *failed = xasprintf("(%s ? 0 : code)", made);
	auto_free struct export_field *field = xcalloc(count + 2, sizeof(*field));

	field[0] = (struct export_field){"return", is_made, NULL};
	field[1] = (struct export_field){"errno", failed, NULL};
	if (count)
		memcpy(field + 2, more, count * sizeof(*field));
	export_expect(x, field, count + 2);
}

/* The point is that of the next call of this host. */
static void fail_next(struct export *x)
{
	if (x->fail)
		export_refuse(x, "two calls that fail at first, one of each host, at once");
	free(x->fail);
	x->fail = export_arg(x, "nth", "1");
	x->fail_host = export_host(x);
}

static void open_device(struct export *x)
{
	auto_free char *made = export_made(x, "struct ibv_context *");

	export_line(x, "%s = ibv_open_device(device);", made);
	export_line(x, "code = errno;");
	expect_made(x, made, NULL, 0);
}

/* A call that frees an object, its only argument, and returns 0 or an errno. */
static void free_object(struct export *x)
{
	const struct step_kind *step = export_item(x)->kind;
	auto_free char *object = export_object(x, step->params->name, step->params->object);

	export_line(x, "ret = ibv_%s(%s%s);", step->name, object, step->params->object == OBJECT_MR ? ".mr" : "");
	export_expect(x, &(struct export_field){"return", "ret", NULL}, 1);
}

static void alloc_pd(struct export *x)
{
	auto_free char *ctx = export_object(x, "ctx", OBJECT_CONTEXT), *made = export_made(x, "struct ibv_pd *");
	auto_free char *same = xasprintf("(%s->context == %s)", made, ctx);

	export_line(x, "%s = ibv_alloc_pd(%s);", made, ctx);
	export_line(x, "code = errno;");
	expect_made(x, made, &(struct export_field){"same_context", same, NULL}, 1);
}

static bool has_events(const struct export *x)
{
	size_t i;

	for (i = 0; i < x->v->item_count; i++)
		if (!strcmp(x->v->items[i].kind->name, "req_notify_cq"))
			return true;
	return false;
}

static void create_cq(struct export *x)
{
	auto_free char *ctx = export_object(x, "ctx", OBJECT_CONTEXT), *made = export_made(x, "struct ibv_cq *");
	auto_free char *cqe = export_arg(x, "cqe", "64"), *vector = export_arg(x, "comp_vector", "0");
	auto_free char *got = xasprintf("%s->cqe", made);

	/* The program polls, so it needs a channel only for events. */
	if (has_events(x))
		export_line(x, "%s = ibv_create_cq(%s, %s, NULL, ibv_create_comp_channel(%s), %s);", made, ctx, cqe, ctx, vector);
	else
		export_line(x, "%s = ibv_create_cq(%s, %s, NULL, NULL, %s);", made, ctx, cqe, vector);
	export_line(x, "code = errno;");
	expect_made(x, made, &(struct export_field){"cqe", got, NULL}, 1);
}

static const char *fill_of(struct export *x, const char *fallback)
{
	const struct value *fill = value_get(export_item(x)->args, "fill");

	export_ignore_arg(x, "fill");
	if (fill && fill->type != VALUE_STRING)
		export_refuse(x, "a fill of hex digits");
	return fill && fill->type == VALUE_STRING ? fill->s : fill ? "zero" : fallback;
}

/* @iova: the address that peers use, or NULL. */
static void register_memory(struct export *x, const char *iova)
{
	auto_free char *pd = export_object(x, "pd", OBJECT_PD), *m = export_made(x, "struct region ");
	auto_free char *length = export_arg(x, "length", "65536"), *access = export_arg(x, "access", "IBV_ACCESS_LOCAL_WRITE");
	auto_free char *at = xasprintf("%s.at", m), *mr = xasprintf("%s.mr", m), *addr = export_arg(x, "addr", at);
	auto_free char *lkey = xasprintf("%s->lkey", mr), *rkey = xasprintf("%s->rkey", mr), *got = xasprintf("%s->length", mr);
	auto_free char *start = xasprintf("(uintptr_t)%s->addr", mr), *same = xasprintf("(%s->pd == %s)", mr, pd);
	const struct export_field more[] = {
		{"addr", start, NULL}, {"length", got, NULL}, {"lkey", lkey, NULL}, {"rkey", rkey, NULL}, {"same_pd", same, NULL},
	};

	export_line(x, "%s = (struct region){.at = memory(%s), .length = %s};", m, length, length);
	export_line(x, "fill(%s, %s.length, \"%s\");", at, m, fill_of(x, "zero"));
	if (iova)
		export_line(x, "%s = ibv_reg_mr_iova(%s, %s%s, %s.length, %s, %s);", mr, pd, strcmp(addr, at) ? "(void *)(uintptr_t)" : "",
			    addr, m, iova, access);
	else
		export_line(x, "%s = ibv_reg_mr(%s, %s%s, %s.length, %s);", mr, pd, strcmp(addr, at) ? "(void *)(uintptr_t)" : "",
			    addr, m, access);
	export_line(x, "code = errno;");
	expect_made(x, mr, more, ARRAY_SIZE(more));
}

static void reg_mr(struct export *x)
{
	register_memory(x, NULL);
}

static void reg_mr_iova(struct export *x)
{
	auto_free char *iova = export_arg(x, "iova", "0");

	register_memory(x, iova);
}

static void alloc_mw(struct export *x)
{
	auto_free char *pd = export_object(x, "pd", OBJECT_PD), *made = export_made(x, "struct ibv_mw *");
	auto_free char *type = export_arg(x, "type", "IBV_MW_TYPE_1"), *rkey = xasprintf("%s->rkey", made);

	export_line(x, "%s = ibv_alloc_mw(%s, %s);", made, pd, type);
	export_line(x, "code = errno;");
	expect_made(x, made, &(struct export_field){"rkey", rkey, NULL}, 1);
}

/* The part of a region that offset and length select. The caller frees both texts. */
static void part(struct export *x, char **at, char **length)
{
	auto_free char *m = export_object(x, "mr", OBJECT_MR), *offset = export_arg(x, "offset", "0");
	auto_free char *rest = xasprintf("%s.length - %s", m, offset);

	*at = strcmp(offset, "0") ? xasprintf("%s.at + %s", m, offset) : xasprintf("%s.at", m);
	*length = export_arg(x, "length", rest);
}

static void fill_buffer(struct export *x)
{
	auto_free char *at = NULL, *length = NULL;

	part(x, &at, &length);
	export_line(x, "fill(%s, %s, \"%s\");", at, length, fill_of(x, "counter"));
}

static void check_buffer(struct export *x)
{
	auto_free char *at = NULL, *length = NULL, *data = NULL, *sides = NULL, *m = export_object(x, "mr", OBJECT_MR);

	part(x, &at, &length);
	data = xasprintf("%s, %s", at, length);
	sides = xasprintf("&%s, %s, %s", m, at, length);
	export_expect(x, (const struct export_field[]){{"return", "0", NULL}, {"data", data, "holds"}, {"around", sides, "around"}}, 3);
}

const struct export_call export_object_calls[] = {
	{"fail_next", fail_next}, {"open_device", open_device}, {"close_device", free_object}, {"alloc_pd", alloc_pd}, {"dealloc_pd", free_object},
	{"create_cq", create_cq}, {"destroy_cq", free_object}, {"destroy_qp", free_object}, {"destroy_srq", free_object}, {"destroy_ah", free_object},
	{"reg_mr", reg_mr}, {"reg_mr_iova", reg_mr_iova}, {"dereg_mr", free_object}, {"alloc_mw", alloc_mw}, {"dealloc_mw", free_object},
	{"fill_buffer", fill_buffer}, {"check_buffer", check_buffer},
	{NULL, NULL},
};
