/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_DIGEST_H
#define VBM_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A number that tells a damaged file from a whole one, at the speed of memory. It is
 * no help against somebody who damages with care.
 */
uint64_t digest_of(const void *data, size_t len);

/* Of a whole file, with its size. 0 or a negative errno; -EINVAL for what is no regular file. */
int digest_of_fd(int fd, uint64_t *digest, off_t *size);

#endif
