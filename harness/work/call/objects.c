/* SPDX-License-Identifier: BSD-2-Clause */
#include "call/objects.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "lib/base/fail.h"

struct objects {
	struct object *newest;	/* owned */
	uint64_t serial;	/* of the newest object so far */
};

struct objects *objects_new(void)
{
	return xcalloc(1, sizeof(struct objects));
}

static void free_object(struct object *o)
{
	if (o->discard)
		o->discard(o);
	free(o->name);
	free(o);
}

void objects_free(struct objects *set)
{
	struct object *o;

	if (!set)
		return;
	while ((o = set->newest)) {
		set->newest = o->older;
		if (o->release && !o->part_of)
			o->release(o);
		free_object(o);
	}
	free(set);
}

void objects_add(struct objects *set, struct object *o, const char *name,
		 enum object_kind kind)
{
	struct object *before = objects_find(set, name, OBJECT_NONE);

	if (before) {
		free(before->name);
		before->name = NULL;
	}
	o->name = xstrdup(name);
	o->serial = ++set->serial;
	o->kind = kind;
	o->older = set->newest;
	set->newest = o;
}

static void unlink_object(struct objects *set, struct object *o)
{
	struct object **p = &set->newest;

	while (*p && *p != o)
		p = &(*p)->older;
	if (*p)
		*p = o->older;
}

void objects_forget(struct objects *set, struct object *o)
{
	struct object *part = set->newest, *next;

	for (; part; part = next) {
		next = part->older;
		if (part->part_of != o)
			continue;
		unlink_object(set, part);
		free_object(part);
	}
	unlink_object(set, o);
	free_object(o);
}

struct object *objects_serial(const struct objects *set, uint64_t serial)
{
	struct object *o = set->newest;

	while (o && o->serial != serial)
		o = o->older;
	return o;
}

struct object *objects_next(const struct objects *set, const struct object *prev,
			    enum object_kind kind)
{
	struct object *o = prev ? prev->older : set->newest;

	while (o && kind != OBJECT_NONE && o->kind != kind)
		o = o->older;
	return o;
}

struct object *objects_find(const struct objects *set, const char *name,
			    enum object_kind kind)
{
	struct object *o = NULL;

	while ((o = objects_next(set, o, kind)))
		if (o->name && strcmp(o->name, name) == 0)
			return o;
	return NULL;
}

struct object *objects_of_handle(const struct objects *set, enum object_kind kind, const void *handle)
{
	struct object *o = NULL;

	while ((o = objects_next(set, o, kind)) && o->handle != handle)
		;
	return o;
}

/* The next object that has a name. */
static struct object *next_named(const struct objects *set, const struct object *prev,
				 enum object_kind kind)
{
	struct object *o = objects_next(set, prev, kind);

	while (o && !o->name)
		o = objects_next(set, o, kind);
	return o;
}

static struct object *pick_named(const struct objects *set, const char *name,
				 enum object_kind kind, struct vbm_error *err)
{
	struct object *o = objects_find(set, name, kind), *other;

	if (o)
		return o;
	other = objects_find(set, name, OBJECT_NONE);
	if (other)
		vbm_fail(err, EINVAL, "'%s' is a %s, not a %s", name,
			 step_object_kind_name(other->kind), step_object_kind_name(kind));
	else
		vbm_fail(err, ENOENT, "the host has no %s '%s': no step made it, or a step ended it",
			 step_object_kind_name(kind), name);
	return NULL;
}

struct object *objects_pick(const struct objects *set, const char *name,
			    enum object_kind kind, struct vbm_error *err)
{
	const char *usual = step_default_name(kind);
	struct object *o;

	if (name)
		return pick_named(set, name, kind, err);
	o = usual ? objects_find(set, usual, kind) : NULL;
	if (o)
		return o;
	o = next_named(set, NULL, kind);
	if (!o)
		vbm_fail(err, ENOENT, "the host has no %s: an earlier step must make one",
			 step_object_kind_name(kind));
	else if (next_named(set, o, kind)) {
		vbm_fail(err, EINVAL, "the host has several objects of the kind %s, but no '%s': name one",
			 step_object_kind_name(kind), usual);
		o = NULL;
	}
	return o;
}
