/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_CONTENTS_H
#define VBM_GUEST_CONTENTS_H

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
enum contents_kind {
	CONTENT_FILE,	/* copied */
	CONTENT_PROGRAM,	/* copied without its debug information */
	CONTENT_MODULE,	/* unpacked */
	CONTENT_SIGNED_MODULE,	/* unpacked; its kernel may insist on a signature */
	CONTENT_TEXT,	/* @source is the content */
	CONTENT_SYMLINK,	/* @source is what it points to */
};

struct contents_entry {
	enum contents_kind kind;
	char *path;	/* owned; in the guest */
	char *source;	/* owned */
};

struct contents {
	struct contents_entry *entry;	/* owned */
	size_t count;
};

/*
 * All that a guest needs: this program as /init, its shared libraries, the
 * rxe provider, the modules of @kernel, a few files of /etc.
 */
int contents_base(struct contents *contents, const struct kernel *kernel, bool host_root,
	      struct vbm_error *err);

/* Host files (each with its libraries, when it is a program) at their own paths. */
int contents_files(struct contents *contents, const char *const *files, struct vbm_error *err);

/* Says whether two plans make the same image: names, sizes and times of change. */
uint64_t contents_hash(const struct contents *contents);

void contents_fini(struct contents *contents);

static inline void auto_contents_fn(struct contents *contents)
{
	contents_fini(contents);
}
#define auto_contents __attribute__((cleanup(auto_contents_fn)))

#endif
