/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CALL_OBJECTS_H
#define VBM_CALL_OBJECTS_H

#include <stdint.h>

#include <verbatim/error.h>

#include "step/step.h"

/*
 * The named things an agent holds between steps. A family's object embeds
 * struct object as its first member, so that one cast leads back. Objects are
 * released newest first, which is what their dependencies need.
 */
struct object {
	char *name;		/* owned; NULL once a newer object took it */
	uint64_t serial;	/* never given twice; 0 is no object */
	enum object_kind kind;
	/* Gives the resource back; NULL: somebody else's, only named here. */
	void (*release)(struct object *o);
	/* Frees what the object itself owns, not @o; may be NULL. */
	void (*discard)(struct object *o);
	/* Somebody else's release ends this object too: it is forgotten then. */
	const struct object *part_of;
	struct object *older;	/* owned */
};

struct objects;

struct objects *objects_new(void);
void objects_free(struct objects *set);		/* releases all; NULL is fine */

/*
 * Takes @o (from xcalloc) under a copy of @name. An older object of that name
 * lives on without it: what refers to it by serial still finds it.
 */
void objects_add(struct objects *set, struct object *o, const char *name,
		 enum object_kind kind);

/* Forget an object whose resource is already gone, and its parts. */
void objects_forget(struct objects *set, struct object *o);

/* NULL when there is none of that name; of any kind with OBJECT_NONE. */
struct object *objects_find(const struct objects *set, const char *name,
			    enum object_kind kind);

/* NULL when the object is gone. */
struct object *objects_serial(const struct objects *set, uint64_t serial);

/* Walk, newest first, those without a name too: start with NULL. */
struct object *objects_next(const struct objects *set, const struct object *prev,
			    enum object_kind kind);

/*
 * What a parameter means: the object called @name, or with NULL the one called
 * as its kind is by default, or the only one of its kind. NULL with @err else.
 */
struct object *objects_pick(const struct objects *set, const char *name,
			    enum object_kind kind, struct vbm_error *err);

#endif
