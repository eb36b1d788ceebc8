/* SPDX-License-Identifier: BSD-2-Clause */
#include "gids.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gid-scan.h"

#define SLOTS 8
#define BELIEF_NS 10000000
#define DISBELIEF_NS 50000000

/*
 * Searching all tables costs thousands of small reads. What was found is kept
 * as the open file of the table's entry: reading it again tells whether it
 * still holds, however the fabric has changed. Even that one read costs more
 * than the routing table's answer, so it is not done for every call.
 */
struct slot {
	uint8_t gid[16];
	int64_t until;		/* when to look again */
	int fd;			/* a "yes": the entry's file; -1 */
	bool used;
};

static struct slot slots[SLOTS];
static unsigned int victim;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void take_lock(void)
{
	pthread_mutex_lock(&lock);
}

static void give_lock(void)
{
	pthread_mutex_unlock(&lock);
}

/* A child must not inherit it from a thread that it does not have. */
static void __attribute__((constructor)) mind_forks(void)
{
	pthread_atfork(take_lock, give_lock, give_lock);
}

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static bool entry_holds(int fd, const uint8_t gid[16])
{
	uint8_t seen[16];
	char text[64];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return false;
	text[n] = '\0';
	return vbm_gid_from_text(text, seen) && !memcmp(seen, gid, 16);
}

static void forget(struct slot *s)
{
	if (s->used && s->fd >= 0)
		close(s->fd);
	s->used = false;
}

/* 1 yes, 0 no, -1 not known. */
static int remembered(const uint8_t gid[16])
{
	for (int i = 0; i < SLOTS; i++) {
		struct slot *s = &slots[i];

		if (!s->used || memcmp(s->gid, gid, 16))
			continue;
		if (now_ns() < s->until)
			return s->fd >= 0;
		if (s->fd >= 0 && entry_holds(s->fd, gid)) {
			s->until = now_ns() + BELIEF_NS;
			return 1;
		}
		forget(s);
	}
	return -1;
}

static void remember(const uint8_t gid[16], int fd)
{
	struct slot *s = &slots[victim++ % SLOTS];

	forget(s);
	memcpy(s->gid, gid, 16);
	s->fd = fd;
	s->until = now_ns() + (fd < 0 ? DISBELIEF_NS : BELIEF_NS);
	s->used = true;
}

/*
 * The table is one of sysfs: a test's own tree is searched each time, as its
 * files do not vanish with a device.
 */
bool vbm_gids_have(const char *sys, const union addr *a)
{
	bool real = !strcmp(sys, "/sys");
	uint8_t gid[16];
	int known, fd = -1;
	bool found;

	if (!real) {
		found = vbm_gid_scan(sys, a, &fd);
		if (fd >= 0)
			close(fd);
		return found;
	}
	vbm_addr_to_gid(a, gid);
	pthread_mutex_lock(&lock);
	known = remembered(gid);
	if (known < 0) {
		found = vbm_gid_scan(sys, a, &fd);
		/* Without a file there is nothing to read again. */
		if (fd >= 0 || !found)
			remember(gid, fd);
	} else {
		found = known;
	}
	pthread_mutex_unlock(&lock);
	return found;
}
