/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_BZIMAGE_H
#define VBM_GUEST_BZIMAGE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A boot image unpacks its kernel in the guest, which takes a second or two
 * where processors are emulated. The same kernel unpacked here boots at once.
 */
struct bzimage_payload {
	const char *data;	/* borrowed from the image */
	size_t len;
	size_t unpacked_len;	/* what it says it will be */
	const char *tool;	/* "xz": unpacks standard input with -dc */
	const char *suffix;	/* ".xz" */
};

/* False when there is none of a known kind. */
bool bzimage_find_payload(const char *image, size_t len, struct bzimage_payload *out);

/* Whether this ELF kernel says where it is to be entered (PVH). */
bool vmlinux_has_entry(const char *elf, size_t len);

#endif
