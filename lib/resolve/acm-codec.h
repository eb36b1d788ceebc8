/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_RESOLVE_ACM_CODEC_H
#define VBM_LIB_RESOLVE_ACM_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <infiniband/sa.h>

#include "lib/base/addr.h"

/*
 * The messages of the path service ibacm: a header of 16 bytes and up to eight entries of
 * 72 bytes, in the host's byte order except for addresses and paths. Pure.
 */
#define ACM_HEADER 16
#define ACM_ENTRY 72
#define ACM_ENTRIES 8
#define ACM_MOST (ACM_HEADER + ACM_ENTRIES * ACM_ENTRY)

struct acm_request {
	const union addr *src, *dst;	/* NULL or not set: no address */
	const struct ibv_path_record *path;	/* restrictions */
	size_t paths;
};

/* Returns the length of the request in @buf. */
size_t vbm_acm_encode(uint8_t buf[ACM_MOST], const struct acm_request *request);

struct acm_reply {
	uint8_t status;			/* not 0: the request failed, and the reply has nothing else */
	struct ibv_path_data path[ACM_ENTRIES];
	size_t paths;
	union addr src;			/* not set when the reply has no source */
};

/*
 * The length of the message that begins with this header: ACM_HEADER .. ACM_MOST, or 0 for
 * a header that no message can have.
 */
size_t vbm_acm_length(const uint8_t header[ACM_HEADER]);

/* Read a reply of @len bytes. False when it is malformed; *@reply is then all zero. */
bool vbm_acm_decode(const uint8_t *buf, size_t len, struct acm_reply *reply);

#endif
