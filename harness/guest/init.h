/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_INIT_H
#define VBM_GUEST_INIT_H

#include <stdbool.h>

#include <verbatim/error.h>

/* This program as process 1 of a guest. Does not return. */
int guest_init_main(int argc, char **argv) __attribute__((noreturn));

/* The steps of it. */
int init_mount_basics(struct vbm_error *err);
int init_load_modules(struct vbm_error *err);
int init_loopback_up(struct vbm_error *err);

/*
 * Waits until the virtio-serial port @name is there. Its device's path is
 * written to @dev.
 */
int init_find_port(const char *name, char *dev, unsigned int size, struct vbm_error *err);

/*
 * The host's file system below a throw-away layer, with @share (or NULL)
 * writable in it; ready for chroot(2) at INIT_HOST_ROOT.
 */
#define INIT_HOST_ROOT "/host"
int init_mount_host(const char *share, struct vbm_error *err);

#endif
