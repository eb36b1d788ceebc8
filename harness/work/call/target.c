/* SPDX-License-Identifier: BSD-2-Clause */
#include "call/target.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <verbatim/resolve.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "lib/verbs/verbs.h"

#define UCMA_DEVICE "/dev/infiniband/rdma_cm"
/* The headers of an older rdma-core do not have this command. */
#define UCMA_WRITE_CM_EVENT 24
#define UCMA_EVENT_USER 18

/* No identifier has this number, so the command can change nothing. */
#define UCMA_NO_ID UINT32_MAX

struct ucma_write_event {
	uint32_t cmd;
	uint16_t in, out;
	uint32_t id, reserved, event, status;
	uint64_t rest[56];	/* more than the kernel reads */
};

bool target_ucma_takes_events(const char *device)
{
	struct ucma_write_event w = {
		.cmd = UCMA_WRITE_CM_EVENT,
		.in = sizeof(w) - 8,
		.id = UCMA_NO_ID,
		.event = UCMA_EVENT_USER,
	};
	auto_close int fd = open(device, O_RDWR | O_CLOEXEC);

	/* A kernel that knows the command answers ENOENT, because there is no such identifier. */
	return fd < 0 || write(fd, &w, sizeof(w)) >= 0 || errno != EINVAL;
}

/*
 * librdmacm has these two calls since rdma-core 60, and older headers do not
 * declare them. If the library has them, they still need a kernel that @works.
 */
static int find_async(struct target *t, void *handle, bool works)
{
	void *resolve = dlsym(handle, "rdma_resolve_addrinfo");
	void *query = dlsym(handle, "rdma_query_addrinfo");

	if (!resolve || !query || !works)
		return 0;
	memcpy(&t->resolve_addrinfo, &resolve, sizeof(resolve));
	memcpy(&t->query_addrinfo, &query, sizeof(query));
	return 1;
}

static int query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr)
{
	return ibv_query_port(context, port, attr);
}

static void fill_system(struct target *t)
{
	t->query_port = query_port;
#define CALL(result, field, type, symbol, ...) t->field = symbol;
#include "names/calls.def"
	find_async(t, RTLD_DEFAULT, target_ucma_takes_events(UCMA_DEVICE));
}

/* The calls that libverbatim makes itself. It leaves all others to the system's libraries. */
static void fill_reference(struct target *t)
{
#define CALL(...)
#define OURS(result, field, ...) t->field = vbm_##field;
#include "names/calls.def"
	t->resolve_addrinfo = vbm_resolve_addrinfo;
	t->query_addrinfo = vbm_query_addrinfo;
	t->cancel = vbm_cancel;
	t->query_port = vbm_query_port;
}

/* Whether @symbol is in the object at @handle, not in one of its dependencies. */
static bool is_own(void *handle, const void *symbol)
{
	struct link_map *map;
	Dl_info info;

	return symbol && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && dladdr(symbol, &info) &&
	       (uintptr_t)info.dli_fbase == (uintptr_t)map->l_addr;
}

/* The number of calls that the object at @t->handle defines. */
static int override(struct target *t)
{
	void *symbol_at;
	int n = 0;

#define CALL(result, field, type, symbol, ...)                                \
	symbol_at = dlsym(t->handle, #symbol);                                \
	if (is_own(t->handle, symbol_at)) {                                   \
		memcpy(&t->field, &symbol_at, sizeof(symbol_at));             \
		n++;                                                          \
	}
#include "names/calls.def"
	n += find_async(t, t->handle, true);
	symbol_at = dlsym(t->handle, "vbm_cancel");
	if (t->resolve_addrinfo && is_own(t->handle, symbol_at))
		memcpy(&t->cancel, &symbol_at, sizeof(symbol_at));
	return n;
}

static int open_path(struct target *t, struct vbm_error *err)
{
	t->handle = dlopen(t->name, RTLD_NOW | RTLD_LOCAL);
	if (!t->handle)
		return vbm_fail(err, ELIBACC, "target %s cannot be loaded: %s", t->name, dlerror());
	if (!override(t))
		return vbm_fail(err, ENOEXEC,
				"target %s does not define any call that steps make (rdma_getaddrinfo, ...)",
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

/* These calls are inline, so the headers at build time decide whether a target has them. */
#ifdef HAVE_STRUCT_IBV_QP_EX_WR_FLUSH
#define HEADER_CALLS " ibv_wr_flush"
#else
#define HEADER_CALLS ""
#endif

const char *target_calls(const struct target *t)
{
	if (!t->resolve_addrinfo)
		return HEADER_CALLS;
	return t->cancel ? "rdma_resolve_addrinfo vbm_cancel" HEADER_CALLS :
			   "rdma_resolve_addrinfo" HEADER_CALLS;
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
