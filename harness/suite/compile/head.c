/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "base/xalloc.h"
#include "base/yaml.h"
#include "compile/compile.h"
#include "names/device-words.h"
#include "plan/require.h"

static void head_title(struct compiler *c, const struct value *v)
{
	const char *text = scalar_text(c, "scenario", v);

	if (text && strchr(text, '\n'))
		diag_add(c->diag, v->pos, NULL, "the title must be one line");
	else if (text)
		c->s->title = xstrdup(text);
}

/* A clause has upper-case letters, digits and dashes, like those in scenarios/clauses.tsv. */
static bool is_clause_id(const char *s)
{
	for (; *s; s++)
		if (!isupper((unsigned char)*s) && !isdigit((unsigned char)*s) && *s != '-')
			return false;
	return true;
}

static void remember_clause(struct scenario *s, const struct value *v)
{
	size_t i;

	for (i = 0; i < s->clause_count; i++)
		if (s->clause_pos[i].line == v->pos.line && s->clause_pos[i].col == v->pos.col)
			return;
	GROW(s->clauses, s->clause_count);
	GROW(s->clause_pos, s->clause_count);
	s->clause_pos[s->clause_count] = v->pos;
	s->clauses[s->clause_count++] = xstrdup(v->s);
}

static void take_clause(struct compiler *c, struct value *out, const struct value *v)
{
	const char *id = scalar_text(c, "clause", v);
	size_t i;

	if (!id)
		return;
	if (!is_clause_id(id)) {
		diag_add(c->diag, v->pos, xstrdup("verbatim list --clauses lists them all"),
			 "'%s' is not the id of a clause", id);
		return;
	}
	remember_clause(c->s, v);
	for (i = 0; i < out->list.count; i++)
		if (strcmp(out->list.item[i]->s, id) == 0)
			diag_add(c->diag, v->pos, NULL, "'%s' is there twice", id);
	value_append(out, value_string(id));
}

static void take_spec(struct compiler *c, struct value *out, const struct value *v)
{
	const char *text = scalar_text(c, "spec", v);

	if (text)
		value_append(out, value_string(text));
}

static void take_need(struct compiler *c, struct value *out, const struct value *v)
{
	const char *text = scalar_text(c, "requires", v);

	if (text && compile_is_need(c, text, v->pos))
		value_append(out, value_dup(v));
}

/* Calls @take for the value, or for each value of a list. */
static void each(struct compiler *c, struct value *out, const struct value *v,
		 void (*take)(struct compiler *c, struct value *out, const struct value *v))
{
	size_t i;

	if (!v)
		return;
	if (v->type != VALUE_LIST)
		take(c, out, v);
	else
		for (i = 0; i < v->list.count; i++)
			take(c, out, v->list.item[i]);
}

/* The forms of a fabric that have a number of hosts. */
static const struct {
	const char *name, *words;
	int min, max;
	bool routed;
} forms[] = {
	{"mesh", "a mesh", 1, SCENARIO_MESH_MAX, false},
	{"routed", "a routed fabric", SCENARIO_ROUTED_MIN, SCENARIO_ROUTED_MAX, true},
};

struct fabric_form {
	const struct value *kernels;	/* borrowed; "kernel:", or NULL */
	struct device_words devices;	/* "device:", if @has_devices */
	bool has_devices;
	int hosts;
	bool routed;
	uint64_t scripted;	/* as in struct variant */
};

/* "script: [b]": hosts without a device. The first host needs one, or nothing would be tested. */
static uint64_t scripted_hosts(struct compiler *c, const struct value *names, int hosts)
{
	uint64_t scripted = 0;
	const char *name;
	size_t i;

	if (names->type != VALUE_LIST || !names->list.count) {
		diag_add(c->diag, names->pos, NULL, "'script' is a list of the hosts without a device, as in [b]");
		return 0;
	}
	for (i = 0; i < names->list.count; i++) {
		name = names->list.item[i]->type == VALUE_STRING ? names->list.item[i]->s : "";
		if (name[0] > 'a' && name[0] <= 'z' && !name[1] && name[0] - 'a' < hosts)
			scripted |= 1ULL << (name[0] - 'a');
		else
			diag_add(c->diag, names->list.item[i]->pos, NULL,
				 "only hosts of this fabric other than a can be without a device");
	}
	return scripted;
}

