/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/limits.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

static void allow_path(struct limits *l, const char *path, bool writable)
{
	GROW(l->path, l->c.paths);
	l->path[l->c.paths++] = (struct confine_path){xstrdup(path), writable};
	l->c.path = l->path;
}

/* Skips a path that does not exist, as the dynamic linker does. */
static void add_found(struct limits *l, const char *path)
{
	auto_free char *found = path ? realpath(path, NULL) : NULL;

	if (found)
		allow_path(l, found, false);
}

static void add_folder_of(struct limits *l, const char *path)
{
	auto_free char *found = realpath(path, NULL);
	char *slash = found ? strrchr(found, '/') : NULL;

	if (!slash || slash == found)
		return;
	*slash = '\0';
	allow_path(l, found, false);
}

static void add_library_path(struct limits *l)
{
	auto_free char *list = xstrdup(getenv("LD_LIBRARY_PATH") ? getenv("LD_LIBRARY_PATH") : "");
	char *save = NULL, *word;

	for (word = strtok_r(list, ":", &save); word; word = strtok_r(NULL, ":", &save))
		add_found(l, word);
}

/* Adds the files that the process itself opens. */
static void add_own(struct limits *l, const struct machine *m, bool mounts)
{
	const char *const ours[] = {m->folder, m->memory_folder};
	size_t i;

	/* An emulator looks for its firmware beside its own file. */
	if (!m->folder)
		add_folder_of(l, m->program);
	add_found(l, m->image);
	add_found(l, "/etc/ld.so.cache");
	add_library_path(l);
	for (i = 0; !mounts && i < ARRAY_SIZE(ours); i++)
		if (ours[i])
			allow_path(l, ours[i], true);
	if (m->coverage)
		allow_path(l, m->coverage, true);
}

static void add_seen(struct limits *l, const struct machine *m)
{
	const char *const *see;
	size_t i;

	add_found(l, m->modules);
	for (see = m->see; see && *see; see++)
		add_found(l, *see);
	/*
	 * Shares come last, so that a folder in one of the others can be shared with
	 * other rights.
	 */
	for (i = 0; i < m->shares; i++)
		allow_path(l, m->share[i].path, !m->share[i].readonly);
	if (m->kept)
		allow_path(l, m->kept, true);
}

void limits_make(struct limits *l, const struct machine *m)
{
	bool mounts = confine_means() & CONFINE_MOUNTS;

	*l = (struct limits){.c = {
		.sees_all = m->files_seen != GUEST_FILES_NOBODY && !m->see,
		.sees_settings = m->files_seen != GUEST_FILES_NOBODY,
		.own_mb = m->folder ? m->memory_mb : 0,
		.copied_fd = m->initrd_fd,
		.written_fd = m->console_fd,
		.program = m->program,
		.own_proc = !m->folder,
		.kvm = m->kvm,
	}};
	add_own(l, m, mounts);
	if (m->files_seen != GUEST_FILES_NOBODY)
		add_seen(l, m);
}

void limits_fini(struct limits *l)
{
	size_t i;

	for (i = 0; i < l->c.paths; i++)
		free((char *)(uintptr_t)l->path[i].path);
	free(l->path);
}
