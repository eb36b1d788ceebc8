/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_GUEST_H
#define VBM_GUEST_GUEST_H

/* What the two sides of a guest's boundary agree on. */

/* Names of the virtio-serial ports. */
#define GUEST_PORT_EVENTS "verbatim.events"
#define GUEST_PORT_TERMINAL "verbatim.terminal"

/* Names of the shared folders (9p mount tags). */
#define GUEST_TAG_ROOT "root"
#define GUEST_TAG_SHARE "share"

/* Kernel command line: verbatim.NAME=VALUE. */
#define GUEST_ARG_ROOT "verbatim.root"
#define GUEST_ARG_SHARE "verbatim.share"
#define GUEST_ARG_TERMINAL "verbatim.terminal"

/* The terminal's device, for the runner. */
#define GUEST_ENV_TERMINAL "VERBATIM_TERMINAL"

/* What init says on the console; obituaries are read from it. */
#define GUEST_SAYS "verbatim: "
#define GUEST_SAYS_ENDED GUEST_SAYS "the runner ended with status "
#define GUEST_SAYS_KILLED GUEST_SAYS "the runner was killed by signal "
#define GUEST_SAYS_FAILED GUEST_SAYS "init failed: "

#endif
