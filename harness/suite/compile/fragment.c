/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "base/yaml.h"
#include "compile/compile.h"

/*
 * A fragment is a file of steps with parameters:
 *
 *   fragment: TITLE
 *   parameters:
 *     NAME: {doc: TEXT, default: VALUE, required: true, values: [...], hosts: N}
 *   steps: [...]
 */
static const char *const fragment_keys[] = {"fragment", "parameters", "steps"};
static const char *const parameter_keys[] = {"doc", "default", "required", "values", "hosts"};

static bool known_keys(struct diagnostics *diag, const struct value *map, const char *what,
		       const char *const *keys, size_t count)
{
	struct suggestion s;
	bool known, ok = true;
	size_t i, k;

	for (i = 0; i < map->map.count; i++) {
		suggest_init(&s, map->map.member[i].key);
		for (known = false, k = 0; k < count; k++) {
			suggest_offer(&s, keys[k]);
			known |= strcmp(keys[k], map->map.member[i].key) == 0;
		}
		if (known)
			continue;
		diag_add(diag, map->map.member[i].pos, diag_did_you_mean(suggest_best(&s)),
			 "%s has no key '%s'", what, map->map.member[i].key);
		ok = false;
	}
	return ok;
}

static bool check_parameter(struct diagnostics *diag, const struct value_member *m)
{
	const struct value *doc = value_get(m->value, "doc");

	if (!scenario_is_name(m->key)) {
		diag_add(diag, m->pos, NULL, "a parameter's name is lower-case letters, digits and _");
		return false;
	}
	if (m->value->type != VALUE_MAP) {
		diag_add(diag, m->value->pos, NULL, "a parameter is a map: doc, default, ...");
		return false;
	}
	if (!doc || doc->type != VALUE_STRING || !*doc->s) {
		diag_add(diag, m->pos, NULL, "'%s' needs 'doc:', a sentence that says what it is for", m->key);
		return false;
	}
	return known_keys(diag, m->value, "a parameter", parameter_keys,
			  ARRAY_SIZE(parameter_keys));
}

bool fragment_shape(struct diagnostics *diag, const struct value *root)
{
	const struct value *params, *steps, *title;
	bool ok;
	size_t i;

	if (root->type != VALUE_MAP) {
		diag_add(diag, root->pos, NULL, "a fragment is a map: fragment, parameters, steps");
		return false;
	}
	ok = known_keys(diag, root, "a fragment", fragment_keys, ARRAY_SIZE(fragment_keys));
	title = value_get(root, "fragment");
	if (!title || title->type != VALUE_STRING || !*title->s) {
		diag_add(diag, title ? title->pos : root->pos, NULL,
			 "a fragment begins with 'fragment:', one line that says what it does");
		ok = false;
	}
	params = value_get(root, "parameters");
	if (params && params->type != VALUE_MAP) {
		diag_add(diag, params->pos, NULL, "'parameters' takes a map");
		ok = false;
	}
	for (i = 0; params && params->type == VALUE_MAP && i < params->map.count; i++)
		ok = check_parameter(diag, &params->map.member[i]) && ok;
	steps = value_get(root, "steps");
	if (!steps || steps->type != VALUE_LIST || !steps->list.count) {
		diag_add(diag, steps ? steps->pos : root->pos, NULL,
			 "a fragment has 'steps:', a list with at least one step");
		ok = false;
	}
	return ok;
}

static void set_file(struct value *v, int file)
{
	size_t i;

	v->pos.file = file;
	for (i = 0; v->type == VALUE_LIST && i < v->list.count; i++)
		set_file(v->list.item[i], file);
	for (i = 0; v->type == VALUE_MAP && i < v->map.count; i++) {
		v->map.member[i].pos.file = file;
		set_file(v->map.member[i].value, file);
	}
}

static void fragment_file_fini(struct fragment_file *file)
{
	free(file->path);
	free(file->text);
	*file = (struct fragment_file){0};
}

