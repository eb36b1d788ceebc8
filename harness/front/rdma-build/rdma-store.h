/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RDMA_BUILD_RDMA_STORE_H
#define VBM_RDMA_BUILD_RDMA_STORE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The releases of rdma-core in the user's cache. scripts/build-rdma-core puts them there,
 * each as "release-VERSION/build", which is a target of verbatim run.
 */
struct rdma_release {
	char *version;	/* owned; "56.1" */
	char *build;	/* owned; its path */
};

struct rdma_releases {
	struct rdma_release *item;	/* owned; the newest first */
	size_t count;
};

/* The path of the store; the caller frees it. */
char *rdma_store(void);
void rdma_store_list(struct rdma_releases *out);
void rdma_releases_fini(struct rdma_releases *r);

/* Whether @name, "56" or "56.1", means the release @version. Pure. */
bool rdma_version_matches(const char *name, const char *version);

#define auto_rdma_releases __attribute__((cleanup(rdma_releases_fini)))

#endif
