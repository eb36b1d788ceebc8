/* SPDX-License-Identifier: BSD-2-Clause */
#include "plan/fit.h"

#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/address.h"
#include "base/cleanup.h"
#include "base/suggest.h"
#include "base/xalloc.h"
#include "codec/pattern.h"
#include "codec/build.h"
#include "step/bytes.h"

#define CONST_HINT_MAX 8

void fit_replace(struct value **slot, struct value *v)
{
	v->pos = (*slot)->pos;
	value_free(*slot);
	*slot = v;
}

char *fit_scalar_text(const struct value *v)
{
	if (v->type == VALUE_STRING)
		return xstrdup(v->s);
	return value_show(v);
}

static void wrong_type(const struct fit *fit, const char *what, const char *wanted,
		       const struct value *v)
{
	auto_free char *shown = value_show(v);

	if (v->type == VALUE_LIST || v->type == VALUE_MAP || v->type == VALUE_NULL)
		diag_add(fit->diag, v->pos, NULL, "'%s' takes %s, not %s", what, wanted,
			 v->type == VALUE_NULL ? "null" : v->type == VALUE_LIST ? "a list"
										: "a map");
	else
		diag_add(fit->diag, v->pos, NULL, "'%s' takes %s, not the %s %s", what,
			 wanted, value_type_name(v->type), shown);
}

static struct value *const_value(const struct const_set *set, const char *name)
{
	struct value *v;
	int64_t i;

	if (!const_lookup(set, name, &i))
		return NULL;
	v = value_int(i);
	v->text = xstrdup(name);
	return v;
}

/* Suggests the closest name, or lists all names when they are few. */
static char *const_hint(const struct const_set *set, const char *name)
{
	const char *best = const_suggest(set, name);
	char *s = NULL;
	size_t n = 0, i;
	FILE *f;

	if (best)
		return diag_did_you_mean(best);
	if (set->count > CONST_HINT_MAX)
		return xstrdup("verbatim list --steps lists them all");
	f = open_memstream(&s, &n);
	if (!f)
		return NULL;
	fputs("one of:", f);
	for (i = 0; i < set->count; i++)
		fprintf(f, " %s", set->entry[i].name);
	fclose(f);
	return s;
}

void fit_const(const struct fit *fit, const struct const_set *set, const char *what,
	       struct value **slot)
{
	auto_free char *text = NULL;
	struct value *found;

	if ((*slot)->type != VALUE_INT && (*slot)->type != VALUE_STRING) {
		wrong_type(fit, what, "a name or an integer", *slot);
		return;
	}
	text = fit_scalar_text(*slot);
	found = const_value(set, text);
	if (found)
		fit_replace(slot, found);
	else if ((*slot)->type == VALUE_STRING)
		diag_add(fit->diag, (*slot)->pos, const_hint(set, text),
			 "'%s' is not a name that '%s' takes", text, what);
}

/* Fits one item of a list of flags. Returns true when it is an integer now. */
static bool fit_flag(const struct fit *fit, const struct const_set *set, const char *what,
		     struct value **slot)
{
	enum fit_kind kind;

	if ((*slot)->type != VALUE_EXPR) {
		fit_const(fit, set, what, slot);
		return (*slot)->type == VALUE_INT;
	}
	kind = fit->scope ? fit->scope->kind_of(fit->scope->arg, *slot, fit->diag) : FIT_BAD;
	if (kind != FIT_BAD && kind != FIT_NUMBER)
		diag_add(fit->diag, (*slot)->pos, NULL, "an item of '%s' must be a name or a number",
			 what);
	return false;
}

void fit_flags(const struct fit *fit, const struct const_set *set, const char *what,
	       struct value **slot)
{
	struct value *v = *slot, *sum;
	auto_free char *text = NULL;
	bool known = true;
	int64_t bits = 0;
	size_t i;

	if (v->type != VALUE_LIST) {
		fit_const(fit, set, what, slot);
		return;
	}
	for (i = 0; i < v->list.count; i++) {
		if (fit_flag(fit, set, what, &v->list.item[i]))
			bits |= v->list.item[i]->i;
		else
			known = false;
	}
	if (!known)
		return;
	text = value_show(v);
	sum = value_int(bits);
	sum->text = steal(&text);
	fit_replace(slot, sum);
}

