/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "names/device-words.h"
#include "plan/plan.h"

#define ITEMS_MAX 65536
#define HOSTS_MAX 64
#define NAMED_HOSTS 26	/* hosts that steps can name: a to z */

static const char *const modes[] = {
	[ITEM_ANSWER] = "answer", [ITEM_NOTHING] = "nothing", [ITEM_UNTIL] = "until",
};

/* A member without a type here is checked by the function that reads it. */
#define NUMBER(name) {name, VALUE_INT}
#define FLAG(name) {name, VALUE_BOOL}
#define TEXT(name) {name, VALUE_STRING}
#define LIST(name) {name, VALUE_LIST}
#define OTHER(name) {name, VALUE_NULL}

static const struct plan_member variant_members[] = {
	NUMBER("number"), TEXT("name"), TEXT("id"), TEXT("title"), TEXT("path"), OTHER("clauses"),
	OTHER("specs"), OTHER("needs"), NUMBER("hosts"), FLAG("routed"), OTHER("script"), TEXT("devices"), NUMBER("ip"), OTHER("services"),
	OTHER("known"), TEXT("crashes"), OTHER("actors"), OTHER("items"), {0},
};

static const struct plan_member item_members[] = {
	NUMBER("actor"), TEXT("step"), LIST("at"), TEXT("fragment"), LIST("fragment_at"),
	TEXT("round"), OTHER("args"), LIST("args_at"), OTHER("expect"), LIST("expect_at"),
	OTHER("outcomes"), LIST("outcomes_at"), TEXT("mode"), TEXT("death"), TEXT("as"),
	TEXT("note"), NUMBER("deadline_ms"), NUMBER("group"), NUMBER("either"), {0},
};

static const struct plan_member known_members[] = {
	TEXT("field"), TEXT("step"), TEXT("got"), TEXT("round"), {0},
};

static struct value *text_or_null(const char *s)
{
	return s ? value_string(s) : value_null();
}

static void put_pos(struct value *list, struct pos pos)
{
	value_append(list, value_int(pos.line));
	value_append(list, value_int(pos.col));
	value_append(list, value_int(pos.file));
}

static struct value *pos_value(struct pos pos)
{
	struct value *list = value_list();

	put_pos(list, pos);
	return list;
}

static bool get_pos(const struct value *list, size_t at, struct pos *pos)
{
	int *part[3] = {&pos->line, &pos->col, &pos->file};
	const struct value *v;
	size_t i;

	for (i = 0; i < 3; i++) {
		if (!list || list->type != VALUE_LIST || at + i >= list->list.count)
			return false;
		v = list->list.item[at + i];
		if (v->type != VALUE_INT || v->i < 0 || v->i > INT32_MAX)
			return false;
		*part[i] = (int)v->i;
	}
	return true;
}

/* A position that may be missing. */
static bool may_get_pos(const struct value *map, const char *key, struct pos *pos)
{
	const struct value *list = value_get(map, key);

	return !list || get_pos(list, 0, pos);
}

/* Writes the positions of a value and of all values in it, the outer one first. */
static void put_positions(struct value *list, const struct value *v)
{
	size_t i;

	put_pos(list, v->pos);
	for (i = 0; v->type == VALUE_LIST && i < v->list.count; i++)
		put_positions(list, v->list.item[i]);
	for (i = 0; v->type == VALUE_MAP && i < v->map.count; i++)
		put_positions(list, v->map.member[i].value);
}

static bool get_positions(const struct value *list, size_t *at, struct value *v)
{
	size_t i;

	if (!get_pos(list, *at, &v->pos))
		return false;
	*at += 3;
	for (i = 0; v->type == VALUE_LIST && i < v->list.count; i++)
		if (!get_positions(list, at, v->list.item[i]))
			return false;
	for (i = 0; v->type == VALUE_MAP && i < v->map.count; i++)
		if (!get_positions(list, at, v->map.member[i].value))
			return false;
	return true;
}

