/* SPDX-License-Identifier: BSD-2-Clause */
#include "machines/machine-fabric.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "fabric/fabric-priv.h"
#include "machines/machine-fabric-priv.h"
#include "lib/base/fail.h"
#include "names/device-types.h"

static void close_lines(struct fabric *fabric)
{
	struct machines *far = fabric->machines;
	int i;

	for (i = 0; i < far->machines; i++) {
		machine_line_close(far->at[i].there);
		value_free(far->at[i].described);
	}
	free(far);
}

static bool is_clean(struct fabric *fabric, unsigned parts, struct value *left)
{
	struct machines *far = fabric->machines;
	struct vbm_error err = {0};
	struct value *q, *answer;
	bool clean = true;
	size_t k;
	int i;

	for (i = 0; i < fabric->count; i++) {
		q = machine_question("clean");
		value_set_int(q, "parts", parts);
		clean &= machine_line_post(far->at[i].there, q, &err) == 0;
	}
	for (i = 0; i < fabric->count; i++) {
		const struct value *texts;

		if (machine_line_answer(far->at[i].there, &answer, ASK_MS, &err) < 0) {
			clean = false;
			continue;
		}
		texts = value_get(answer, "left");
		for (k = 0; texts && k < texts->list.count; k++) {
			clean = false;
			if (left)
				value_append(left, value_dup(texts->list.item[k]));
		}
		value_free(answer);
	}
	return clean;
}

/*
 * The first machine whose connection needs its interface, or may need it; -1: none. The machines share their links, so a
 * change at another machine may end this connection, too.
 */
static int carrying(const struct machines *far)
{
	int i;

	for (i = 0; i < far->machines; i++)
		if (value_get(far->at[i].described, "carries"))
			return i;
	return -1;
}

char *machines_stays(const struct fabric *fabric, int i, enum machine_part part)
{
	const struct machines *far = fabric->machines;
	const struct value *v = far->at[i].described;
	const char *name = fabric->host[i].info.name, *driver = value_get_string(v, "driver", "");
	const char *no_right = value_get_string(v, "no_right", NULL);
	int carrier = carrying(far);

	if (!far->may_disturb)
		return xstrdup("Verbatim does not change your machines; --may-disturb lets a scenario change them until it ends");
	if (no_right)
		return xasprintf("machine %s: %s", name, no_right);
	if (part == MACHINE_SETTINGS && carrier >= 0)
		return xasprintf("machine %s: %s", fabric->host[carrier].info.name,
				 value_get_string(far->at[carrier].described, "carries", ""));
	if (part == MACHINE_DEVICE && !device_type_find(driver))
		return xasprintf("machine %s: Verbatim could not restore its device %s, which the driver %s found in hardware", name,
				 fabric->host[i].info.dev, driver);
	return NULL;
}

static char *get_abilities(struct fabric *fabric, int i, struct vbm_error *err)
{
	struct machines *far = fabric->machines;

	(void)err;
	return xstrdup(value_get_string(far->at[i].described, "can", ""));
}

static const struct value *list_of(const struct value *answer, const char *key)
{
	static const struct value none = {.type = VALUE_LIST};
	const struct value *v = value_get(answer, key);

	return v && v->type == VALUE_LIST ? v : &none;
}

static int list_listeners(struct fabric *fabric, int i, void (*fn)(int pid, void *arg), void *arg, struct vbm_error *err)
{
	auto_value struct value *answer = NULL;
	int ret = machine_line_ask(fabric->machines->at[i].there, machine_question("listeners"), &answer, ASK_MS, err);
	const struct value *list = list_of(answer, "list");
	size_t k;

	for (k = 0; ret == 0 && k < list->list.count; k++)
		if (list->list.item[k]->type == VALUE_INT)
			fn((int)list->list.item[k]->i, arg);
	return ret;
}

static int list_objects(struct fabric *fabric, int i, void (*fn)(const struct rdma_object *object, void *arg), void *arg,
		struct vbm_error *err)
{
	auto_value struct value *answer = NULL;
	int ret = machine_line_ask(fabric->machines->at[i].there, machine_question("objects"), &answer, ASK_MS, err);
	const struct value *list = list_of(answer, "list"), *v;
	struct rdma_object o;
	size_t k;

	for (k = 0; ret == 0 && k < list->list.count; k++) {
		v = list->list.item[k];
		o = (struct rdma_object){
			.is_qp = value_get_bool(v, "is_qp", false),
			.number = (uint32_t)value_get_int(v, "number", 0),
			.peer = (uint32_t)value_get_int(v, "peer", 0),
			.type = value_get_string(v, "type", ""),
			.state = value_get_string(v, "state", ""),
			.pid = (int)value_get_int(v, "pid", 0),
			.kernel = value_get_string(v, "kernel", NULL),
		};
		machine_copy_text(o.from, sizeof(o.from), v, "from");
		machine_copy_text(o.to, sizeof(o.to), v, "to");
		fn(&o, arg);
	}
	return ret;
}

static int list_counters(struct fabric *fabric, int i, void (*fn)(const char *name, uint64_t value, void *arg), void *arg,
		 struct vbm_error *err)
{
	auto_value struct value *answer = NULL;
	int ret = machine_line_ask(fabric->machines->at[i].there, machine_question("counters"), &answer, ASK_MS, err);
	size_t k;

	for (k = 0; ret == 0 && answer->type == VALUE_MAP && k < answer->map.count; k++)
		if (answer->map.member[k].value->type == VALUE_INT)
			fn(answer->map.member[k].key, (uint64_t)answer->map.member[k].value->i, arg);
	return ret;
}

struct wanted_counter {
	const char *name;
	uint64_t value;
	bool found;
};

static void match(const char *name, uint64_t value, void *arg)
{
	struct wanted_counter *w = arg;

	if (strcmp(name, w->name))
		return;
	w->value = value;
	w->found = true;
}

static int read_counter(struct fabric *fabric, int i, const char *name, uint64_t *value, struct vbm_error *err)
{
	struct wanted_counter w = {.name = name};
	int ret = list_counters(fabric, i, match, &w, err);

	if (ret == 0 && !w.found)
		return vbm_fail(err, ENOENT, "machine %s has no counter %s", machine_line_name(fabric->machines->at[i].there), name);
	*value = w.value;
	return ret;
}

const struct host_ops machines_answer = {
	.elsewhere = true,
	.close = close_lines,
	.is_clean = is_clean,
	.abilities = get_abilities,
	.listeners = list_listeners,
	.objects = list_objects,
	.counters = list_counters,
	.counter = read_counter,
};
