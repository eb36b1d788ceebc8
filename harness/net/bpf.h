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

int bpf_program_new(int *fd, const struct bpf_insn *insn, size_t count, struct vbm_error *err);

/* Put the program on an interface of the caller's namespace, or in the place of the link's program. */
int bpf_link_new(int *fd, int program, int ifindex, struct vbm_error *err);
int bpf_link_replace(int link, int program, struct vbm_error *err);

#endif