static void put_tree(struct value *map, const char *key, const char *at, const struct value *v)
{
	struct value *positions;

	if (!v)
		return;
	positions = value_list();
	put_positions(positions, v);
	value_set(map, key, value_dup(v));
	value_set(map, at, positions);
}

/* In JSON an expression is {"$": "..."}. */
static void restore_exprs(struct value **slot)
{
	struct value *v = *slot;
	const char *text;
	size_t i;

	if (v->type == VALUE_MAP && v->map.count == 1) {
		text = value_get_string(v, "$", NULL);
		if (text) {
			*slot = value_expr_take(xstrdup(text));
			value_free(v);
			return;
		}
	}
	for (i = 0; v->type == VALUE_LIST && i < v->list.count; i++)
		restore_exprs(&v->list.item[i]);
	for (i = 0; v->type == VALUE_MAP && i < v->map.count; i++)
		restore_exprs(&v->map.member[i].value);
}

static int get_tree(const struct value *map, const char *key, const char *at,
		    enum value_type type, struct value **out, struct vbm_error *err)
{
	const struct value *v = value_get(map, key);
	size_t n = 0;

	if (!v)
		return 0;
	*out = value_dup(v);
	restore_exprs(out);
	if ((*out)->type != type)
		return vbm_fail(err, EINVAL, "\"%s\" is not a %s", key, value_type_name(type));
	if (value_get(map, at) && !get_positions(value_get(map, at), &n, *out))
		return vbm_fail(err, EINVAL, "\"%s\" does not fit \"%s\"", at, key);
	return 0;
}

static struct value *death_value(int death)
{
	return value_string(death == DEATH_NONE ? "none" : sigabbrev_np(death));
}

static int death_parse(const char *text)
{
	int sig;

	if (strcmp(text, "none") == 0)
		return DEATH_NONE;
	for (sig = 1; sig < NSIG; sig++)
		if (sigabbrev_np(sig) && strcmp(sigabbrev_np(sig), text) == 0)
			return sig;
	return DEATH_UNSAID;
}

static struct value *item_to_value(const struct item *it)
{
	struct value *m = value_map();

	value_set_int(m, "actor", it->actor);
	value_set_string(m, "step", it->kind->name);
	value_set(m, "at", pos_value(it->origin.pos));
	if (it->origin.fragment) {
		value_set_string(m, "fragment", it->origin.fragment);
		value_set(m, "fragment_at", pos_value(it->origin.fragment_pos));
	}
	if (it->origin.round)
		value_set_string(m, "round", it->origin.round);
	value_set(m, "args", value_dup(it->args));
	put_tree(m, "expect", "expect_at", it->expect);
	put_tree(m, "outcomes", "outcomes_at", it->outcomes);
	if (it->mode != ITEM_ANSWER)
		value_set_string(m, "mode", modes[it->mode]);
	if (it->death != DEATH_UNSAID)
		value_set(m, "death", death_value(it->death));
	if (it->as)
		value_set_string(m, "as", it->as);
	if (it->note)
		value_set_string(m, "note", it->note);
	value_set_int(m, "deadline_ms", it->deadline_ms);
	if (it->group)
		value_set_int(m, "group", it->group);
	if (it->either)
		value_set_int(m, "either", it->either);
	return m;
}

static char *dup_text(const struct value *m, const char *key)
{
	const char *s = value_get_string(m, key, NULL);

	return s ? xstrdup(s) : NULL;
}

/* Reads @key of @m, and fails if the number does not fit an int. */
static bool get_int(const struct value *m, const char *key, int64_t fallback, int min, int *out)
{
	int64_t i = value_get_int(m, key, fallback);

	if (i < min || i > INT_MAX)
		return false;
	*out = (int)i;
	return true;
}

