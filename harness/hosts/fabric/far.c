/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/far.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "fabric/fabric-priv.h"
#include "fabric/far-priv.h"
#include "lib/base/fail.h"
#include "names/device-types.h"

void far_close(struct far *far)
{
	int i;

	if (!far)
		return;
	for (i = 0; i < far->machines; i++) {
		distant_close(far->at[i].distant);
		value_free(far->at[i].described);
	}
	free(far);
}

bool far_is_clean(struct far *far, int hosts, unsigned parts, struct value *left)
{
	struct vbm_error err = {0};
	struct value *q, *answer;
	bool clean = true;
	size_t k;
	int i;

	for (i = 0; i < hosts; i++) {
		q = far_question("clean");
		value_set_int(q, "parts", parts);
		clean &= distant_post(far->at[i].distant, q, &err) == 0;
	}
	for (i = 0; i < hosts; i++) {
		const struct value *texts;

		if (distant_answer(far->at[i].distant, &answer, ASK_MS, &err) < 0) {
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
static int carrying(const struct far *far)
{
	int i;

	for (i = 0; i < far->machines; i++)
		if (value_get(far->at[i].described, "carries"))
			return i;
	return -1;
}

char *far_stays(const struct fabric *fabric, int i, enum far_part part)
{
	const struct far *far = fabric->far;
	const struct value *v = far->at[i].described;
	const char *name = fabric->host[i].info.name, *driver = value_get_string(v, "driver", "");
	const char *no_right = value_get_string(v, "no_right", NULL);
	int carrier = carrying(far);

	if (!far->may_disturb)
		return xstrdup("machines of one's own stay as they are; --may-disturb lets them be changed for the time of a scenario");
	if (no_right)
		return xasprintf("machine %s: %s", name, no_right);
	if (part == FAR_SETTINGS && carrier >= 0)
		return xasprintf("machine %s: %s", fabric->host[carrier].info.name,
				 value_get_string(far->at[carrier].described, "carries", ""));
	if (part == FAR_DEVICE && !device_type_find(driver))
		return xasprintf("machine %s: nobody could make its device %s again, which the driver %s found in hardware", name,
				 fabric->host[i].info.dev, driver);
	return NULL;
}

char *far_abilities(struct far *far, int i, struct vbm_error *err)
{
	(void)err;
	return xstrdup(value_get_string(far->at[i].described, "can", ""));
}

static const struct value *list_of(const struct value *answer, const char *key)
{
	static const struct value none = {.type = VALUE_LIST};
	const struct value *v = value_get(answer, key);

	return v && v->type == VALUE_LIST ? v : &none;
}

int far_listeners(struct far *far, int i, void (*fn)(int pid, void *arg), void *arg, struct vbm_error *err)
{
	auto_value struct value *answer = NULL;
	int ret = distant_ask(far->at[i].distant, far_question("listeners"), &answer, ASK_MS, err);
	const struct value *list = list_of(answer, "list");
	size_t k;

	for (k = 0; ret == 0 && k < list->list.count; k++)
		if (list->list.item[k]->type == VALUE_INT)
			fn((int)list->list.item[k]->i, arg);
	return ret;
}

int far_objects(struct far *far, int i, void (*fn)(const struct rdma_object *object, void *arg), void *arg,
		struct vbm_error *err)
{
	auto_value struct value *answer = NULL;
	int ret = distant_ask(far->at[i].distant, far_question("objects"), &answer, ASK_MS, err);
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
		far_copy_text(o.from, sizeof(o.from), v, "from");
		far_copy_text(o.to, sizeof(o.to), v, "to");
		fn(&o, arg);
	}
	return ret;
}

int far_counters(struct far *far, int i, void (*fn)(const char *name, uint64_t value, void *arg), void *arg,
		 struct vbm_error *err)
{
	auto_value struct value *answer = NULL;
	int ret = distant_ask(far->at[i].distant, far_question("counters"), &answer, ASK_MS, err);
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

int far_counter(struct far *far, int i, const char *name, uint64_t *value, struct vbm_error *err)
{
	struct wanted_counter w = {.name = name};
	int ret = far_counters(far, i, match, &w, err);

	if (ret == 0 && !w.found)
		return vbm_fail(err, ENOENT, "machine %s has no counter %s", distant_name(far->at[i].distant), name);
	*value = w.value;
	return ret;
}
