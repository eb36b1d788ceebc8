/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_DIGEST_H
#define VBM_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A checksum that detects accidental damage of a file, at the speed of memory. It does not
 * detect deliberate changes.
 */
uint64_t digest_of(const void *data, size_t len);

/*
 * The checksum of a whole file, and its size. 0 or a negative errno; -EINVAL if it is not
 * a regular file.
 */
int digest_of_fd(int fd, uint64_t *digest, off_t *size);

#endif