/* The form's number of hosts; false, with a diagnostic, if it is not valid. */
static bool counted_hosts(struct compiler *c, const struct value *v, struct fabric_form *form)
{
	const struct value *n;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		n = value_get(v, forms[i].name);
		if (!n)
			continue;
		if (n->type == VALUE_INT && n->i >= forms[i].min && n->i <= forms[i].max) {
			form->hosts = (int)n->i;
			form->routed = forms[i].routed;
			return true;
		}
		diag_add(c->diag, n->pos, NULL, "%s has %d to %d hosts", forms[i].words, forms[i].min, forms[i].max);
		return false;
	}
	return true;
}

/* "kernel: {a: 6.12, b: 7.3}": the hosts' kernels become conditions. */
static void need_kernels(struct compiler *c, const struct value *kernels)
{
	const struct value_member *m;
	size_t i;

	for (i = 0; kernels && i < kernels->map.count; i++) {
		auto_value struct value *need = NULL;

		m = &kernels->map.member[i];
		if (m->value->type == VALUE_INT)
			need = value_format_string("kernel_%s=%" PRId64, m->key, m->value->i);
		else
			need = value_format_string("kernel_%s=%s", m->key, m->value->s);
		need->pos = m->value->pos;
		take_need(c, c->v->needs, need);
	}
}

static bool are_kernels(struct compiler *c, const struct value *v)
{
	bool good = v->type == VALUE_MAP && v->map.count;
	size_t i;

	for (i = 0; good && i < v->map.count; i++)
		good = (!strcmp(v->map.member[i].key, "a") || !strcmp(v->map.member[i].key, "b")) &&
		       (v->map.member[i].value->type == VALUE_STRING || v->map.member[i].value->type == VALUE_INT);
	if (!good)
		diag_add(c->diag, v->pos, NULL, "'kernel' gives hosts a and b, or one of them, the release of their kernel: {a: 6.12, b: 7.3}");
	return good;
}

/* "device: {a: rxe, b: siw}"; two on one host are "rxe+siw". The words are those of --device. */
static void read_devices(struct compiler *c, const struct value *v, struct fabric_form *form)
{
	bool good = v->type == VALUE_MAP && v->map.count;
	const struct value_member *m;
	struct vbm_error err = {0};
	size_t i;

	for (i = 0; good && i < v->map.count; i++)
		good = v->map.member[i].value->type == VALUE_STRING;
	if (!good) {
		diag_add(c->diag, v->pos, NULL, "'device' gives hosts the types of their RDMA devices: {a: rxe, b: siw}, or two for one "
			 "host: {a: rxe+siw}");
		return;
	}
	for (i = 0; i < v->map.count; i++) {
		m = &v->map.member[i];
		if (device_words_give(&form->devices, m->key, m->value->s, strlen(m->value->s), &err) < 0)
			diag_add(c->diag, m->value->pos, NULL, "'device': %s", err.msg);
		else if (form->devices.named > form->hosts)
			diag_add(c->diag, m->pos, NULL, "'device': this fabric has no host '%s'", m->key);
		else if (form->scripted >> (m->key[0] - 'a') & 1)
			diag_add(c->diag, m->pos, NULL, "'device': host %s is one of 'script', which have no device", m->key);
	}
	form->has_devices = true;
}

static struct fabric_form fabric_form(struct compiler *c)
{
	const struct value *v = value_get(c->root, "fabric"), *names, *devices;
	const struct fabric_form pair = {.hosts = 2};
	struct fabric_form form = pair;
	size_t known, more, i;

