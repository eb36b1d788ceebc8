/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_CONFINE_H
#define VBM_GUEST_CONFINE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <verbatim/error.h>

/*
 * Limits what the process of a guest (QEMU, or a user-mode kernel) can do to this
 * machine. A guest's root may make it open any path, so the limits are set from outside,
 * between fork(2) and execve(2), by two means:
 *
 * mounts    namespaces for mounts, network and IPC, and for users where that is allowed.
 *           The process sees all files as read-only, except the paths that are marked
 *           as writable; /dev has five nodes, /proc nearly nothing. Unless @sees_all is
 *           set, its root is an empty folder with the paths in it.
 * landlock  the same table as rules of Landlock, which also keep it from the other
 *           processes. It has no rules for attributes of files, so without
 *           mounts all system calls that change attributes are refused.
 *
 * With both, the process keeps no capability; only a process of root keeps those to read
 * and write files. It cannot gain require_capabilities, and no file gets a set-user-ID bit.
 */
enum confine_means {
	CONFINE_MOUNTS = 1,
	CONFINE_LANDLOCK = 2,
};

/* With mounts: a private folder of the process, in memory. */
#define CONFINE_OWN "/dev/verbatim"

/* With mounts: a copy of the file of @copied_fd. */
#define CONFINE_COPY CONFINE_OWN "/initrd"

/* A folder or file of this machine. Links in @path are not followed: it is a real path. */
struct confine_path {
	const char *path;
	bool writable;
};

/* All is borrowed. */
struct confine {
	/* It sees all files; if false, only @path and the system's folders for programs. */
	bool sees_all;
	bool sees_settings;	/* it also sees confine_settings, without the secrets */
	const struct confine_path *path;	/* @paths entries */
	size_t paths;
	int own_mb;		/* the size of CONFINE_OWN */
	int copied_fd;		/* or -1 */
	int written_fd;		/* a file that it may open once more to write to it; or -1 */
	const char *program;	/* the program to execute */
	bool own_proc;		/* it needs its own /proc/self, and not only the program's name there */
	bool kvm;		/* it may use /dev/kvm */
};

/*
 * The means that work on this machine, found by trying once. For tests,
 * VERBATIM_CONFINE=mounts, landlock or none leaves the others out.
 */
unsigned int confine_means(void);

/* One sentence about the remaining risk if not all is confined here, or NULL. */
const char *confine_warning(void);

/*
 * Like fork(2), for a child that calls confine_enter(). The child calls it after all work
 * that needs files of this machine; @err has the error.
 */
pid_t confine_fork(void);
int confine_enter(const struct confine *c, struct vbm_error *err);

/* confine-view.c: the mounts; the process must have its own mount namespace. */
int confine_view(const struct confine *c, struct vbm_error *err);

/* confine-landlock.c: the rules; @mounted: confine_view() did its part. */
bool confine_landlock_is_there(void);
int confine_landlock(const struct confine *c, bool mounted, struct vbm_error *err);

/* confine-calls.c: refuse set-user-ID bits; without @mounted, all changes of attributes. */
int confine_calls(bool mounted, struct vbm_error *err);

/* confine-secrets.c: the files in a folder of the system that only some users may read. */
struct confine_secrets {
	char **path;	/* owned, as each; below the folder, "ssl/private" */
	size_t count;
};

/*
 * Finds the secrets in the folder @fd, which stays open. A file that cannot be opened is
 * a secret.
 */
void confine_secrets_find(struct confine_secrets *s, int fd);
void confine_secrets_fini(struct confine_secrets *s);

/*
 * Folders that every program may need; both lists end with NULL. Only confine_settings
 * has secrets.
 */
extern const char *const confine_system[], *const confine_settings[];

#endif
