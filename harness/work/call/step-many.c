/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "call/many.h"

/*
 * Makes many objects of one kind, to reach a limit of the device. No other object
 * refers to one of them, so their numbers are not kept apart (numbering.h).
 */

struct many_object {
	struct object base;
	struct making making;
	const struct many_kind *kind;
	void **thing;		/* owned */
	size_t count;
};

/* Destroys the objects, newest first. Stops at the first error and returns it. */
static int unmake_all(struct many_object *o)
{
	int ret = 0;

	while (o->count && ret == 0) {
		ret = o->kind->unmake(&o->making, o->thing[o->count - 1], o->count - 1);
		if (ret == 0)
			o->count--;
	}
	return ret;
}

static int many_release(struct object *o)
{
	return unmake_all((struct many_object *)o);
}

static void many_discard(struct object *o)
{
	free(((struct many_object *)o)->thing);
}

static int compare_keys(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* How many different keys the things have. */
static int64_t count_keys(const struct many_object *o, uint32_t (*key)(const void *thing))
{
	uint32_t *keys = xcalloc(o->count + 1, sizeof(*keys));
	int64_t different = o->count > 0;
	size_t i;

	for (i = 0; i < o->count; i++)
		keys[i] = key(o->thing[i]);
	qsort(keys, o->count, sizeof(*keys), compare_keys);
	for (i = 1; i < o->count; i++)
		different += keys[i] != keys[i - 1];
	free(keys);
	return different;
}

STEP(run_make_many)
{
	const struct many_kind *kind = many_arg_kind(args, err);
	size_t n = (size_t)value_get_int(args, "count", 1);
	struct many_object *o;
	struct making m;
	void *thing = NULL;

	if (!kind || many_arg_making(ctx, args, kind, &m, err) < 0)
		return -err->code;
	o = xcalloc(1, sizeof(*o));
	o->making = m;
	o->kind = kind;
	o->thing = xcalloc(n, sizeof(*o->thing));
	o->base.release = many_release;
	o->base.discard = many_discard;
	do {
		errno = 0;
		thing = kind->make(&m, o->count);
		if (thing)
			o->thing[o->count++] = thing;
	} while (thing && o->count < n);
	put_pointer(result, thing);
	value_set_int(result, "made", (int64_t)o->count);
	if (kind->lkey)
		value_set_int(result, "lkeys", count_keys(o, kind->lkey));
	if (kind->rkey)
		value_set_int(result, "rkeys", count_keys(o, kind->rkey));
	step_keep_object(ctx, &o->base, OBJECT_MANY);
	return 0;
}

STEP(run_destroy_many)
{
	struct many_object *o = (struct many_object *)arg_object(ctx, args, "many", OBJECT_MANY, err);
	int ret;

	if (!o)
		return -err->code;
	ret = unmake_all(o);
	put_errval(result, ret);
	value_set_int(result, "left", (int64_t)o->count);
	if (ret == 0)
		objects_forget(ctx->objects, &o->base);
	return 0;
}

#define COUNT_MAX (1 << 20)
#define DEADLINE_MANY_MS 30000

static const struct param make_params[] = {
	P_MANY("PD, CQ, MR, MW, AH, SRQ or QP (UD), each of the smallest size; MEMBER: a queue pair that is attached to the "
	       "group; GROUP: a group to which qp is attached; DEVICE: the open device once more; COMP_CHANNEL; EVENT_CHANNEL"),
	P_INT("count", 1, COUNT_MAX, "how many objects; default 1"),
	{NULL},
};
static const struct field make_fields[] = {
	F_CONST("return", &const_pointer, "whether the last call returned a pointer or NULL"),
	F_ERRNO,
	F_INT("made", "how many objects were made: all, or those before the first failure"),
	F_INT("lkeys", "how many different lkeys the regions have; absent for other kinds"),
	F_INT("rkeys", "how many different rkeys the regions have; absent for other kinds"),
	{NULL},
};
static const struct param destroy_params[] = {
	P_OBJECT("many", OBJECT_MANY, "the objects; default: many, or the only ones"),
	{NULL},
};
static const struct field destroy_fields[] = {
	F_CONST("return", &const_errno, "0, or the errno value of the first call that failed"),
	F_INT("left", "how many objects could not be destroyed"),
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "make_many", .call = "ibv_query_device(3)",
	 .doc = "Make many objects of a kind, until there are enough or a call fails.",
	 .params = make_params, .fields = make_fields, .makes = OBJECT_MANY, .ok = 1,
	 .deadline_ms = DEADLINE_MANY_MS, .run = run_make_many},
	{.name = "destroy_many", .call = "ibv_query_device(3)",
	 .doc = "Destroy the objects that make_many made.", .params = destroy_params,
	 .fields = destroy_fields, .deadline_ms = DEADLINE_MANY_MS, .run = run_destroy_many},
	{NULL},
};

const struct step_family family_many = {
	"many", "Many objects of a kind, to reach the limits of a device.", steps, .only_objects = true
};
