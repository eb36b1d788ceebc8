/* SPDX-License-Identifier: BSD-2-Clause */
#include "step/objects.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "fail.h"

struct objects {
	struct object *newest;	/* owned */
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
		if (o->release)
			o->release(o);
		free_object(o);
	}
	free(set);
}

int objects_add(struct objects *set, struct object *o, const char *name,
		enum object_kind kind, struct vbm_error *err)
{
	const struct object *taken = objects_find(set, name, OBJECT_NONE);

	o->name = xstrdup(name);
	o->kind = kind;
	if (taken) {
		vbm_fail(err, EEXIST, "the host already has a %s called '%s'; name this %s otherwise with 'as:'",
			 step_object_kind_name(taken->kind), name, step_object_kind_name(kind));
		if (o->release)
			o->release(o);
		free_object(o);
		return -EEXIST;
	}
	o->older = set->newest;
	set->newest = o;
	return 0;
}

void objects_forget(struct objects *set, struct object *o)
{
	struct object **p = &set->newest;

	while (*p && *p != o)
		p = &(*p)->older;
	if (!*p)
		return;
	*p = o->older;
	free_object(o);
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
		if (strcmp(o->name, name) == 0)
			return o;
	return NULL;
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
		vbm_fail(err, ENOENT, "the host has no %s called '%s': no step made it, or it is gone",
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
	o = objects_next(set, NULL, kind);
	if (!o)
		vbm_fail(err, ENOENT, "the host has no %s; a step has to make one first",
			 step_object_kind_name(kind));
	else if (objects_next(set, o, kind)) {
		vbm_fail(err, EINVAL, "the host has several objects of the kind %s and none is called '%s'; say which",
			 step_object_kind_name(kind), usual);
		o = NULL;
	}
	return o;
}