	if (!v || (v->type == VALUE_STRING && strcmp(v->s, "pair") == 0))
		return pair;
	names = value_get(v, "kernel");
	if (v->type == VALUE_MAP && names && v->map.count == 1) {
		form.kernels = are_kernels(c, names) ? names : NULL;
		return form;
	}
	names = value_get(v, "script");
	devices = value_get(v, "device");
	known = more = (size_t)(names != NULL) + (devices != NULL);
	for (i = 0; i < ARRAY_SIZE(forms); i++)
		known += value_get(v, forms[i].name) != NULL;
	if (v->type != VALUE_MAP || v->map.count != known || !known || known > 1 + more) {
		diag_add(c->diag, v->pos, NULL, "'fabric' is 'pair', {mesh: N}, {routed: N}, {kernel: {a: 6.12, b: 7.3}}, {script: [b]} or "
			 "{device: {a: rxe, b: siw}}; script and device can be together, and with mesh or routed");
		return pair;
	}
	if (!counted_hosts(c, v, &form))
		return pair;
	if (names)
		form.scripted = scripted_hosts(c, names, form.hosts < SCENARIO_HOSTS_MAX ? form.hosts : SCENARIO_HOSTS_MAX);
	if (devices)
		read_devices(c, devices, &form);
	return form;
}

/* The keys that the language defines. Any other key is the name of a fragment. */
static const char *const keys[] = {
	"scenario", "clause", "spec",	  "fabric", "requires", "vary", "cases", "dns",
	"hosts",    "services", "resolv", "acm",    "use",	"steps",
};

static bool head_is_key(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (strcmp(keys[i], name) == 0)
			return true;
	return false;
}

static void unknown_keys(struct compiler *c)
{
	const struct value_member *m;
	struct suggestion s;
	size_t i, k;

	for (i = 0; i < c->root->map.count; i++) {
		m = &c->root->map.member[i];
		if (head_is_key(m->key) || fragment_exists(c, m->key))
			continue;
		suggest_init(&s, m->key);
		for (k = 0; k < ARRAY_SIZE(keys); k++)
			suggest_offer(&s, keys[k]);
		suggest_offer(&s, "qps");
		suggest_offer(&s, "conns");
		diag_add(c->diag, m->pos, diag_did_you_mean(suggest_best(&s)),
			 "a scenario has no key '%s'", m->key);
	}
}

static void missing_keys(struct compiler *c)
{
	static const char *const required[] = {"scenario", "steps"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(required); i++)
		if (!value_get(c->root, required[i]))
			diag_add(c->diag, c->root->pos, NULL, "the key '%s' is missing",
				 required[i]);
}

static void check_clauses(struct compiler *c, const struct value *clause)
{
	if (clause && clause->type == VALUE_LIST && !clause->list.count)
		diag_add(c->diag, clause->pos, NULL, "a scenario needs at least one clause");
	else if (!c->v->clauses->list.count && !clause && !c->in->clause_optional)
		diag_add(c->diag, c->root->pos, NULL, "the key 'clause' is missing");
}

/* The steps of the head come first: its fragments, in the order of the file. */
static void head_steps(struct compiler *c)
{
	const struct value_member *m;
	size_t i;

	for (i = 0; i < c->root->map.count; i++) {
		m = &c->root->map.member[i];
		if (strcmp(m->key, "use") == 0)
			compile_expand_use(c, m->value);
		else if (!head_is_key(m->key) && fragment_exists(c, m->key))
			compile_expand_instances(c, m);
	}
}

static void expand_all_steps(struct compiler *c)
{
	const struct value *steps = value_get(c->root, "steps");
	size_t before;

	head_steps(c);
	before = c->v->item_count;
	if (!steps)
		return;
	if (steps->type == VALUE_LIST && !steps->list.count)
		diag_add(c->diag, steps->pos, NULL, "a scenario without a step proves nothing");
	else
		compile_expand_steps(c, steps, "steps");
	effect_of_variant(c, before);
	compile_add_ends(c);
}

