/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/digest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

#define LANES 4
#define STEP (LANES * sizeof(uint64_t))
#define PIECE (256 << 10)	/* a multiple of STEP */

/* Odd, with set bits everywhere. The lanes do not depend on each other. */
#define FACTOR 0x9e3779b97f4a7c15ull

static uint64_t turn(uint64_t x)
{
	return x << 29 | x >> 35;
}

static void begin(uint64_t lane[LANES])
{
	size_t i;

	for (i = 0; i < LANES; i++)
		lane[i] = FACTOR * (i + 1);
}

static void add_step(uint64_t lane[LANES], const unsigned char *p)
{
	uint64_t word[LANES];
	size_t i;

	memcpy(word, p, sizeof(word));
	for (i = 0; i < LANES; i++)
		lane[i] = turn(lane[i] ^ word[i]) * FACTOR;
}

/* Less than a whole step can only be the end. */
static void add(uint64_t lane[LANES], const unsigned char *p, size_t len)
{
	unsigned char last[STEP] = {0};

	for (; len >= STEP; p += STEP, len -= STEP)
		add_step(lane, p);
	if (len) {
		memcpy(last, p, len);
		add_step(lane, last);
	}
}

static uint64_t end(const uint64_t lane[LANES], uint64_t len)
{
	uint64_t sum = len;
	size_t i;

	for (i = 0; i < LANES; i++) {
		sum = turn(sum ^ lane[i]) * FACTOR;
		sum ^= sum >> 32;
	}
	return sum;
}

uint64_t digest_of(const void *data, size_t len)
{
	uint64_t lane[LANES];

	begin(lane);
	add(lane, data, len);
	return end(lane, len);
}

/* Read a whole piece, or the rest. */
static ssize_t read_piece(int fd, unsigned char *buf, off_t at)
{
	size_t used = 0;
	ssize_t n;

	while (used < PIECE) {
		n = pread(fd, buf + used, PIECE - used, at + (off_t)used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		used += (size_t)n;
	}
	return (ssize_t)used;
}

int digest_of_fd(int fd, uint64_t *digest, off_t *size)
{
	auto_free unsigned char *buf = xcalloc(1, PIECE);
	uint64_t lane[LANES];
	struct stat st;
	off_t at = 0;
	ssize_t n;

	if (fstat(fd, &st) < 0)
		return -errno;
	/* A device may have no end. */
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	begin(lane);
	while ((n = read_piece(fd, buf, at)) > 0) {
		add(lane, buf, (size_t)n);
		at += n;
	}
	if (n < 0)
		return (int)n;
	*digest = end(lane, (uint64_t)at);
	*size = at;
	return 0;
}
