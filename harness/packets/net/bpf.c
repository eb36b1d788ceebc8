/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/bpf.h"

#include <errno.h>
#include <linux/if_link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/fail.h"

static int call(int command, union bpf_attr *attr, const char *what, struct vbm_error *err)
{
	long rc = syscall(SYS_bpf, command, attr, sizeof(*attr));

	if (rc >= 0)
		return (int)rc;
	return vbm_fail(err, errno, "cannot %s: %s%s", what, strerror(errno),
			errno == ENOSYS || errno == EPERM ? " (rules for packets need a kernel with bpf(2), and CAP_BPF)" : "");
}

static uint64_t pointer(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

int bpf_array_new(int *fd, uint32_t entries, uint32_t size, struct vbm_error *err)
{
	union bpf_attr attr = {0};

	attr.map_type = BPF_MAP_TYPE_ARRAY;
	attr.key_size = sizeof(uint32_t);
	attr.value_size = size;
	attr.max_entries = entries;
	*fd = call(BPF_MAP_CREATE, &attr, "make an array for counts", err);
	return *fd < 0 ? *fd : 0;
}

int bpf_array_get(int fd, uint32_t entry, void *value, struct vbm_error *err)
{
	union bpf_attr attr = {0};

	attr.map_fd = (uint32_t)fd;
	attr.key = pointer(&entry);
	attr.value = pointer(value);
	return call(BPF_MAP_LOOKUP_ELEM, &attr, "read the counts of a rule", err);
}

int bpf_array_set(int fd, uint32_t entry, const void *value, struct vbm_error *err)
{
	union bpf_attr attr = {0};

	attr.map_fd = (uint32_t)fd;
	attr.key = pointer(&entry);
	attr.value = pointer(value);
	return call(BPF_MAP_UPDATE_ELEM, &attr, "set a value of a rule", err);
}

int bpf_program_new(int *fd, const struct bpf_insn *insn, size_t count, struct vbm_error *err)
{
	union bpf_attr attr = {0};

	attr.prog_type = BPF_PROG_TYPE_XDP;
	attr.insns = pointer(insn);
	attr.insn_cnt = (uint32_t)count;
	attr.license = pointer("Dual BSD/GPL");
	*fd = call(BPF_PROG_LOAD, &attr, "load the rules for packets", err);
	return *fd < 0 ? *fd : 0;
}

int bpf_link_new(int *fd, int program, int ifindex, struct vbm_error *err)
{
	union bpf_attr attr = {0};

	attr.link_create.prog_fd = (uint32_t)program;
	attr.link_create.target_ifindex = (uint32_t)ifindex;
	attr.link_create.attach_type = BPF_XDP;
	attr.link_create.flags = XDP_FLAGS_SKB_MODE;
	*fd = call(BPF_LINK_CREATE, &attr, "put rules on the interface", err);
	return *fd < 0 ? *fd : 0;
}

int bpf_link_replace(int link, int program, struct vbm_error *err)
{
	union bpf_attr attr = {0};

	attr.link_update.link_fd = (uint32_t)link;
	attr.link_update.new_prog_fd = (uint32_t)program;
	return call(BPF_LINK_UPDATE, &attr, "change the rules on the interface", err);
}

int bpf_passing_new(int *fd, struct vbm_error *err)
{
	const struct bpf_insn insn[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = XDP_PASS},
		{.code = BPF_JMP | BPF_EXIT},
	};

	return bpf_program_new(fd, insn, sizeof(insn) / sizeof(insn[0]), err);
}

int bpf_receive(int passing, int ifindex, const void *frame, size_t len, struct vbm_error *err)
{
	struct xdp_md context = {.data_end = (uint32_t)len, .ingress_ifindex = (uint32_t)ifindex};
	union bpf_attr attr = {0};

	attr.test.prog_fd = (uint32_t)passing;
	attr.test.data_in = pointer(frame);
	attr.test.data_size_in = (uint32_t)len;
	attr.test.ctx_in = pointer(&context);
	attr.test.ctx_size_in = sizeof(context);
	attr.test.repeat = 1;
	attr.test.flags = BPF_F_TEST_XDP_LIVE_FRAMES;
	return call(BPF_PROG_TEST_RUN, &attr, "put a packet back (this needs Linux 5.18, and at most 3 KB)", err);
}

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
