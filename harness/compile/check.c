/* SPDX-License-Identifier: BSD-2-Clause */
#include "compile/check.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "base/xalloc.h"
#include "compile/ref.h"
#include "plan/require.h"
#include "base/yaml.h"

const char *check_text(struct checker *c, const char *key, const struct value *v)
{
	if (v->type == VALUE_STRING && *v->s)
		return v->s;
	diag_add(c->diag, v->pos,
		 v->type == VALUE_INT || v->type == VALUE_BOOL
			 ? xstrdup("quote it if it is meant as text") : NULL,
		 "'%s' takes a text", key);
	return NULL;
}

static void head_title(struct checker *c, struct value *v)
{
	const char *text = check_text(c, "scenario", v);

	if (text && strchr(text, '\n'))
		diag_add(c->diag, v->pos, NULL, "the title is one line");
	else if (text)
		c->s->title = xstrdup(text);
}

/* Upper case, digits and dashes, as scenarios/clauses.tsv has them. */
static bool is_clause_id(const char *s)
{
	for (; *s; s++)
		if (!isupper((unsigned char)*s) && !isdigit((unsigned char)*s) && *s != '-')
			return false;
	return true;
}

static void add_clause(struct checker *c, const struct value *v)
{
	const char *id = check_text(c, "clause", v);

	if (!id)
		return;
	if (!is_clause_id(id)) {
		diag_add(c->diag, v->pos, xstrdup("verbatim list --clauses has them all"),
			 "'%s' is not the id of a clause", id);
		return;
	}
	GROW(c->s->clauses, c->s->clause_count);
	GROW(c->s->clause_pos, c->s->clause_count);
	c->s->clause_pos[c->s->clause_count] = v->pos;
	c->s->clauses[c->s->clause_count++] = xstrdup(id);
}

static void head_clause(struct checker *c, struct value *v)
{
	size_t i;

	if (v->type != VALUE_LIST)
		add_clause(c, v);
	else if (!v->list.count)
		diag_add(c->diag, v->pos, NULL, "a scenario proves at least one clause");
	else
		for (i = 0; i < v->list.count; i++)
			add_clause(c, v->list.item[i]);
}

static void head_fabric(struct checker *c, struct value *v)
{
	const struct value *mesh = value_get(v, "mesh");

	if (v->type == VALUE_STRING && strcmp(v->s, "pair") == 0)
		return;
	if (!mesh || v->map.count != 1 || mesh->type != VALUE_INT) {
		diag_add(c->diag, v->pos, NULL, "'fabric' is 'pair' or {mesh: N}");
		return;
	}
	if (mesh->i < 1 || mesh->i > SCENARIO_MESH_MAX) {
		diag_add(c->diag, mesh->pos, NULL, "a mesh has 1 to %d hosts",
			 SCENARIO_MESH_MAX);
		return;
	}
	c->s->hosts = (int)mesh->i;
	c->scope.hosts = mesh->i < SCENARIO_HOSTS_MAX ? (int)mesh->i : SCENARIO_HOSTS_MAX;
}

static void add_require(struct checker *c, const struct value *v)
{
	const char *text = check_text(c, "requires", v);
	struct vbm_error err = {0};
	struct require req;

	if (!text)
		return;
	if (require_parse(&req, text, &err) < 0)
		diag_add(c->diag, v->pos, NULL, "%s", err.msg);
	else
		value_append(c->s->requires, value_dup(v));
}

static void head_requires(struct checker *c, struct value *v)
{
	size_t i;

	if (v->type != VALUE_LIST)
		add_require(c, v);
	else
		for (i = 0; i < v->list.count; i++)
			add_require(c, v->list.item[i]);
}

static bool is_scalar(const struct value *v)
{
	return v->type == VALUE_STRING || v->type == VALUE_INT || v->type == VALUE_BOOL;
}

static bool vary_value(struct checker *c, const struct value_member *m, size_t i)
{
	const struct value *v = m->value->list.item[i];
	size_t k;

	if (!is_scalar(v) || ref_is(v)) {
		diag_add(c->diag, v->pos, NULL, "a value of '%s' is one text, number or boolean",
			 m->key);
		return false;
	}
	if (strcmp(m->key, "ip") == 0 && (v->type != VALUE_INT || (v->i != 4 && v->i != 6))) {
		diag_add(c->diag, v->pos, NULL, "'ip' chooses the address family: 4 or 6");
		return false;
	}
	for (k = 0; k < i; k++) {
		if (!value_equal(m->value->list.item[k], v))
			continue;
		diag_add(c->diag, v->pos, NULL, "'%s' has this value twice", m->key);
		return false;
	}
	return true;
}

