/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/fail.h"
#include "net/bpf.h"

/*
 * The layout is the kernel's, kernel/bpf/ringbuf.c: a page with the reader's position, a page with the
 * writers' position, and the records, which are mapped twice one behind the other. A record
 * has 8 bytes in front, and fills up to a multiple of 8.
 */
#define HEADER_BYTES 8

static size_t page(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t taken(size_t len)
{
	return (len + HEADER_BYTES + 7) / 8 * 8;
}

int bpf_ring_new(struct bpf_ring *ring, size_t size, struct vbm_error *err)
{
	union bpf_attr attr = {0};

	*ring = (struct bpf_ring){.fd = -1, .size = size};
	attr.map_type = BPF_MAP_TYPE_RINGBUF;
	attr.max_entries = (uint32_t)size;
	ring->fd = (int)syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));
	if (ring->fd < 0)
		return vbm_fail(err, errno, "cannot make a ring for packets: %s", strerror(errno));
	ring->consumer = mmap(NULL, page(), PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	ring->producer = mmap(NULL, page() + 2 * size, PROT_READ, MAP_SHARED, ring->fd, (off_t)page());
	if (ring->consumer != MAP_FAILED && ring->producer != MAP_FAILED)
		return 0;
	vbm_fail(err, errno, "cannot map a ring for packets: %s", strerror(errno));
	bpf_ring_free(ring);
	return -err->code;
}

const void *bpf_ring_next(struct bpf_ring *ring, size_t *len)
{
	uint64_t *mine = ring->consumer, at = *mine;
	const uint8_t *records = (const uint8_t *)ring->producer + page();
	const uint32_t *header;
	uint32_t word;

	while (at < __atomic_load_n((uint64_t *)ring->producer, __ATOMIC_ACQUIRE)) {
		header = (const void *)(records + (at & (ring->size - 1)));
		word = __atomic_load_n(header, __ATOMIC_ACQUIRE);
		if (word & BPF_RINGBUF_BUSY_BIT)
			return NULL;
		*len = word & ~BPF_RINGBUF_DISCARD_BIT;
		if (!(word & BPF_RINGBUF_DISCARD_BIT))
			return (const uint8_t *)header + HEADER_BYTES;
		at += taken(*len);
		__atomic_store_n(mine, at, __ATOMIC_RELEASE);
	}
	return NULL;
}

void bpf_ring_done(struct bpf_ring *ring, size_t len)
{
	uint64_t *mine = ring->consumer;

	__atomic_store_n(mine, *mine + taken(len), __ATOMIC_RELEASE);
}

void bpf_ring_free(struct bpf_ring *ring)
{
	if (ring->consumer && ring->consumer != MAP_FAILED)
		munmap(ring->consumer, page());
	if (ring->producer && ring->producer != MAP_FAILED)
		munmap(ring->producer, page() + 2 * ring->size);
	if (ring->fd >= 0)
		close(ring->fd);
	*ring = (struct bpf_ring){.fd = -1};
}
