/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_BARE_FABRIC_H
#define VBM_TESTS_BARE_FABRIC_H

#include "fabric/fabric.h"

/*
 * Real fabrics in a separate network namespace, without RDMA devices, for machines that
 * have none. The first three are for UNIT(): only root can make such fabrics.
 */
const char *bare_fabrics_obstacle(void);
int bare_fabrics_begin(void **state);
int bare_fabrics_end(void **state);

/* The caller frees it. */
struct fabric *bare_fabric(enum layout layout, int hosts);

/* A job "exec" in JSON, except for its folder and the end: the caller adds "cwd" and a brace. */
#define JOB_EXEC                                                              \
	"{\"job\": \"exec\", \"layout\": \"netns\", \"lane\": \"native\", \"factor\": 1, "   \
	"\"env\": {\"PATH\": \"/usr/bin:/bin\"}, \"env_bytes\": [], \"run\": 1, "    \
	"\"commands\": [], \"hosts\": 2, \"timeout_ms\": 0, "

#endif
