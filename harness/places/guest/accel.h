/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_ACCEL_H
#define VBM_GUEST_ACCEL_H

#include <stdbool.h>

#include <verbatim/error.h>

/*
 * Whether KVM boots guests here. A /dev/kvm that can be opened may still never boot one
 * (nested, paravirtual); only a try tells. The cache remembers for some days that a try
 * failed with this host kernel, processor and QEMU.
 */
int accel_kvm_check(struct vbm_error *err);	/* 0: may be tried */
char *accel_key(const char *qemu);		/* caller frees */
bool accel_is_broken(const char *key);
void accel_remember(const char *key, bool broken);

/* These are pure. The memory has lines "TIME KEY". The caller frees the new memory. */
bool accel_memory_has(const char *text, const char *key, long long now);
char *accel_memory_set(const char *text, const char *key, bool broken, long long now);

#endif
