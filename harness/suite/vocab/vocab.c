/* SPDX-License-Identifier: BSD-2-Clause */
#include "vocab/vocab.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "names/consts.h"

static char *int_type(const struct param *p)
{
	if (p->max <= p->min)
		return xstrdup("integer");
	if (p->min == INT64_MIN && p->max == INT64_MAX)
		return xstrdup("integer");
	if (p->max == INT64_MAX)
		return xasprintf("integer from %" PRId64, p->min);
	return xasprintf("integer %" PRId64 " to %" PRId64, p->min, p->max);
}

char *vocab_param_type(const struct param *p)
{
	switch (p->type) {
	case PARAM_INT:
		return int_type(p);
	case PARAM_BOOL:
		return xstrdup("true or false");
	case PARAM_STRING:
		return xstrdup("text");
	case PARAM_CONST:
		return xasprintf("name of %s", p->set->name);
	case PARAM_FLAGS:
		return xasprintf("list of names of %s", p->set->name);
	case PARAM_OBJECT:
		return xasprintf("name of a%s %s",
				 strchr("aeiou", *step_object_kind_name(p->object)) ? "n" : "",
				 step_object_kind_name(p->object));
	case PARAM_ADDRESS:
		return xstrdup("address");
	case PARAM_BYTES:
		return p->max ? xasprintf("at most %" PRId64 " bytes: text or {hex: ...}", p->max) :
				xstrdup("bytes: text or {hex: ...}");
	case PARAM_LIST:
		return xstrdup("list of maps");
	case PARAM_TEXTS:
		return xstrdup("list of texts");
	}
	return xstrdup("");
}

char *vocab_field_type(const struct field *f)
{
	switch (f->type) {
	case FIELD_INT:
		return xstrdup("integer");
	case FIELD_BOOL:
		return xstrdup("true or false");
	case FIELD_STRING:
		return xstrdup("text");
	case FIELD_CONST:
		return xasprintf("name of %s", f->set->name);
	case FIELD_FLAGS:
		return xasprintf("list of names of %s", f->set->name);
	case FIELD_BYTES:
		return xstrdup("bytes: text or {hex: ...}");
	case FIELD_LIST:
		return xstrdup("list of maps");
	}
	return xstrdup("");
}

static void text_params(FILE *out, const struct param *p, int indent)
{
	for (; p && p->name; p++) {
		auto_free char *type = vocab_param_type(p);

		fprintf(out, "%*s%-*s %s%s; %s\n", indent, "", 26 - indent, p->name, type,
			p->required ? ", required" : "", p->doc ? p->doc : "");
		text_params(out, p->sub, indent + 2);
	}
}

static void text_fields(FILE *out, const struct field *f, int indent)
{
	for (; f && f->name; f++) {
		auto_free char *type = vocab_field_type(f);

		fprintf(out, "%*s%-*s %s; %s\n", indent, "", 26 - indent, f->name, type,
			f->doc ? f->doc : "");
		text_fields(out, f->sub, indent + 2);
	}
}

static void text_step(FILE *out, const struct step_kind *k)
{
	const struct step_also *also;

	fprintf(out, "\n  %s    %s\n    %s\n", k->name, k->call ? k->call : "",
		k->doc ? k->doc : "");
	if (k->makes != OBJECT_NONE)
		fprintf(out, "    makes: %s; its name is '%s' unless as: gives another\n",
			step_object_kind_name(k->makes), step_default_name(k->makes));
	for (also = k->also; also && also->suffix; also++)
		fprintf(out, "    also makes: %s; its name is AS_%s\n", step_object_kind_name(also->kind),
			also->suffix);
	if (k->waits)
		fputs("    waits until its deadline at most\n", out);
	if (k->needs)
		fprintf(out, "    needs: %s\n", k->needs);
	if (k->params && k->params->name)
		fputs("    parameters:\n", out);
	text_params(out, k->params, 6);
	fputs("    result:\n", out);
	text_fields(out, k->fields, 6);
}

static void text_constants(FILE *out)
{
	const struct const_set *const *s;
	size_t i;

	fputs("\nNames of constants (with or without their prefix):\n", out);
	for (s = const_sets; *s; s++) {
		fprintf(out, "\n  %s%s%s%s\n   ", (*s)->name, *(*s)->prefix ? " (" : "",
			(*s)->prefix, *(*s)->prefix ? ")" : "");
		for (i = 0; i < (*s)->count; i++)
			fprintf(out, " %s", (*s)->entry[i].name);
		fputc('\n', out);
	}
}

void vocab_text(FILE *out)
{
	const struct step_family *const *f;
	const struct step_kind *k;

	for (f = step_families; *f; f++) {
		fprintf(out, "%s%s: %s\n", f == step_families ? "" : "\n", (*f)->name,
			(*f)->doc ? (*f)->doc : "");
		for (k = (*f)->steps; k->name; k++)
			text_step(out, k);
	}
	text_constants(out);
}

static struct value *names_json(const struct const_set *set)
{
	struct value *list = value_list();
	size_t i;

	for (i = 0; i < set->count; i++)
		value_append(list, value_string(set->entry[i].name));
	return list;
}

static struct value *params_json(const struct param *p)
{
	struct value *list = value_list(), *m;

	for (; p && p->name; p++) {
		m = value_map();
		value_set_string(m, "name", p->name);
		value_set(m, "type", value_string_take(vocab_param_type(p)));
		value_set_bool(m, "required", p->required);
		value_set_string(m, "doc", p->doc ? p->doc : "");
		if (p->set)
			value_set_string(m, "set", p->set->name);
		if (p->sub)
			value_set(m, "items", params_json(p->sub));
		value_append(list, m);
	}
	return list;
}

static struct value *fields_json(const struct field *f)
{
	struct value *list = value_list(), *m;

	for (; f && f->name; f++) {
		m = value_map();
		value_set_string(m, "name", f->name);
		value_set(m, "type", value_string_take(vocab_field_type(f)));
		value_set_string(m, "doc", f->doc ? f->doc : "");
		if (f->set)
			value_set_string(m, "set", f->set->name);
		if (f->sub)
			value_set(m, "items", fields_json(f->sub));
		value_append(list, m);
	}
	return list;
}

static struct value *step_json(const struct step_family *family, const struct step_kind *k)
{
	struct value *m = value_map();

	value_set_string(m, "name", k->name);
	value_set_string(m, "family", family->name);
	value_set_string(m, "call", k->call ? k->call : "");
	value_set_string(m, "doc", k->doc ? k->doc : "");
	value_set(m, "makes", k->makes == OBJECT_NONE
				      ? value_null()
				      : value_string(step_object_kind_name(k->makes)));
	value_set_int(m, "ok", k->ok);
	value_set_bool(m, "waits", k->waits);
	value_set(m, "needs", k->needs ? value_string(k->needs) : value_null());
	value_set(m, "parameters", params_json(k->params));
	value_set(m, "result", fields_json(k->fields));
	return m;
}

struct value *vocab_json(void)
{
	struct value *root = value_map(), *steps = value_list(), *sets = value_map();
	const struct step_family *const *f;
	const struct const_set *const *s;
	const struct step_kind *k;

	for (f = step_families; *f; f++)
		for (k = (*f)->steps; k->name; k++)
			value_append(steps, step_json(*f, k));
	for (s = const_sets; *s; s++)
		value_set(sets, (*s)->name, names_json(*s));
	value_set(root, "steps", steps);
	value_set(root, "constants", sets);
	return root;
}