static void fit_int(const struct fit *fit, const struct param *p, struct value **slot)
{
	const struct value *v = *slot;

	if (v->type != VALUE_INT) {
		wrong_type(fit, p->name, "an integer", v);
		return;
	}
	/* A number from 2^63 on arrives as the negative number with the same bits: see yaml.h. */
	if (v->i < 0 && v->text && strspn(v->text, "0123456789") == strlen(v->text) && !p->u64)
		diag_add(fit->diag, v->pos, NULL, "'%s' is %s and must be below 2^63", p->name,
			 v->text);
	else if (p->max > p->min && (v->i < p->min || v->i > p->max))
		diag_add(fit->diag, v->pos, NULL,
			 "'%s' is %" PRId64 " and must be within %" PRId64 " and %" PRId64,
			 p->name, v->i, p->min, p->max);
}

static void fit_bool(const struct fit *fit, const struct param *p, struct value **slot)
{
	if ((*slot)->type != VALUE_BOOL)
		wrong_type(fit, p->name, "true or false", *slot);
}

#define REGEX_TRIED_MAX 256

/*
 * The file may come from a stranger, and regcomp() of the C library fills all
 * memory for a{9999}{9999}. So only the run compiles an expression that is long
 * or repeats by number.
 */
static bool is_safe(const char *regex)
{
	return strlen(regex) <= REGEX_TRIED_MAX && !strchr(regex, '{');
}

static void check_regex(const struct fit *fit, const struct param *p, const struct value *v)
{
	char why[128];
	regex_t regex;
	int rc;

	if (!is_safe(v->s))
		return;
	rc = regcomp(&regex, v->s, REG_EXTENDED | REG_NOSUB);
	if (rc) {
		regerror(rc, &regex, why, sizeof(why));
		diag_add(fit->diag, v->pos, NULL, "'%s': '%s' is not a regular expression: %s", p->name,
			 v->s, why);
		return;
	}
	if (!*v->s)
		diag_add(fit->diag, v->pos, NULL, "'%s' must select something: this matches "
			 "every line", p->name);
	regfree(&regex);
}

static bool is_of_packets(const struct param *p)
{
	return p->form == TEXT_PACKET || p->form == TEXT_CROSSING || p->form == TEXT_SETTING;
}

static void check_word(const struct fit *fit, const struct param *p, const struct value *v)
{
	struct pattern pattern = {0};
	struct vbm_error err = {0};

	if (p->form == TEXT_CROSSING && (!strcmp(v->s, "in") || !strcmp(v->s, "out")))
		return;
	if ((p->form == TEXT_SETTING ? build_setting_add : pattern_add)(&pattern, v->s, &err) < 0)
		diag_add(fit->diag, v->pos, NULL, "%s", err.msg);
	pattern_fini(&pattern);
}

/* All words together. Words with references have no value yet; in:/out are no words about the packet. */
static void check_words(const struct fit *fit, const struct param *p, const struct value *list)
{
	struct pattern pattern = {0};
	struct vbm_error err = {0};
	bool whole = true;
	size_t i;

	for (i = 0; i < list->list.count; i++) {
		const struct value *v = list->list.item[i];

		if (v->type == VALUE_STRING && strcmp(v->s, "in") && strcmp(v->s, "out"))
			whole = pattern_add(&pattern, v->s, &err) == 0 && whole;
	}
	if (whole && p->form != TEXT_SETTING && pattern_check(&pattern, p->form == TEXT_PACKET ? PATTERN_RULE : PATTERN_WATCH, &err) < 0)
		diag_add(fit->diag, list->pos, NULL, "%s", err.msg);
	pattern_fini(&pattern);
}

static void check_form(const struct fit *fit, const struct param *p, const struct value *v)
{
	if (v->type != VALUE_STRING)
		return;
	if (p->form == TEXT_REGEX)
		check_regex(fit, p, v);
	else if (is_of_packets(p))
		check_word(fit, p, v);
	else if (p->form == TEXT_SOME && !*v->s)
		diag_add(fit->diag, v->pos, NULL, "'%s' is empty", p->name);
}

