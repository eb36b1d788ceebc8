/* SPDX-License-Identifier: BSD-2-Clause */
#include "export/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "export/parts.h"
#include "lib/base/fail.h"
#include "plan/expr.h"

extern const char *const export_prelude[];	/* prelude.txt */

static const struct export_call *find_call(const char *step)
{
	static const struct export_call *const tables[] = {export_object_calls, export_pair_calls, export_work_calls, export_queue_calls};
	const struct export_call *c;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tables); i++)
		for (c = tables[i]; c->step; c++)
			if (!strcmp(c->step, step))
				return c;
	return NULL;
}

/* No step of a program in C can be one of these. */
static const char *beyond(const struct export *x)
{
	const struct item *item = export_item(x);
	const char *actor = x->v->actors[item->actor].name;

	if (strcmp(actor, "a") && strcmp(actor, "b"))
		return "a third process";
	if (item->mode == ITEM_NOTHING && strcmp(item->kind->name, "poll_cq"))
		return "a call during which nothing happens";
	if (item->mode == ITEM_UNTIL && strcmp(item->kind->name, "query_qp"))
		return "a call that is repeated (until:)";
	return item->death > 0 ? "a signal that ends its process" : NULL;
}

static void refuse_the_rest(struct export *x)
{
	const struct value *args = export_item(x)->args;
	size_t i;

	for (i = 0; i < args->map.count; i++)
		if (!value_get(x->taken, args->map.member[i].key))
			export_refuse(x, "the argument '%s'", args->map.member[i].key);
}

static bool begins_either(const struct export *x)
{
	return x->at == 0 || export_item(x)[-1].either != export_item(x)->either;
}

static void write_item(struct export *x)
{
	const struct item *item = export_item(x);
	const struct export_call *call = find_call(item->kind->name);
	const char *why = beyond(x);
	bool failing;

	if (!why && !call)
		why = "this step";
	if (why) {
		export_refuse(x, "%s", why);
		return;
	}
	x->taken = value_map();
	if (item->note)
		text_addf(&x->body, "\t/* %s */\n", item->note);
	text_addf(&x->body, "\tif (turn(%c, \"%s:%d:%d, %s\")%s) {\n", export_host(x) == 'a' ? 'A' : 'B', x->v->path,
		  item->origin.pos.line, item->origin.pos.col, item->kind->name,
		  item->either && !begins_either(x) ? " && !shared.reached" : "");
	if (item->either && begins_either(x)) {
		export_line(x, "shared.outcomes = (1u << %zu) - 1;", item->outcomes->list.count);
		export_line(x, "shared.reached = 0;");
	}
	failing = x->fail && x->fail_host == export_host(x);
	call->write(x);
	if (failing && x->fail)
		export_refuse(x, "a call without memory that is none of libibverbs");
	text_add(&x->body, "\t}\n");
	refuse_the_rest(x);
	value_free(x->taken);
	x->taken = NULL;
}

static void note_ref(void *arg, const char *path)
{
	struct value *refs = arg;

	value_set_bool(refs, *path == '$' ? path + 1 : path, true);
}

static void find_refs(const struct value *v, struct value *refs)
{
	struct vbm_error err;
	struct expr *e;
	size_t i;

	for (i = 0; v && v->type == VALUE_LIST && i < v->list.count; i++)
		find_refs(v->list.item[i], refs);
	for (i = 0; v && v->type == VALUE_MAP && i < v->map.count; i++)
		find_refs(v->map.member[i].value, refs);
	if (!v || v->type != VALUE_EXPR)
		return;
	e = expr_parse(v->s, &err);
	if (e)
		expr_refs(e, note_ref, refs);
	expr_free(e);
}

static void write_head(const struct export *x, struct text *out)
{
	const struct value *refs = x->refs;
	const char *const *line;
	size_t i;

	text_addf(out, "/*\n * %s\n *\n * Written by verbatim export from %s. Build and run it:\n *\n"
		  " *   cc -o example example.c -libverbs\n"
		  " *   ./example a ADDRESS-OF-A ADDRESS-OF-B     (on host a)\n"
		  " *   ./example b ADDRESS-OF-B ADDRESS-OF-A     (on host b)\n"
		  " *\n * It ends with 0 if all answers are as expected, and with 1 at the first one that is not.\n */\n"
		  "#define _GNU_SOURCE\n#pragma GCC diagnostic ignored \"-Wunused-function\"\n"
		  "#pragma GCC diagnostic ignored \"-Wunused-variable\"\n\n"
		  "/* What one host tells the other one. */\nenum {\n", x->v->title, x->v->name);
	for (i = 0; i < refs->map.count; i++) {
		const char *path = refs->map.member[i].key, *dot = strchr(path, '.');
		auto_free char *name = NULL;

		/* The facts of hosts are known to both. */
		if (!dot || !strchr(dot + 1, '.'))
			continue;
		name = export_variable(path);
		text_addf(out, "\t%s,\n", name);
	}
	text_add(out, "\tVALUES\n};\n\n");
	for (line = export_prelude; *line; line++)
		text_addf(out, "%s\n", *line);
}

int export_c(const struct variant *v, struct text *out, struct vbm_error *err)
{
	struct export x = {.v = v, .objects = value_map(), .refs = value_map(), .kept = value_map(), .err = err};
	size_t i;

	if (v->services->map.count)
		x.rc = vbm_fail(err, ENOTSUP, "%s: a program in C cannot have a service such as '%s'", v->path,
				v->services->map.member[0].key);
	for (i = 0; i < v->item_count; i++) {
		find_refs(v->items[i].args, x.refs);
		find_refs(v->items[i].expect, x.refs);
		find_refs(v->items[i].outcomes, x.refs);
	}
	for (x.at = 0; x.rc == 0 && x.at < v->item_count; x.at++)
		write_item(&x);
	if (x.rc == 0) {
		write_head(&x, out);
		for (i = 0; i < x.objects->map.count; i++)
			text_addf(out, "static %s%s;\n", x.objects->map.member[i].value->s, x.objects->map.member[i].key);
		text_addf(out, "\nint main(int argc, char **argv)\n{\n\tint ret = 0;\n\n\tbegin(argc, argv);\n%s\t(void)ret;\n\treturn end();\n}\n",
			  x.body.s ? x.body.s : "");
	}
	value_free(x.objects);
	value_free(x.refs);
	value_free(x.kept);
	value_free(x.taken);
	free(x.fail);
	text_fini(&x.body);
	return x.rc;
}
