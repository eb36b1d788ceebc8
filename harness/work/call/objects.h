/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CALL_OBJECTS_H
#define VBM_CALL_OBJECTS_H

#include <stdint.h>

#include <verbatim/error.h>

#include "step/step.h"

struct target;

/*
 * The named objects that an agent keeps between steps. The object of a family
 * has struct object as its first member, so a cast leads back. Objects are
 * released newest first, because newer ones depend on older ones.
 */
struct object {
	char *name;		/* owned; NULL after a newer object got the name */
	uint64_t serial;	/* never used twice; no object has 0 */
	enum object_kind kind;
	const struct target *target;	/* whose calls make and release it */
	/* The result of the call that made it; the other kinds have members of their own. */
	union {
		void *handle;
		struct ibv_device **devices;
		struct ibv_context *context;
		struct ibv_pd *pd;
		struct ibv_comp_channel *comp;
		struct ibv_cq *cq;
		struct ibv_mr *mr;
		struct ibv_mw *mw;
		struct ibv_srq *srq;
		struct ibv_qp *qp;
		struct ibv_ah *ah;
		struct rdma_addrinfo *ai;
		struct rdma_event_channel *channel;
		struct rdma_cm_id *id;
	};
	/* Releases the resource; may be NULL. Returns what the call returned, 0 if it returns nothing. */
	int (*release)(struct object *o);
	/* Frees what the object itself owns, not @o; may be NULL. */
	void (*discard)(struct object *o);
	/* If that object is released, this one ends, too, and is forgotten: nobody releases it by itself. */
	const struct object *part_of;
	struct object *older;	/* owned */
};

struct objects;

struct objects *objects_new(void);
void objects_free(struct objects *set);		/* releases all; NULL is fine */

/*
 * Takes @o (from xcalloc), with a copy of @name. An older object of that name
 * stays without a name; its serial still finds it.
 */
void objects_add(struct objects *set, struct object *o, const char *name,
		 enum object_kind kind);

/* Forgets an object whose resource is gone, and its parts. */
void objects_forget(struct objects *set, struct object *o);

/* NULL when no object has that name. OBJECT_NONE finds objects of any kind. */
struct object *objects_find(const struct objects *set, const char *name,
			    enum object_kind kind);

/* The newest one with that handle, or NULL. */
struct object *objects_of_handle(const struct objects *set, enum object_kind kind, const void *handle);

/* NULL when the object is gone. */
struct object *objects_serial(const struct objects *set, uint64_t serial);

/* Walks from the newest to the oldest, also over objects without a name. Start with NULL. */
struct object *objects_next(const struct objects *set, const struct object *prev,
			    enum object_kind kind);

/*
 * The object that a parameter means: the one named @name; if @name is NULL, the
 * one with the default name of its kind, or the only one of its kind. Otherwise
 * NULL with @err.
 */
struct object *objects_pick(const struct objects *set, const char *name,
			    enum object_kind kind, struct vbm_error *err);

#endif