static void fit_string(const struct fit *fit, const struct param *p, struct value **slot)
{
	auto_free char *text = NULL;

	if ((*slot)->type == VALUE_LIST || (*slot)->type == VALUE_MAP) {
		wrong_type(fit, p->name, "a text", *slot);
		return;
	}
	if ((*slot)->type == VALUE_INT || (*slot)->type == VALUE_BOOL) {
		text = fit_scalar_text(*slot);
		fit_replace(slot, value_string(text));
	}
	if (p->type == PARAM_STRING)
		check_form(fit, p, *slot);
}

static void fit_param_const(const struct fit *fit, const struct param *p,
			    struct value **slot)
{
	fit_const(fit, p->set, p->name, slot);
}

static void fit_param_flags(const struct fit *fit, const struct param *p,
			    struct value **slot)
{
	fit_flags(fit, p->set, p->name, slot);
}

static void fit_object(const struct fit *fit, const struct param *p, struct value **slot)
{
	if ((*slot)->type != VALUE_STRING)
		wrong_type(fit, p->name, "the name of an object ('as:')", *slot);
	else if (fit->scope)
		fit->scope->object(fit->scope->arg, p, *slot, fit->diag);
}

static void fit_address(const struct fit *fit, const struct param *p, struct value **slot)
{
	struct address address;

	if ((*slot)->type != VALUE_STRING || !address_read((*slot)->s, &address))
		wrong_type(fit, p->name, "an address (" ADDRESS_FORMS ")", *slot);
}

void fit_bytes(const struct fit *fit, const char *what, int64_t max, struct value **slot)
{
	auto_free uint8_t *bytes = NULL;
	const struct value *inner;
	struct vbm_error err = {0};
	size_t len;

	inner = bytes_is_hex(*slot) ? value_get(*slot, "hex") : *slot;
	if (inner->type == VALUE_EXPR && fit->scope) {
		fit->scope->kind_of(fit->scope->arg, inner, fit->diag);
		return;
	}
	if ((*slot)->type == VALUE_NULL)
		return;
	if (bytes_parse(*slot, &bytes, &len, &err) < 0)
		diag_add(fit->diag, (*slot)->pos, NULL, "'%s': %s", what, err.msg);
	else if (max && (int64_t)len > max)
		diag_add(fit->diag, (*slot)->pos, NULL,
			 "'%s' is %zu bytes long, but at most %" PRId64 " are allowed", what, len, max);
	else if ((*slot)->type != VALUE_STRING && (*slot)->type != VALUE_MAP)
		fit_replace(slot, value_string((char *)bytes));
}

static void fit_param_bytes(const struct fit *fit, const struct param *p, struct value **slot)
{
	fit_bytes(fit, p->name, p->max, slot);
}

static void fit_list(const struct fit *fit, const struct param *p, struct value **slot)
{
	struct value *item;
	size_t i;

	if ((*slot)->type != VALUE_LIST) {
		wrong_type(fit, p->name, "a list of maps", *slot);
		return;
	}
	for (i = 0; i < (*slot)->list.count; i++) {
		item = (*slot)->list.item[i];
		if (item->type == VALUE_MAP)
			fit_args(fit, p->name, p->sub, item, item->pos);
		else
			wrong_type(fit, p->name, "a list of maps", item);
	}
}

static void fit_text(const struct fit *fit, const struct param *p, struct value **slot)
{
	const struct value *v = *slot;
	enum fit_kind kind;

	if (v->type == VALUE_NULL) {
		wrong_type(fit, p->name, "a text in its list", v);
	} else if (v->type != VALUE_EXPR) {
		fit_string(fit, p, slot);
	} else {
		kind = fit->scope ? fit->scope->kind_of(fit->scope->arg, v, fit->diag) : FIT_BAD;
		if (kind == FIT_LIST)
			diag_add(fit->diag, v->pos, NULL, "'%s' is a list and cannot stand here",
				 v->s);
	}
}

static void fit_texts(const struct fit *fit, const struct param *p, struct value **slot)
{
	size_t i;

	if ((*slot)->type != VALUE_LIST) {
		wrong_type(fit, p->name, "a list of texts", *slot);
		return;
	}
	for (i = 0; i < (*slot)->list.count; i++)
		fit_text(fit, p, &(*slot)->list.item[i]);
	if (p->form == TEXT_SOME && !(*slot)->list.count)
		diag_add(fit->diag, (*slot)->pos, NULL, "'%s' is empty", p->name);
	for (i = 0; i < (*slot)->list.count && (!i || is_of_packets(p)); i++)
		check_form(fit, p, (*slot)->list.item[i]);
	if (is_of_packets(p))
		check_words(fit, p, *slot);
}

