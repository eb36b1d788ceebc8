/* SPDX-License-Identifier: BSD-2-Clause */
#include "step/target.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <verbatim/addrinfo.h>

#include "base/xalloc.h"
#include "fail.h"

static void fill_system(struct target *t)
{
#define TARGET_FILL(field, symbol) t->field = symbol;
	TARGET_CALLS(TARGET_FILL)
#undef TARGET_FILL
	t->async = async_system(NULL);
}

/* What libverbatim does itself; it leaves the rest to the system's libraries. */
static void fill_reference(struct target *t)
{
	t->getaddrinfo = vbm_getaddrinfo;
	t->freeaddrinfo = vbm_freeaddrinfo;
	t->gai_strerror = vbm_gai_strerror;
	t->async = &async_reference;
}

/* Whether @symbol lies in the object at @handle, not in one it depends on. */
static bool is_own(void *handle, const void *symbol)
{
	struct link_map *map;
	Dl_info info;

	return symbol && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && dladdr(symbol, &info) &&
	       (uintptr_t)info.dli_fbase == (uintptr_t)map->l_addr;
}

/* How many calls the object at @t->handle answers itself. */
static int override(struct target *t)
{
	void *symbol_at;
	int n = 0;

#define TARGET_OVERRIDE(field, symbol)                                        \
	symbol_at = dlsym(t->handle, #symbol);                                \
	if (is_own(t->handle, symbol_at)) {                                   \
		memcpy(&t->field, &symbol_at, sizeof(symbol_at));             \
		n++;                                                          \
	}
	TARGET_CALLS(TARGET_OVERRIDE)
#undef TARGET_OVERRIDE
	if (async_system(t->handle)) {
		t->async = async_system(t->handle);
		n++;
	}
	return n;
}

static int open_path(struct target *t, struct vbm_error *err)
{
	t->handle = dlopen(t->name, RTLD_NOW | RTLD_LOCAL);
	if (!t->handle)
		return vbm_fail(err, ELIBACC, "target %s cannot be loaded: %s", t->name, dlerror());
	if (!override(t))
		return vbm_fail(err, ENOEXEC,
				"target %s defines none of the calls the steps make (rdma_getaddrinfo, ...)",
				t->name);
	return 0;
}

int target_open(struct target **out, const char *name, struct vbm_error *err)
{
	struct target *t = xcalloc(1, sizeof(*t));
	int ret = 0;

	t->name = xstrdup(name);
	fill_system(t);
	if (strchr(name, '/'))
		ret = open_path(t, err);
	else if (strcmp(name, "reference") == 0)
		fill_reference(t);
	else if (strcmp(name, "system") != 0)
		ret = vbm_fail(err, EINVAL, "unknown target '%s': it is 'system', 'reference' or a path with a slash in it",
			       name);
	if (ret < 0) {
		target_close(t);
		return ret;
	}
	*out = t;
	return 0;
}

const char *target_calls(const struct target *t)
{
	if (!t->async)
		return "";
	return t->async->cancel ? "rdma_resolve_addrinfo vbm_cancel" : "rdma_resolve_addrinfo";
}

void target_close(struct target *t)
{
	if (!t)
		return;
	if (t->handle)
		dlclose(t->handle);
	free(t->name);
	free(t);
}
