/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_PLAN_H
#define VBM_GUEST_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbatim/error.h>

struct kernel;

/*
 * Where init finds the modules, and the lists that give their order. The lists
 * do not need each other's modules, so they are worked on at the same time.
 */
#define GUEST_MODULES "/verbatim/modules"
#define GUEST_MODULE_LIST "/verbatim/module-list"
#define GUEST_MODULE_LIST2 "/verbatim/module-list-2"

/* What goes into an image, before anything is read. */
enum plan_kind {
	PLAN_FILE,	/* copied */
	PLAN_PROGRAM,	/* copied without its debug information */
	PLAN_MODULE,	/* unpacked */
	PLAN_SIGNED_MODULE,	/* unpacked; its kernel may insist on a signature */
	PLAN_TEXT,	/* @source is the content */
	PLAN_SYMLINK,	/* @source is what it points to */
};

struct plan_entry {
	enum plan_kind kind;
	char *path;	/* owned; in the guest */
	char *source;	/* owned */
};

struct plan {
	struct plan_entry *entry;	/* owned */
	size_t count;
};

/*
 * All that a guest needs: this program as /init, its shared libraries, the
 * rxe provider, the modules of @kernel, a few files of /etc.
 */
int plan_base(struct plan *plan, const struct kernel *kernel, bool host_root,
	      struct vbm_error *err);

/* Host files (each with its libraries, when it is a program) at their own paths. */
int plan_files(struct plan *plan, const char *const *files, struct vbm_error *err);

/* Says whether two plans make the same image: names, sizes and times of change. */
uint64_t plan_hash(const struct plan *plan);

void plan_fini(struct plan *plan);

static inline void auto_plan_fn(struct plan *plan)
{
	plan_fini(plan);
}
#define auto_plan __attribute__((cleanup(auto_plan_fn)))

#endif