/* The errors of the reader do not name a file yet. This gives them the file of @f. */
static struct value *read_fragment(struct compiler *c, const struct fragment *f,
				   const struct fragment_file *file)
{
	struct diagnostics own = {0};
	struct value *root = file->tree ? value_dup(file->tree) :
			     yaml_read(file->text, file->len, &own);
	struct pos pos;
	size_t i;

	for (i = 0; i < own.count; i++) {
		pos = own.item[i].pos;
		pos.file = f->file;
		diag_add(c->diag, pos, own.item[i].hint ? xstrdup(own.item[i].hint) : NULL, "%s",
			 own.item[i].message);
	}
	diagnostics_fini(&own);
	if (!root)
		return NULL;
	set_file(root, f->file);
	if (fragment_shape(c->diag, root) && unused_parameters(c->diag, root))
		return root;
	value_free(root);
	return NULL;
}

static int source_read(struct compiler *c, const char *name, struct fragment_file *file,
		       struct vbm_error *err)
{
	const struct fragment_source *src = c->in->fragments;

	return src ? src->read(src->arg, name, file, err) : -1;
}

static const struct fragment *cached(const struct compiler *c, const char *name)
{
	size_t i;

	for (i = 0; i < c->fragment_count; i++)
		if (strcmp(c->fragments[i].name, name) == 0)
			return &c->fragments[i];
	return NULL;
}

static const struct fragment *fragment_find(struct compiler *c, const char *name, struct pos pos)
{
	const struct fragment *known = cached(c, name);
	struct fragment_file file = {0};
	struct vbm_error err = {0};
	struct pos before = c->diag->use;
	struct fragment f = {0};

	if (known)
		return known->root ? known : NULL;
	if (source_read(c, name, &file, &err) < 0) {
		diag_add(c->diag, pos, xstrdup("verbatim list --fragments lists them all"),
			 "there is no fragment '%s'%s%s", name, err.code ? ": " : "", err.msg);
		return NULL;
	}
	f.name = xstrdup(name);
	f.path = steal(&file.path);
	f.file = diag_add_file(c->diag, f.path);
	c->diag->use = pos;
	f.root = read_fragment(c, &f, &file);
	c->diag->use = before;
	fragment_file_fini(&file);
	GROW(c->fragments, c->fragment_count);
	c->fragments[c->fragment_count++] = f;
	return f.root ? cached(c, name) : NULL;
}

bool fragment_exists(struct compiler *c, const char *name)
{
	struct fragment_file file = {0};
	struct vbm_error err = {0};
	bool found;

	if (!scenario_is_name(name))
		return false;
	found = cached(c, name) || source_read(c, name, &file, &err) == 0;
	fragment_file_fini(&file);
	return found;
}

static char *join_values(const struct value *list)
{
	struct text out = {0};
	size_t i;

	for (i = 0; i < list->list.count; i++) {
		auto_free char *one = fit_scalar_text(list->list.item[i]);

		text_addf(&out, "%s%s", i ? ", " : "", one);
	}
	return out.s ? out.s : xstrdup("nothing");
}

static bool check_values(struct compiler *c, const struct value_member *p, const struct value *v)
{
	const struct value *allowed = value_get(p->value, "values");
	auto_free char *all = NULL;

	if (!allowed || allowed->type != VALUE_LIST || scalar_is_one_of(allowed, v))
		return true;
	all = join_values(allowed);
	diag_add(c->diag, v->pos, NULL, "'%s' is one of %s", p->key, all);
	return false;
}

