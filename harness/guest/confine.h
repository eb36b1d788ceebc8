/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_CONFINE_H
#define VBM_GUEST_CONFINE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <verbatim/error.h>

/*
 * What the process that is a guest (QEMU, or a user-mode kernel) can do to this
 * machine. A guest's root may make it open any path, so the limits are set from
 * the outside, between fork(2) and execve(2), by two means:
 *
 * mounts    namespaces for mounts, network and IPC, and for users where that is allowed.
 *           All that is seen is read-only, but for the paths that say otherwise; /dev
 *           has five nodes, /proc nearly nothing. Where not all is seen the
 *           root is an empty one with the paths in it.
 * landlock  the same table as rules of Landlock, which also keep it from the other
 *           processes. It knows nothing of attributes of files, so that without
 *           mounts all system calls that change them are refused.
 *
 * With both, no capability is left that is not one to read files (and, for root, to
 * write to what is its own to write to), and nothing gains one. No file gets a set-user-ID bit.
 */
enum confine_means {
	CONFINE_MOUNTS = 1,
	CONFINE_LANDLOCK = 2,
};

/* With mounts: a folder of the process's own, in memory. */
#define CONFINE_OWN "/dev/verbatim"

/* There, with mounts, is a copy of what @copied_fd has. */
#define CONFINE_COPY CONFINE_OWN "/initrd"

/* A folder or file of this machine. Links in @path are not followed: it is a real path. */
struct confine_path {
	const char *path;
	bool writable;
};

/* All is borrowed. */
struct confine {
	bool sees_all;		/* else only the paths, and what a program needs of the system */
	bool sees_settings;	/* of that also confine_settings, without the secrets */
	const struct confine_path *path;	/* @paths of them */
	size_t paths;
	int own_mb;		/* what may lie in CONFINE_OWN */
	int copied_fd;		/* or -1 */
	int written_fd;		/* a file that it may open once more to write to it; or -1 */
	const char *program;	/* what will be executed */
	bool own_proc;		/* it needs its own /proc/self, and not only the program's name there */
	bool kvm;		/* it may use /dev/kvm */
};

/*
 * Which means work on this machine: what is found by trying, once. For tests,
 * VERBATIM_CONFINE=mounts, landlock or none leaves the others out.
 */
unsigned int confine_means(void);

/* One sentence on what is left when not all is confined here, or NULL. */
const char *confine_warning(void);

/*
 * As fork(2), for a child that calls confine_enter(). -1 and errno, too.
 * confine_enter() comes after all that needs a file of this machine; what fails is said in @err.
 */
pid_t confine_fork(void);
int confine_enter(const struct confine *c, struct vbm_error *err);

/* confine-view.c: the mounts, in a mount namespace of one's own. */
int confine_view(const struct confine *c, struct vbm_error *err);

/* confine-landlock.c: the rules; @mounted: confine_view() did its part. */
bool confine_landlock_is_there(void);
int confine_landlock(const struct confine *c, bool mounted, struct vbm_error *err);

/* confine-calls.c: refuse set-user-ID bits; without @mounted, all changes of attributes. */
int confine_calls(bool mounted, struct vbm_error *err);

/* confine-secrets.c: in a folder of the system, what only some users may read. */
struct confine_secrets {
	char **path;	/* owned, as each; below the folder, "ssl/private" */
	size_t count;
};

/* In the folder @fd, which stays open. What cannot be opened is a secret. */
void confine_secrets_find(struct confine_secrets *s, int fd);
void confine_secrets_fini(struct confine_secrets *s);

/* Folders that every program may need; up to a NULL. In the second ones are secrets. */
extern const char *const confine_system[], *const confine_settings[];

#endif
