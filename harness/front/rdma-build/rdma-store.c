/* SPDX-License-Identifier: BSD-2-Clause */
#include "rdma-build/rdma-store.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cache.h"
#include "base/cleanup.h"
#include "base/xalloc.h"

#define PREFIX "release-"

char *rdma_store(void)
{
	return cache_path("rdma-core");
}

bool rdma_version_matches(const char *name, const char *version)
{
	size_t n = strlen(name);

	return n > 0 && !strncmp(name, version, n) && !isdigit((unsigned char)version[n]);
}

static int newest_first(const void *a, const void *b)
{
	const struct rdma_release *ra = a, *rb = b;

	return strverscmp(rb->version, ra->version);
}

/* A release whose build was interrupted has no library yet. */
static void add_release(struct rdma_releases *out, const char *store, const char *name)
{
	auto_free char *build = xasprintf("%s/%s/build", store, name);
	auto_free char *library = xasprintf("%s/lib/librdmacm.so.1", build);

	if (access(library, F_OK) < 0)
		return;
	GROW(out->item, out->count);
	out->item[out->count++] = (struct rdma_release){xstrdup(name + strlen(PREFIX)), steal(&build)};
}

void rdma_store_list(struct rdma_releases *out)
{
	auto_free char *store = rdma_store();
	auto_dir DIR *dir = opendir(store);
	const struct dirent *d;

	*out = (struct rdma_releases){0};
	while (dir && (d = readdir(dir)))
		if (!strncmp(d->d_name, PREFIX, strlen(PREFIX)))
			add_release(out, store, d->d_name);
	if (out->count)
		qsort(out->item, out->count, sizeof(*out->item), newest_first);
}

void rdma_releases_fini(struct rdma_releases *r)
{
	size_t i;

	for (i = 0; i < r->count; i++) {
		free(r->item[i].version);
		free(r->item[i].build);
	}
	free(r->item);
	*r = (struct rdma_releases){0};
}