static int read_mode(struct item *it, const struct value *m, struct vbm_error *err)
{
	const char *mode = value_get_string(m, "mode", "answer");
	const char *death = value_get_string(m, "death", NULL);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(modes) && strcmp(modes[i], mode); i++)
		;
	if (i == ARRAY_SIZE(modes))
		return vbm_fail(err, EINVAL, "there is no mode '%s'", mode);
	it->mode = (enum item_mode)i;
	it->death = death ? death_parse(death) : DEATH_UNSAID;
	if (death && it->death == DEATH_UNSAID)
		return vbm_fail(err, EINVAL, "there is no signal '%s'", death);
	return 0;
}

static int item_from_value(struct item *it, const struct variant *v, const struct value *m,
			   struct vbm_error *err)
{
	const char *step = value_get_string(m, "step", "");
	int64_t actor = value_get_int(m, "actor", -1);
	int ret;

	if (sound_members_check(m, item_members, err) < 0)
		return -EINVAL;
	it->kind = step_find(step);
	if (!it->kind)
		return vbm_fail(err, EINVAL, "there is no step '%s'", step);
	if (actor < 0 || actor >= (int64_t)v->actor_count)
		return vbm_fail(err, EINVAL, "the number of the actor is out of its limits");
	it->actor = (int)actor;
	if (!may_get_pos(m, "at", &it->origin.pos) ||
	    !may_get_pos(m, "fragment_at", &it->origin.fragment_pos))
		return vbm_fail(err, EINVAL, "\"at\" or \"fragment_at\" is not a line, a column and a file");
	it->origin.fragment = dup_text(m, "fragment");
	it->origin.round = dup_text(m, "round");
	it->as = dup_text(m, "as");
	it->note = dup_text(m, "note");
	if (!get_int(m, "deadline_ms", 0, 1, &it->deadline_ms) ||
	    !get_int(m, "group", 0, 0, &it->group) || !get_int(m, "either", 0, 0, &it->either) ||
	    (it->either && !value_get(m, "outcomes")))
		return vbm_fail(err, EINVAL, "a number is missing or out of its limits");
	ret = read_mode(it, m, err);
	if (ret == 0)
		ret = get_tree(m, "args", "args_at", VALUE_MAP, &it->args, err);
	if (ret == 0 && !it->args)
		it->args = value_map();
	if (ret == 0)
		ret = get_tree(m, "expect", "expect_at", VALUE_MAP, &it->expect, err);
	if (ret == 0)
		ret = get_tree(m, "outcomes", "outcomes_at", VALUE_LIST, &it->outcomes, err);
	return ret;
}

static struct value *scripted_names(const struct variant *v)
{
	struct value *names = value_list();
	char name[2] = "";
	int i;

	for (i = 0; i < v->hosts && i < NAMED_HOSTS; i++) {
		name[0] = (char)('a' + i);
		if (v->scripted >> i & 1)
			value_append(names, value_string(name));
	}
	return names;
}

struct value *variant_to_value(const struct variant *v)
{
	struct value *m = value_map(), *actors = value_list(), *items = value_list();
	size_t i;

	value_set_int(m, "number", (int64_t)v->number);
	value_set(m, "name", text_or_null(v->name));
	value_set(m, "id", text_or_null(v->id));
	value_set(m, "title", text_or_null(v->title));
	value_set(m, "path", text_or_null(v->path));
	value_set(m, "clauses", v->clauses ? value_dup(v->clauses) : value_list());
	value_set(m, "specs", v->specs ? value_dup(v->specs) : value_list());
	value_set(m, "needs", v->needs ? value_dup(v->needs) : value_list());
	value_set_int(m, "hosts", v->hosts);
	if (v->routed)
		value_set_bool(m, "routed", true);
	if (v->scripted)
		value_set(m, "script", scripted_names(v));
	if (v->devices)
		value_set(m, "devices", value_string_take(device_words_text(v->devices, v->hosts)));
	value_set_int(m, "ip", v->ip);
	value_set(m, "services", v->services ? value_dup(v->services) : value_map());
	if (v->known)
		value_set(m, "known", value_dup(v->known));
	if (v->crashes)
		value_set_string(m, "crashes", v->crashes);
	for (i = 0; i < v->actor_count; i++)
		value_append(actors, value_string(v->actors[i].name));
	value_set(m, "actors", actors);
	for (i = 0; i < v->item_count; i++)
		value_append(items, item_to_value(&v->items[i]));
	value_set(m, "items", items);
	return m;
}