/* Sets the variables of a row, the last one innermost, and compiles the variant. */
static void with_variables(struct compiler *c, const struct row *row, size_t next)
{
	const struct value_member *m;
	struct value_member *used;
	struct vars var;

	if (next == row->vars->map.count) {
		compile_check_services(c);
		expand_all_steps(c);
		compile_check_services_used(c);
		return;
	}
	m = &row->vars->map.member[next];
	used = value_member(c->used, m->key);
	var = (struct vars){.name = m->key, .value = m->value, .given = true,
			    .used = &used->value->b, .up = c->vars};
	c->vars = &var;
	with_variables(c, row, next + 1);
	c->vars = var.up;
}

static void expand_row_values(struct compiler *c, struct row *row)
{
	size_t i;

	for (i = 0; i < row->vars->map.count; i++) {
		compile_expand_value(c, &row->vars->map.member[i].value);
		if (!value_get(c->used, row->vars->map.member[i].key))
			value_add_at(c->used, row->vars->map.member[i].key,
				     row->vars->map.member[i].pos,
				     value_bool(!strcmp(row->vars->map.member[i].key, "ip")));
	}
}

/* Checks that the conditions of a variant can all hold at the same time. */
static void check_needs(struct compiler *c)
{
	const struct value *list = c->v->needs, *need;
	size_t n = list->list.count, at;
	auto_free struct require *req = xcalloc(n + 1, sizeof(*req));

	if (n > SCENARIO_NEEDS_MAX) {
		diag_add(c->diag, list->list.item[n - 1]->pos, NULL,
			 "a scenario has at most %d conditions", SCENARIO_NEEDS_MAX);
		return;
	}
	for (at = 0; at < n; at++)
		if (require_parse(&req[at], list->list.item[at]->s, NULL) < 0)
			return;
	for (at = 0; at < n; at++) {
		need = list->list.item[at];
		if (require_conflicts(req, at))
			diag_add(c->diag, need->pos, NULL, "'%s' contradicts another "
				 "condition for '%s' of this %s", need->s, req[at].capability->name,
				 c->row_count > 1 ? "variant" : "scenario");
	}
}

static void compile_row(struct compiler *c, struct row *row, struct fabric_form fabric, bool steps)
{
	const struct value *clause = row->clause ? row->clause : value_get(c->root, "clause");
	const struct value *spec = row->spec ? row->spec : value_get(c->root, "spec");
	struct variant v = {
		.number = c->s->plan.count,
		.id = xstrdup(c->s->id),
		.title = xstrdup(c->s->title ? c->s->title : ""),
		.path = xstrdup(c->s->path),
		.clauses = value_list(),
		.specs = value_list(),
		.needs = value_list(),
		.services = value_map(),
		.hosts = fabric.hosts,
		.routed = fabric.routed,
		.scripted = fabric.scripted,
		.ip = (int)value_get_int(row->vars, "ip", 4),
	};

	if (fabric.has_devices) {
		v.devices = xcalloc(1, sizeof(*v.devices));
		*v.devices = fabric.devices;
	}
	v.name = row_name(c, row);
	c->v = &v;
	memset(c->ended, 0, sizeof(c->ended));
	c->scope = (struct scope){.variant = &v,
				  .hosts = fabric.hosts < SCENARIO_HOSTS_MAX ? fabric.hosts : SCENARIO_HOSTS_MAX};
	c->groups = c->eithers = 0;
	expand_row_values(c, row);
	each(c, v.clauses, clause, take_clause);
	each(c, v.specs, spec, take_spec);
	need_kernels(c, fabric.kernels);
	each(c, v.needs, value_get(c->root, "requires"), take_need);
	each(c, v.needs, row->requires, take_need);
	check_clauses(c, clause);
	if (steps)
		with_variables(c, row, 0);
	unused_of_variant(c);
	check_needs(c);
	compile_check_busy(c);
	scope_fini(&c->scope);
	GROW(c->s->plan.item, c->s->plan.count);
	c->s->plan.item[c->s->plan.count++] = v;
	c->v = NULL;
}

