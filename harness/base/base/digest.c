/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/digest.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The header has all of the code, so no image of a guest needs the shared library. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

#define PIECE (256 << 10)

uint64_t digest_of(const void *data, size_t len)
{
	return XXH3_64bits(data, len);
}

int digest_of_fd(int fd, uint64_t *digest, off_t *size)
{
	auto_free unsigned char *buf = xcalloc(1, PIECE);
	XXH3_state_t state;
	struct stat st;
	off_t at = 0;
	ssize_t n;

	if (fstat(fd, &st) < 0)
		return -errno;
	/* A device may have no end. */
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	XXH3_64bits_reset(&state);
	while ((n = pread(fd, buf, PIECE, at)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		XXH3_64bits_update(&state, buf, (size_t)n);
		at += n;
	}
	*digest = XXH3_64bits_digest(&state);
	*size = at;
	return 0;
}
