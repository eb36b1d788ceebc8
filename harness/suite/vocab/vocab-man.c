/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "acm/answer.h"
#include "base/cleanup.h"
#include "base/xalloc.h"
#include "dns/zone.h"
#include "names/consts.h"
#include "services/etc-files.h"
#include "compile/scenario.h"
#include "names/abilities.h"
#include "plan/facts.h"
#include "plan/require.h"
#include "vocab/vocab.h"

/* Writes text for roff: no line becomes a request, and special characters are escaped. */
static void put_roff(FILE *out, const char *s)
{
	if (*s == '.' || *s == '\'')
		fputs("\\&", out);
	for (; *s; s++) {
		if (*s == '\\')
			fputs("\\e", out);
		else if (*s == '-')
			fputs("\\-", out);
		else
			fputc(*s, out);
	}
}

static void entry(FILE *out, const char *name, const char *type, const char *doc)
{
	fputs(".TP\n.B ", out);
	put_roff(out, name);
	fputc('\n', out);
	if (type) {
		fputs("(", out);
		put_roff(out, type);
		fputs(")\n", out);
	}
	put_roff(out, doc && *doc ? doc : "See the call's own manual page.");
	fputc('\n', out);
}

static void man_params(FILE *out, const struct param *p)
{
	for (; p && p->name; p++) {
		auto_free char *type = vocab_param_type(p);

		entry(out, p->name, type, p->doc);
		if (p->sub) {
			fputs(".RS\n", out);
			man_params(out, p->sub);
			fputs(".RE\n", out);
		}
	}
}

static void man_fields(FILE *out, const struct field *f)
{
	for (; f && f->name; f++) {
		auto_free char *type = vocab_field_type(f);

		entry(out, f->name, type, f->doc);
		if (f->sub) {
			fputs(".RS\n", out);
			man_fields(out, f->sub);
			fputs(".RE\n", out);
		}
	}
}

static void man_step(FILE *out, const struct step_kind *k)
{
	const struct step_also *also;

	fputs(".SS ", out);
	put_roff(out, k->name);
	fputs("\n", out);
	put_roff(out, k->doc ? k->doc : "");
	if (k->call) {
		fputs("\nCalls\n.BR ", out);
		put_roff(out, k->call);
		fputs(" .", out);
	}
	fputc('\n', out);
	if (k->makes != OBJECT_NONE)
		fprintf(out, "Makes an object of the kind %s, with the name\n.B %s\nunless as: gives another.\n",
			step_object_kind_name(k->makes), step_default_name(k->makes));
	for (also = k->also; also && also->suffix; also++)
		fprintf(out, "Also makes an object of the kind %s, with the name\n.IB AS _%s .\n",
			step_object_kind_name(also->kind), also->suffix);
	if (k->waits)
		fputs("Waits until its deadline at most.\n", out);
	if (k->needs)
		fprintf(out, "Needs %s.\n", k->needs);
	if (k->params && k->params->name)
		fputs(".PP\nParameters:\n.RS\n", out);
	man_params(out, k->params);
	if (k->params && k->params->name)
		fputs(".RE\n", out);
	fputs(".PP\nResult:\n.RS\n", out);
	man_fields(out, k->fields);
	fputs(".RE\n", out);
}

static void man_constants(FILE *out)
{
	const struct const_set *const *s;
	size_t i;

	fputs(".SH CONSTANTS\nA name may stand with or without its prefix.\n", out);
	for (s = const_sets; *s; s++) {
		fputs(".TP\n.B ", out);
		put_roff(out, (*s)->name);
		fputc('\n', out);
		for (i = 0; i < (*s)->count; i++) {
			put_roff(out, (*s)->entry[i].name);
			fputs(i + 1 < (*s)->count ? ",\n" : ".\n", out);
		}
	}
}

static void man_names(FILE *out)
{
	const struct resolv_option *o;
	const struct dns_word *w;
	const struct dns_key *k;

	fputs(".SH WORDS OF DNS\n", out);
	for (w = dns_words; w->name; w++)
		entry(out, w->name, NULL, w->doc);
	fputs(".SH KEYS OF A NAME\n", out);
	for (k = dns_keys; k->name; k++)
		entry(out, k->name, NULL, k->doc);
	fputs(".SH OPTIONS OF RESOLV\n", out);
	for (o = resolv_options; o->name; o++) {
		entry(out, o->name, NULL, o->doc);
		fprintf(out, "(%d to %d, default %d)\n", o->min, o->max, o->fallback);
	}
}

static void man_acm(FILE *out)
{
	const struct acm_word *w;
	const struct acm_key *k;

	fputs(".SH WORDS OF ACM\n", out);
	for (w = acm_words; w->name; w++)
		entry(out, w->name, NULL, w->doc);
	fputs(".SH KEYS OF ACM\n", out);
	for (k = acm_keys; k->name; k++)
		entry(out, k->name, NULL, k->doc);
	fputs(".SH KEYS OF A PATH\n", out);
	for (k = acm_path_keys; k->name; k++)
		entry(out, k->name, NULL, k->doc);
}

static void man_fragment(FILE *out, const struct value *f)
{
	const struct value *params = value_get(f, "parameters"), *p, *fallback;
	size_t i;

	fputs(".SS ", out);
	put_roff(out, value_get_string(f, "name", ""));
	fputs("\n", out);
	put_roff(out, value_get_string(f, "fragment", ""));
	fputs(".\n", out);
	for (i = 0; i < params->list.count; i++) {
		p = params->list.item[i];
		fallback = value_get(p, "default");
		entry(out, value_get_string(p, "name", ""), NULL, value_get_string(p, "doc", ""));
		if (fallback) {
			auto_free char *shown = value_show(fallback);

			fputs("(default ", out);
			put_roff(out, shown);
			fputs(")\n", out);
		}
	}
}

static void man_language(FILE *out, const struct value *fragments)
{
	const struct case_generator *g;
	size_t i;

	fputs(".SH GENERATORS OF CASES\n", out);
	for (g = case_generators; g->name; g++)
		entry(out, g->name, NULL, g->doc);
	fputs(".SH FRAGMENTS\nThese come with the program;\n"
	      ".B verbatim list \\-\\-fragments\nalso lists those of your suite.\n", out);
	for (i = 0; i < fragments->list.count; i++)
		man_fragment(out, fragments->list.item[i]);
}

static void man_abilities(FILE *out)
{
	size_t i;

	for (i = 0; i < ABILITY_COUNT; i++) {
		auto_free char *name = xasprintf("can=%s", ability_name((enum ability)i));

		entry(out, name, NULL, ability_what(ability_name((enum ability)i)));
	}
}

void vocab_man(FILE *out, const struct value *fragments)
{
	const struct step_family *const *f;
	const struct capability *c;
	const struct host_fact *fact;
	const struct step_kind *k;

	fputs(".SH FACTS OF A HOST\n", out);
	for (fact = host_facts; fact->name; fact++)
		entry(out, fact->name, NULL, fact->doc);
	fputs(".SH CAPABILITIES\n", out);
	for (c = require_capabilities; c->name; c++)
		entry(out, c->name, c->words, c->doc);
	man_abilities(out);
	man_language(out, fragments);
	man_names(out);
	man_acm(out);
	for (f = step_families; *f; f++) {
		fputs(".SH STEPS: ", out);
		put_roff(out, (*f)->name);
		fputs("\n", out);
		put_roff(out, (*f)->doc ? (*f)->doc : "");
		fputs("\n", out);
		for (k = (*f)->steps; k->name; k++)
			man_step(out, k);
	}
	man_constants(out);
}