static int read_actor(struct variant *v, const struct value *name, struct vbm_error *err)
{
	const char *s = name->type == VALUE_STRING ? name->s : "";
	int host = s[0] - 'a', number = 0;
	size_t count = v->actor_count;

	if (strcmp(s, "wire") == 0)
		host = ACTOR_WIRE;
	else if (s[0] && s[1] == '.' && s[2] > '0' && s[2] < '0' + ACTORS_PER_HOST && !s[3])
		number = s[2] - '0';
	else if (!s[0] || s[1])
		host = HOSTS_MAX;
	if (host != ACTOR_WIRE && (host < 0 || host >= v->hosts))
		return vbm_fail(err, EINVAL, "'%s' is not an actor: there are %d hosts", s, v->hosts);
	variant_actor(v, host, number);
	return v->actor_count == count ? vbm_fail(err, EINVAL, "actor '%s' is there twice", s) : 0;
}

static bool list_of_texts(const struct value *list)
{
	size_t i;

	if (!list || list->type != VALUE_LIST)
		return false;
	for (i = 0; i < list->list.count; i++)
		if (list->list.item[i]->type != VALUE_STRING)
			return false;
	return true;
}

static int read_known(struct variant *v, const struct value *list, struct vbm_error *err)
{
	size_t i;

	if (!list)
		return 0;
	for (i = 0; list->type == VALUE_LIST && i < list->list.count; i++) {
		if (!value_get_string(list->list.item[i], "field", NULL))
			break;
		if (sound_members_check(list->list.item[i], known_members, err) < 0)
			return vbm_wrap(err, "%s: \"known\"", v->name);
	}
	if (list->type != VALUE_LIST || i < list->list.count)
		return vbm_fail(err, EINVAL, "%s: \"known\" is not a list of failures", v->name);
	v->known = value_dup(list);
	return 0;
}

/* Host a always has a device. */
static int read_scripted(struct variant *v, const struct value *names, struct vbm_error *err)
{
	const char *name;
	size_t i;

	if (!names)
		return 0;
	if (!list_of_texts(names))
		return vbm_fail(err, EINVAL, "%s: \"script\" is not a list of hosts", v->name);
	for (i = 0; i < names->list.count; i++) {
		name = names->list.item[i]->s;
		if (!name[0] || name[1] || name[0] <= 'a' || name[0] > 'z' || name[0] - 'a' >= v->hosts)
			return vbm_fail(err, EINVAL, "%s: host '%s' cannot be without a device", v->name, name);
		v->scripted |= 1ULL << (name[0] - 'a');
	}
	return 0;
}

static int read_devices(struct variant *v, const struct value *m, struct vbm_error *err)
{
	const char *text = value_get_string(m, "devices", NULL);

	if (!text)
		return 0;
	v->devices = xcalloc(1, sizeof(*v->devices));
	if (device_words_read(v->devices, text, err) < 0 || device_words_fit(v->devices, v->hosts, err) < 0)
		return vbm_wrap(err, "%s: \"devices\"", v->name);
	return 0;
}

