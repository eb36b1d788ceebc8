/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_NET_BPF_H
#define VBM_NET_BPF_H

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

#include <verbatim/error.h>

/*
 * Programs that the kernel runs for each packet that an interface receives (XDP in its
 * generic form, which every interface has). The program ends with the descriptor of its
 * link, however the process ends. Needs CAP_NET_ADMIN and CAP_BPF.
 */

/* An array of @entries values with @size bytes each, all zeros. */
int bpf_array_new(int *fd, uint32_t entries, uint32_t size, struct vbm_error *err);
int bpf_array_get(int fd, uint32_t entry, void *value, struct vbm_error *err);

int bpf_array_set(int fd, uint32_t entry, const void *value, struct vbm_error *err);

int bpf_program_new(int *fd, const struct bpf_insn *insn, size_t count, struct vbm_error *err);

/* Put the program on an interface of the caller's namespace, or in the place of the link's program. */
int bpf_link_new(int *fd, int program, int ifindex, struct vbm_error *err);
int bpf_link_replace(int link, int program, struct vbm_error *err);

/* A program that lets all packets pass, for bpf_receive(). */
int bpf_passing_new(int *fd, struct vbm_error *err);

/* The interface receives the frame, as if a cable had brought it. Needs Linux 5.18. */
int bpf_receive(int passing, int ifindex, const void *frame, size_t len, struct vbm_error *err);

/* A ring of @size bytes, a power of two, in which programs leave records for this process. */
struct bpf_ring {
	int fd;			/* owned; readable when there are records; -1: none */
	size_t size;
	void *consumer, *producer;	/* owned; mapped */
};

int bpf_ring_new(struct bpf_ring *ring, size_t size, struct vbm_error *err);

/* The next record, which stays until bpf_ring_done(); NULL: there is none. */
const void *bpf_ring_next(struct bpf_ring *ring, size_t *len);
void bpf_ring_done(struct bpf_ring *ring, size_t len);
void bpf_ring_free(struct bpf_ring *ring);

#endif