/* "hosts: 2" of a parameter: the value must be a list of that many different hosts. */
static bool check_hosts(struct compiler *c, const struct value_member *p, const struct value *v)
{
	int64_t wanted = value_get_int(p->value, "hosts", 0);
	const struct value *h;
	size_t i, k;

	if (!wanted)
		return true;
	if (v->type != VALUE_LIST || (int64_t)v->list.count != wanted) {
		diag_add(c->diag, v->pos, NULL, "'%s' is a list of %d hosts, as in [a, b]", p->key,
			 (int)wanted);
		return false;
	}
	for (i = 0; i < v->list.count; i++) {
		h = v->list.item[i];
		if (h->type != VALUE_STRING ||
		    scope_actor(&c->scope, h->s, strlen(h->s), h->pos, c->diag) < 0)
			return false;
		for (k = 0; k < i; k++) {
			if (strcmp(v->list.item[k]->s, h->s))
				continue;
			diag_add(c->diag, v->pos, NULL, "both ends are the same host, so nothing would "
				 "cross the wire");
			return false;
		}
	}
	return true;
}

/* The value of parameter @p for this use: the given one or the default. Owned, or NULL. */
static bool parameter_value(struct compiler *c, const struct value_member *p,
			    const struct value *given, struct pos pos, struct value **out)
{
	const struct value *fallback = value_get(p->value, "default");

	*out = NULL;
	if (!given && value_get_bool(p->value, "required", false)) {
		diag_add(c->diag, pos, NULL, "the fragment needs '%s': %s", p->key,
			 value_get_string(p->value, "doc", ""));
		return false;
	}
	if (!given && !fallback)
		return true;
	*out = value_dup(given ? given : fallback);
	if (!given && !compile_expand_value(c, out))
		return false;
	return check_values(c, p, *out) && check_hosts(c, p, *out);
}

static void unknown_parameters(struct compiler *c, const struct fragment *f,
			       const struct value *params, const struct value *given)
{
	struct suggestion s;
	size_t i, k;

	for (i = 0; given && i < given->map.count; i++) {
		if (value_get(params, given->map.member[i].key))
			continue;
		suggest_init(&s, given->map.member[i].key);
		for (k = 0; params && k < params->map.count; k++)
			suggest_offer(&s, params->map.member[k].key);
		diag_add(c->diag, given->map.member[i].pos, diag_did_you_mean(suggest_best(&s)),
			 "the fragment '%s' has no parameter '%s'", f->name,
			 given->map.member[i].key);
	}
}

/* Evaluates the parameters in order, because a default may use those before it. */
static void with_parameters(struct compiler *c, const struct fragment *f, size_t next,
			    const struct value *given, struct pos pos)
{
	const struct value *params = value_get(f->root, "parameters");
	const struct value_member *p;
	auto_value struct value *value = NULL;
	struct vars var;

	if (!params || next == params->map.count) {
		compile_expand_steps(c, value_get(f->root, "steps"), "steps");
		return;
	}
	p = &params->map.member[next];
	if (!parameter_value(c, p, value_get(given, p->key), pos, &value))
		return;
	var = (struct vars){.name = p->key, .value = value,
			    .up = c->vars, .given = value_get(given, p->key) != NULL};
	c->vars = &var;
	with_parameters(c, f, next + 1, given, pos);
	c->vars = var.up;
}

/* @given: a map of values without variables, or NULL. */
static void instantiate(struct compiler *c, const char *name, const struct value *given,
			struct pos pos)
{
	const struct fragment *f = fragment_find(c, name, pos), *before = c->fragment;
	struct pos use_before = c->diag->use;
	struct vars outer = {.name = "", .hides_outer = true, .up = c->vars};
	const char *within_before = c->diag->within;
	struct origin origin = c->origin;

	if (!f)
		return;
	if (c->depth >= SCENARIO_NESTED_MAX) {
		diag_add(c->diag, pos, NULL, "fragments are nested more than %d deep",
			 SCENARIO_NESTED_MAX);
		return;
	}
	unknown_parameters(c, f, value_get(f->root, "parameters"), given);
	if (!before) {
		c->origin.pos = pos;
		c->diag->use = pos;
	}
	c->depth++;
	/* c->fragments may move while steps load other fragments, so this keeps a copy. The root stays. */
	c->fragment = &(struct fragment){.name = f->name, .path = f->path, .file = f->file,
					 .root = f->root};
	c->vars = &outer;
	with_parameters(c, c->fragment, 0, given, pos);
	c->vars = outer.up;
	c->fragment = before;
	c->depth--;
	c->diag->within = within_before;
	c->diag->use = use_before;
	c->origin = origin;
}

