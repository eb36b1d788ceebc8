/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_DNS_UNBOUND_CONTROL_H
#define VBM_DNS_UNBOUND_CONTROL_H

#include <stdint.h>

#include <verbatim/error.h>

/*
 * An order as unbound-control(8) gives it, to port @port of the loopback in
 * the namespace @netns (-1: the current one), without TLS and without a
 * process. Carried out when this returns 0; else @err has unbound's answer.
 */
int unbound_control(int netns, uint16_t port, const char *order, struct vbm_error *err);

#endif
