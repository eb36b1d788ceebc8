/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_VMLINUX_H
#define VBM_GUEST_VMLINUX_H

struct kernel;

/*
 * What to hand to QEMU for this kernel: its boot image unpacked, kept
 * beside it in the store, or the boot image itself where that cannot be done.
 * Caller frees.
 */
char *vmlinux_path(const struct kernel *kernel);

#endif