static bool vary_variable(struct checker *c, const struct value_member *m)
{
	size_t i;
	bool ok = true;

	if (!ref_is_name(m->key) || !m->key[1]) {
		diag_add(c->diag, m->pos, NULL, "a variable's name is two or more lower-case "
			 "letters, digits and _");
		ok = false;
	}
	if (m->value->type != VALUE_LIST || !m->value->list.count) {
		diag_add(c->diag, m->value->pos, NULL, "'%s' takes a list of values", m->key);
		return false;
	}
	for (i = 0; i < m->value->list.count; i++)
		ok = vary_value(c, m, i) && ok;
	return ok;
}

/* Once wrong it is not used: references to it would only repeat the error. */
static void head_vary(struct checker *c, struct value *v)
{
	size_t i, n = 1;
	bool ok = true;

	if (v->type != VALUE_MAP) {
		diag_add(c->diag, v->pos, NULL, "'vary' takes a map of lists");
		return;
	}
	for (i = 0; i < v->map.count; i++) {
		ok = vary_variable(c, &v->map.member[i]) && ok;
		if (ok && n <= SCENARIO_VARIANTS_MAX)
			n *= v->map.member[i].value->list.count;
	}
	if (ok && n > SCENARIO_VARIANTS_MAX) {
		diag_add(c->diag, v->pos, NULL, "these are more than %d combinations",
			 SCENARIO_VARIANTS_MAX);
		return;
	}
	c->scope.vary = v;
	if (ok)
		c->s->vary = value_dup(v);
}

/* In the order they are looked at, whatever their order in the file. */
static const struct {
	const char *name;
	bool required;
	void (*check)(struct checker *c, struct value *v);
} head[] = {
	{"scenario", true, head_title},	   {"clause", false, head_clause},
	{"fabric", false, head_fabric},	   {"requires", false, head_requires},
	{"vary", false, head_vary},	   {"dns", false, check_dns},
	{"hosts", false, check_hosts},	   {"services", false, check_services},
	{"resolv", false, check_resolv},   {"acm", false, check_acm},
	{"qps", false, check_qps},
	{"steps", true, check_steps},
};

static void unknown_keys(struct checker *c, const struct value *root)
{
	struct suggestion s;
	bool known;
	size_t i, k;

	for (i = 0; i < root->map.count; i++) {
		suggest_init(&s, root->map.member[i].key);
		known = false;
		for (k = 0; k < ARRAY_SIZE(head); k++) {
			suggest_offer(&s, head[k].name);
			known |= strcmp(head[k].name, root->map.member[i].key) == 0;
		}
		if (!known)
			diag_add(c->diag, root->map.member[i].pos,
				 diag_did_you_mean(suggest_best(&s)),
				 "a scenario has no key '%s'", root->map.member[i].key);
	}
}

static void check_root(struct checker *c, struct value *root)
{
	struct value *v;
	size_t i;

	if (root->type != VALUE_MAP) {
		diag_add(c->diag, root->pos, NULL,
			 "a scenario is a map: scenario, clause, steps, ...");
		return;
	}
	unknown_keys(c, root);
	for (i = 0; i < ARRAY_SIZE(head); i++) {
		v = value_get(root, head[i].name);
		if (v)
			head[i].check(c, v);
		else if (head[i].required)
			diag_add(c->diag, root->pos, NULL, "the key '%s' is missing",
				 head[i].name);
	}
	check_names_used(c);
}

int scenario_parse(struct scenario **out, const char *path, const char *id,
		   const char *text, size_t len, struct diagnostics *diag)
{
	auto_value struct value *root = yaml_read(text, len, diag);
	size_t checks = 0;
	struct checker c = {.diag = diag, .scope = {.hosts = 2, .checks = &checks}};

	if (!root) {
		diagnostics_sort(diag);
		return -EINVAL;
	}
	c.s = xcalloc(1, sizeof(*c.s));
	c.s->path = xstrdup(path);
	c.s->id = xstrdup(id);
	c.s->hosts = 2;
	c.s->requires = value_list();
	check_root(&c, root);
	scope_fini(&c.scope);
	if (!diag->count) {
		*out = c.s;
		return 0;
	}
	scenario_free(c.s);
	diagnostics_sort(diag);
	return -EINVAL;
}

static void step_fini(struct plan_step *step)
{
	value_free(step->args);
	value_free(step->expect);
	free(step->as);
	free(step->note);
}

void scenario_free(struct scenario *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->step_count; i++)
		step_fini(&s->steps[i]);
	for (i = 0; i < s->clause_count; i++)
		free(s->clauses[i]);
	free(s->steps);
	free(s->clauses);
	free(s->clause_pos);
	free(s->path);
	free(s->id);
	free(s->title);
	value_free(s->requires);
	value_free(s->vary);
	for (i = 0; i < NAMES_COUNT; i++)
		value_free(s->names[i]);
	free(s);
}