static int read_head(struct variant *v, const struct value *m, struct vbm_error *err)
{
	const char *const lists[] = {"clauses", "specs", "needs"};
	struct value **const slot[] = {&v->clauses, &v->specs, &v->needs};
	const struct value *services = value_get(m, "services");
	size_t i;

	v->number = (size_t)value_get_int(m, "number", 0);
	v->name = dup_text(m, "name");
	v->id = dup_text(m, "id");
	v->title = dup_text(m, "title");
	v->path = dup_text(m, "path");
	if (!v->name || !v->id || !v->title || !v->path)
		return vbm_fail(err, EINVAL, "a variant needs name, id, title and path");
	if (sound_members_check(m, variant_members, err) < 0)
		return vbm_wrap(err, "%s", v->name);
	if (!get_int(m, "hosts", 0, 1, &v->hosts) || v->hosts > HOSTS_MAX ||
	    !get_int(m, "ip", 4, 0, &v->ip) || (v->ip != 4 && v->ip != 6))
		return vbm_fail(err, EINVAL, "%s: \"hosts\" or \"ip\" is out of its limits", v->name);
	v->routed = value_get_bool(m, "routed", false);
	v->crashes = dup_text(m, "crashes");
	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		if (!list_of_texts(value_get(m, lists[i])))
			return vbm_fail(err, EINVAL, "%s: \"%s\" is not a list of texts", v->name,
					lists[i]);
		*slot[i] = value_dup(value_get(m, lists[i]));
	}
	if (!services || services->type != VALUE_MAP)
		return vbm_fail(err, EINVAL, "%s: \"services\" is not a map", v->name);
	v->services = value_dup(services);
	restore_exprs(&v->services);
	if (read_scripted(v, value_get(m, "script"), err) < 0 || read_devices(v, m, err) < 0)
		return -err->code;
	return read_known(v, value_get(m, "known"), err);
}

static int read_parts(struct variant *v, const struct value *m, struct vbm_error *err)
{
	const struct value *actors = value_get(m, "actors"), *items = value_get(m, "items");
	int ret = 0;
	size_t i;

	if (!actors || actors->type != VALUE_LIST || !items || items->type != VALUE_LIST ||
	    items->list.count > ITEMS_MAX)
		return vbm_fail(err, EINVAL, "%s: \"actors\" and \"items\" are not lists", v->name);
	if (!items->list.count)
		return vbm_fail(err, EINVAL, "%s: a scenario without a step proves nothing", v->name);
	for (i = 0; ret == 0 && i < actors->list.count; i++)
		ret = read_actor(v, actors->list.item[i], err);
	v->items = xcalloc(items->list.count + 1, sizeof(*v->items));
	for (i = 0; ret == 0 && i < items->list.count; i++) {
		v->item_count++;
		ret = item_from_value(&v->items[i], v, items->list.item[i], err);
		if (ret < 0)
			vbm_wrap(err, "item %zu", i);
	}
	if (ret == 0)
		ret = variant_check(v, err);
	return ret < 0 ? vbm_wrap(err, "%s", v->name) : 0;
}

int variant_from_value(struct variant *out, const struct value *m, struct vbm_error *err)
{
	int ret;

	*out = (struct variant){0};
	ret = read_head(out, m, err);
	if (ret == 0)
		ret = read_parts(out, m, err);
	if (ret < 0)
		variant_fini(out);
	return ret;
}

struct value *plan_to_value(const struct plan *plan)
{
	struct value *m = value_map(), *list = value_list();
	size_t i;

	for (i = 0; i < plan->count; i++)
		value_append(list, variant_to_value(&plan->item[i]));
	value_set_int(m, "verbatim-plan", PLAN_FORMAT);
	value_set(m, "variants", list);
	return m;
}

int plan_from_value(struct plan *out, const struct value *m, struct vbm_error *err)
{
	const struct value *list = value_get(m, "variants");
	int ret = 0;
	size_t i;

	*out = (struct plan){0};
	if (value_get_int(m, "verbatim-plan", 0) != PLAN_FORMAT)
		return vbm_fail(err, EINVAL, "not a plan of this version (\"verbatim-plan\": %d)",
				PLAN_FORMAT);
	if (!list || list->type != VALUE_LIST)
		return vbm_fail(err, EINVAL, "\"variants\" is not a list");
	if (!list->list.count)
		return vbm_fail(err, EINVAL, "a plan without a variant proves nothing");
	out->item = xcalloc(list->list.count + 1, sizeof(*out->item));
	for (i = 0; ret == 0 && i < list->list.count; i++) {
		ret = variant_from_value(&out->item[i], list->list.item[i], err);
		out->count += ret == 0;
	}
	if (ret < 0)
		plan_fini(out);
	return ret;
}
