/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_DNS_UNBOUND_CONTROL_H
#define VBM_DNS_UNBOUND_CONTROL_H

#include <stdint.h>

#include <verbatim/error.h>

/*
 * Send a command of unbound-control(8) to port @port of the loopback in the namespace
 * @netns (-1: the present one), without TLS and without a process. When this returns 0,
 * unbound has carried the command out. Otherwise @err has unbound's answer.
 */
int unbound_control(int netns, uint16_t port, const char *command, struct vbm_error *err);

#endif
