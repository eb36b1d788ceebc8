/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_CLEANUP_H
#define VBM_BASE_CLEANUP_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Local variables that free their value at the end of their scope: "auto_free char *s =
 * ...". steal(&s) or steal_fd(&fd) gives the value away.
 */
#define DEFINE_AUTO(name, type, expr)                                         \
	static inline void auto_##name##_fn(type *p)                          \
	{                                                                     \
		expr;                                                         \
	}

DEFINE_AUTO(close, int, if (*p >= 0) close(*p))
DEFINE_AUTO(file, FILE *, if (*p) fclose(*p))
DEFINE_AUTO(dir, DIR *, if (*p) closedir(*p))

static inline void auto_free_any_fn(void *p)
{
	free(*(void **)p);
}

#define auto_free __attribute__((cleanup(auto_free_any_fn)))
#define auto_close __attribute__((cleanup(auto_close_fn)))
#define auto_file __attribute__((cleanup(auto_file_fn)))
#define auto_dir __attribute__((cleanup(auto_dir_fn)))

#define steal(pp)                                                             \
	({                                                                    \
		__auto_type steal_p = (pp);                                   \
		__auto_type steal_v = *steal_p;                               \
		*steal_p = NULL;                                              \
		steal_v;                                                      \
	})

static inline int steal_fd(int *fd)
{
	int v = *fd;

	*fd = -1;
	return v;
}

#endif