static void check_names(struct compiler *c)
{
	const struct plan *p = &c->s->plan;
	size_t i, k;

	for (i = 1; i < p->count; i++)
		for (k = 0; k < i && !c->diag->count; k++)
			if (strcmp(p->item[i].name, p->item[k].name) == 0)
				diag_add(c->diag, c->rows[i].pos, xstrdup("give each row a 'case:'"),
					 "two variants are called '%s'", p->item[i].name);
}

static void check_unused(struct compiler *c)
{
	const struct value_member *m;
	size_t i;

	for (i = 0; i < c->used->map.count; i++) {
		m = &c->used->map.member[i];
		if (!m->value->b && m->key[0] != '_')
			diag_add(c->diag, m->pos, xstrdup("if it only makes the scenario run "
				 "several times, begin its name with _"),
				 "the variable '%s' is not used", m->key);
	}
}

static void compile_root(struct compiler *c)
{
	const struct value *title, *steps = value_get(c->root, "steps");
	struct row row = {0};
	struct scenario_input own;
	struct fabric_form fabric;
	size_t i;

	if (c->root->type != VALUE_MAP) {
		diag_add(c->diag, c->root->pos, NULL,
			 "a scenario is a map: scenario, clause, steps, ...");
		return;
	}
	unknown_keys(c);
	missing_keys(c);
	title = value_get(c->root, "scenario");
	if (title)
		head_title(c, title);
	fabric = fabric_form(c);
	if (fabric.has_devices) {
		own = *c->in;
		own.connects = device_words_by_cm(&fabric.devices, fabric.hosts) ? CONNECTS_BY_CM : CONNECTS_BY_HAND;
		own.chosen = NULL;
		c->in = &own;
	}
	if (!rows_make(c)) {
		/* Without variables, the steps would only repeat the diagnostics. */
		row.vars = value_map();
		compile_row(c, &row, fabric, false);
		value_free(row.vars);
		if (steps && steps->type != VALUE_LIST)
			diag_add(c->diag, steps->pos, NULL, "'steps' takes a list");
		return;
	}
	/* An error in one variant is most often in all, so the number of diagnostics is limited. */
	for (i = 0; i < c->row_count && !c->overflow && c->diag->count < DIAGNOSTICS_MAX; i++)
		compile_row(c, &c->rows[i], fabric, true);
	check_names(c);
	if (c->diag->count || c->overflow)
		return;
	check_unused(c);
	effect_check(c);
}

void compile_fini(struct compiler *c)
{
	size_t i;

	rows_fini(c);
	effect_fini(c);
	for (i = 0; i < c->fragment_count; i++) {
		free(c->fragments[i].name);
		free(c->fragments[i].path);
		value_free(c->fragments[i].root);
	}
	free(c->fragments);
	value_free(c->used);
	value_free(c->root);
}

int scenario_parse(struct scenario **out, const struct scenario_input *in,
		   struct diagnostics *diag)
{
	struct compiler c = {.in = in, .diag = diag};

	c.root = yaml_read(in->text, in->len, diag);
	if (!c.root) {
		diagnostics_sort(diag);
		return -EINVAL;
	}
	c.used = value_map();
	c.s = xcalloc(1, sizeof(*c.s));
	c.s->path = xstrdup(in->path);
	c.s->id = xstrdup(in->id);
	compile_root(&c);
	compile_fini(&c);
	diagnostics_sort(diag);
	if (!diag->count) {
		*out = c.s;
		return 0;
	}
	scenario_free(c.s);
	return -EINVAL;
}

void scenario_free(struct scenario *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->clause_count; i++)
		free(s->clauses[i]);
	free(s->clauses);
	free(s->clause_pos);
	free(s->path);
	free(s->id);
	free(s->title);
	plan_fini(&s->plan);
	free(s);
}
