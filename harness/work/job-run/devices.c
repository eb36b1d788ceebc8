/* SPDX-License-Identifier: BSD-2-Clause */
#include "job-run/devices.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/match.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "fabric/fabric.h"
#include "names/abilities.h"
#include "names/device-words.h"
#include "net/rdma-driver.h"
#include "plan/plan.h"

/* The steps that need an answer of the peer's device. */
static const char *const meeting[] = {
	"connect", "accept", "reject", "get_request", "join_multicast", "post_send", "post_send_list", "wr_post", "handshake_connect",
	"run", "start", "litmus",
};

static const char *step_that_meets(const struct variant *v)
{
	size_t i, k;

	for (i = 0; i < v->item_count; i++)
		for (k = 0; k < ARRAY_SIZE(meeting); k++)
			if (!strcmp(v->items[i].kind->name, meeting[k]))
				return meeting[k];
	return NULL;
}

/* Hosts a and another one whose first devices speak different protocols. */
static char *apart(const struct device_words *run, const struct variant *v)
{
	const struct device_type *first = device_words_of(run, 0).first, *type;
	const char *step;
	char name[8];
	int i;

	for (i = 1; i < v->hosts; i++) {
		type = device_words_of(run, i).first;
		if (v->scripted >> i & 1 || type->by_cm == first->by_cm)
			continue;
		step = step_that_meets(v);
		host_name(i, name);
		return step ? xasprintf("the step %s needs a peer, and the devices of host a (%s) and host %s (%s) have different transports",
					step, first->name, name, type->name) : NULL;
	}
	return NULL;
}

/* rdma_driver_is_there() takes half a second on an emulated processor. */
static bool has_driver(size_t type)
{
	static struct {
		bool asked, is_there;
	} known[DEVICE_TYPES_MAX];

	if (!known[type].asked)
		known[type].is_there = rdma_driver_is_there(device_type_nth(type));
	known[type].asked = true;
	return known[type].is_there;
}

char *devices_forbid(const struct device_words *run, const struct variant *v)
{
	auto_free char *words = v->devices ? device_words_text(v->devices, v->hosts) : NULL;
	const struct device_type *type;
	size_t i;

	if (!words)
		return apart(run, v);
	for (i = 0; (type = device_type_nth(i)); i++)
		if (device_words_have(v->devices, v->hosts, type) && !has_driver(i))
			return xasprintf("needs %s in this kernel, for hosts with the devices %s", type->module, words);
	return NULL;
}

static size_t number_of(const struct device_type *type)
{
	size_t i;

	for (i = 0; device_type_nth(i) && device_type_nth(i) != type; i++)
		;
	return i;
}

/* Machines may have a device of another type than ours; each is asked once. */
static bool ask_type(struct devices_can *can, struct fabric *fabric, int host, bool second, bool used[DEVICE_TYPES_MAX],
		     struct vbm_error *err)
{
	const struct device_type *type = second ? fabric_second_type(fabric, host) : fabric_host(fabric, host)->type;
	size_t n = type ? number_of(type) : 0;

	used[n] = true;
	if (!can->of[n])
		can->of[n] = second ? fabric_abilities_of_second(fabric, host, err) : fabric_abilities(fabric, host, err);
	return can->of[n];
}

static void put_together(struct devices_can *can, const bool used[DEVICE_TYPES_MAX], bool any)
{
	struct text words = {0};
	size_t i, k, asked, have;

	text_add(&words, "");
	for (i = 0; i < ABILITY_COUNT; i++) {
		for (k = 0, asked = 0, have = 0; k < DEVICE_TYPES_MAX; k++) {
			asked += used[k];
			have += used[k] && match_word(can->of[k], ability_name((enum ability)i));
		}
		if (any ? have > 0 : have == asked)
			text_addf(&words, "%s%s", words.len ? " " : "", ability_name((enum ability)i));
	}
	free(can->together);
	can->together = words.s;
}

const char *devices_can(struct devices_can *can, struct fabric *fabric, bool any, struct vbm_error *err)
{
	bool used[DEVICE_TYPES_MAX] = {false};
	int i, hosts = fabric_layout(fabric) == LAYOUT_MACHINES ? 1 : fabric_host_count(fabric);

	for (i = 0; i < hosts; i++) {
		if (fabric_is_scripted(fabric, i))
			continue;
		if (!ask_type(can, fabric, i, false, used, err) ||
		    (any && fabric_second_type(fabric, i) && !ask_type(can, fabric, i, true, used, err)))
			return NULL;
	}
	put_together(can, used, any);
	return can->together;
}

char *devices_unopened(struct devices_can *can, struct fabric *fabric, const struct variant *v)
{
	auto_free char *words = device_words_text(v->devices, v->hosts);
	struct vbm_error err;

	return devices_can(can, fabric, true, &err) ? NULL :
	       xasprintf("needs hosts with the devices %s, and %s; has this rdma-core the provider?", words, err.msg);
}

void devices_can_fini(struct devices_can *can)
{
	size_t i;

	for (i = 0; i < DEVICE_TYPES_MAX; i++)
		free(can->of[i]);
	free(can->together);
}