static void use_one(struct compiler *c, const char *name, const struct value *params,
		    struct pos pos)
{
	auto_value struct value *given = value_dup(params);

	if (given->type == VALUE_NULL) {
		value_free(given);
		given = value_map();
	}
	if (given->type != VALUE_MAP) {
		diag_add(c->diag, params->pos, NULL, "'use' takes {FRAGMENT: {PARAMETER: VALUE}}");
		return;
	}
	if (compile_expand_value(c, &given))
		instantiate(c, name, given, pos);
}

void compile_expand_use(struct compiler *c, const struct value *use)
{
	static const struct value nothing = {.type = VALUE_NULL};
	size_t i;

	if (use->type == VALUE_STRING && *use->s)
		use_one(c, use->s, &nothing, use->pos);
	else if (use->type == VALUE_LIST && use->list.count)
		for (i = 0; i < use->list.count; i++)
			compile_expand_use(c, use->list.item[i]);
	else if (use->type == VALUE_MAP && use->map.count)
		for (i = 0; i < use->map.count; i++)
			use_one(c, use->map.member[i].key, use->map.member[i].value,
				use->map.member[i].pos);
	else
		diag_add(c->diag, use->pos, NULL, "'use' takes a fragment, {FRAGMENT: {...}} or a "
			 "list of them");
}

void compile_expand_instances(struct compiler *c, const struct value_member *head)
{
	const struct value_member *m;
	size_t i;

	if (head->value->type != VALUE_MAP || !head->value->map.count) {
		diag_add(c->diag, head->value->pos, NULL, "'%s' takes a map of names", head->key);
		return;
	}
	for (i = 0; i < head->value->map.count; i++) {
		auto_value struct value *given = NULL;

		m = &head->value->map.member[i];
		if (m->value->type != VALUE_MAP && m->value->type != VALUE_NULL) {
			diag_add(c->diag, m->value->pos, NULL, "'%s' takes a map of parameters",
				 m->key);
			continue;
		}
		given = m->value->type == VALUE_MAP ? value_dup(m->value) : value_map();
		if (!compile_expand_value(c, &given))
			continue;
		if (!scenario_is_name(m->key)) {
			diag_add(c->diag, m->pos, NULL,
				 "'%s' is not a name: use lower-case letters, digits and _", m->key);
			continue;
		}
		value_set_string(given, "name", m->key);
		value_member(given, "name")->value->pos = m->pos;
		instantiate(c, head->key, given, m->pos);
	}
}

static struct value *describe_parameter(const struct value_member *p)
{
	const struct value *fallback = value_get(p->value, "default");
	struct value *m = value_map();

	value_set_string(m, "name", p->key);
	value_set_string(m, "doc", value_get_string(p->value, "doc", ""));
	value_set_bool(m, "required", value_get_bool(p->value, "required", false));
	if (fallback)
		value_set(m, "default", value_dup(fallback));
	if (value_get(p->value, "values"))
		value_set(m, "values", value_dup(value_get(p->value, "values")));
	return m;
}

struct value *fragment_describe(const char *text, size_t len, struct diagnostics *diag)
{
	auto_value struct value *root = yaml_read(text, len, diag);
	struct value *m, *list;
	const struct value *params;
	size_t i;

	if (!root || !fragment_shape(diag, root))
		return NULL;
	m = value_map();
	list = value_list();
	params = value_get(root, "parameters");
	for (i = 0; params && i < params->map.count; i++)
		value_append(list, describe_parameter(&params->map.member[i]));
	value_set_string(m, "fragment", value_get_string(root, "fragment", ""));
	value_set(m, "parameters", list);
	return m;
}
