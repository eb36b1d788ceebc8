/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_ACCEL_H
#define VBM_GUEST_ACCEL_H

#include <stdbool.h>

#include <verbatim/error.h>

/*
 * A /dev/kvm that opens may still never boot a guest (nested, paravirtual).
 * Only trying tells; what a try told is kept in the cache for some days, for
 * this host kernel, processor and QEMU.
 */
int accel_kvm_check(struct vbm_error *err);	/* 0: may be tried */
char *accel_key(const char *qemu);		/* caller frees */
bool accel_is_broken(const char *key);
void accel_remember(const char *key, bool broken);

/* Pure: the memory is lines of "TIME KEY". */
bool accel_memory_has(const char *text, const char *key, long long now);
char *accel_memory_set(const char *text, const char *key, bool broken, long long now);

#endif