static const struct param_rule {
	void (*fit)(const struct fit *fit, const struct param *p, struct value **slot);
	bool text;	/* the value is a text, not a number */
} rules[] = {
	[PARAM_INT] = {fit_int, false},
	[PARAM_BOOL] = {fit_bool, false},
	[PARAM_STRING] = {fit_string, true},
	[PARAM_CONST] = {fit_param_const, false},
	[PARAM_FLAGS] = {fit_param_flags, false},
	[PARAM_OBJECT] = {fit_object, true},
	[PARAM_ADDRESS] = {fit_address, true},
	[PARAM_BYTES] = {fit_param_bytes, true},
	[PARAM_LIST] = {fit_list, false},
	[PARAM_TEXTS] = {fit_texts, false},
};

static const char *kind_name(enum fit_kind kind)
{
	static const char *const names[] = {
		[FIT_BAD] = "nothing", [FIT_TEXT] = "a text", [FIT_NUMBER] = "a number",
		[FIT_BOOL] = "true or false", [FIT_LIST] = "a list",
	};

	return names[kind];
}

static void fit_reference(const struct fit *fit, const struct param *p, const struct value *v)
{
	enum fit_kind kind = fit->scope->kind_of(fit->scope->arg, v, fit->diag);
	enum fit_kind wanted = p->type == PARAM_BOOL ? FIT_BOOL :
			       rules[p->type].text ? FIT_TEXT : FIT_NUMBER;

	if (kind == FIT_LIST)
		diag_add(fit->diag, v->pos, NULL, "'%s' is a list and cannot stand here", v->s);
	else if (kind != FIT_BAD && kind != wanted && p->type != PARAM_STRING &&
		 p->type != PARAM_BYTES)
		diag_add(fit->diag, v->pos, NULL, "'%s' takes %s, but %s is %s", p->name,
			 kind_name(wanted), v->s, kind_name(kind));
}

static void fit_param(const struct fit *fit, const struct param *param, struct value **slot)
{
	if ((*slot)->type == VALUE_EXPR && fit->scope && param->type != PARAM_TEXTS)
		fit_reference(fit, param, *slot);
	else
		rules[param->type].fit(fit, param, slot);
}

static void unknown_param(const struct fit *fit, const char *step,
			  const struct param *params, const struct value_member *m)
{
	const struct param *p;
	struct suggestion s;
	const char *best;

	suggest_init(&s, m->key);
	for (p = params; p && p->name; p++)
		suggest_offer(&s, p->name);
	best = suggest_best(&s);
	diag_add(fit->diag, m->pos,
		 best ? diag_did_you_mean(best)
		      : params ? xstrdup("verbatim list --steps lists them all") : NULL,
		 params ? "%s has no parameter '%s'" : "%s takes no parameters, not '%s'", step,
		 m->key);
}

void fit_args(const struct fit *fit, const char *step, const struct param *params,
	      struct value *args, struct pos pos)
{
	const struct param *p;
	size_t i;

	for (i = 0; i < args->map.count; i++) {
		p = step_param_find(params, args->map.member[i].key);
		if (p)
			fit_param(fit, p, &args->map.member[i].value);
		else
			unknown_param(fit, step, params, &args->map.member[i]);
	}
	for (p = params; p && p->name; p++)
		if (p->required && !value_get(args, p->name))
			diag_add(fit->diag, pos, NULL, "%s needs '%s': %s", step, p->name,
				 p->doc ? p->doc : "it has no default");
}

void fit_call(const struct fit *fit, const struct step_kind *kind, struct value *args,
	      struct pos pos)
{
	const char *const *name;
	const struct value_member *m, *first = NULL;

	fit_args(fit, kind->name, kind->params, args, pos);
	for (name = kind->one_of; name && *name; name++) {
		m = value_member(args, *name);
		if (m && first)
			diag_add(fit->diag, m->pos, NULL, "%s takes '%s' or '%s', not both",
				 kind->name, first->key, m->key);
		first = first ? first : m;
	}
	if (kind->one_of && !first)
		diag_add(fit->diag, pos, NULL, "%s needs '%s' or '%s'", kind->name,
			 kind->one_of[0], kind->one_of[1]);
}
