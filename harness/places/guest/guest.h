/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_GUEST_H
#define VBM_GUEST_GUEST_H

/*
 * Runs in: the front end, in its main thread; QEMU or the kernel is a child of it.
 * Owns:    images in the cache, one boot folder, the child.
 * Ends:    with its place; the folder is removed by the next run after a SIGKILL.
 * Tests:   unit/test_guest, test_uml, test_limits; tests/guest/boot.test.
 */

/*
 * The names that both sides of a guest use: guest/ starts and watches it on this machine,
 * and init/ is its first process. kernel.h has its kernel, image.h its files.
 */

/* Names of the virtio-serial ports: */
#define GUEST_PORT_EVENTS "verbatim.events"
#define GUEST_PORT_TERMINAL "verbatim.terminal"

/* Names of the shared folders (9p mount tags); a number follows the second. */
#define GUEST_TAG_ROOT "root"
#define GUEST_TAG_SHARE "share"
#define GUEST_TAG_KEPT "kept"

/* The folder for the files to keep, in a guest that sees this machine's files. */
#define GUEST_KEPT "/run/verbatim-kept"

/*
 * Kernel command line: verbatim.NAME=VALUE. A line to the outside is named by its
 * virtio-serial port, or by the paths of two devices, "LINE,TAKEN".
 *
 * The latter are terminals of a user-mode kernel. The kernel never reads a terminal again
 * whose buffer of 4 KB was once full (found in 7.3). So never more than GUEST_WINDOW
 * bytes are on their way to init, and init reports on the second device how much it took:
 * one byte for each GUEST_WINDOW_STEP. That kernel also needs one read(2) for each byte,
 * so bytes to the runner are compressed (base/deflate.h), because plans are long and
 * repeat themselves.
 */
#define GUEST_WINDOW 3072
#define GUEST_WINDOW_STEP 1024
#define GUEST_ARG_EVENTS "verbatim.events"
#define GUEST_ARG_ROOT "verbatim.root"
#define GUEST_ARG_SHARE "verbatim.share"
/* With this argument the runner itself keeps the image as its root. */
#define GUEST_ARG_SEEN_BY "verbatim.seen-by"
#define GUEST_SEEN_BY_PROGRAMS "programs"
#define GUEST_ARG_KEPT "verbatim.kept"
#define GUEST_ARG_TERMINAL "verbatim.terminal"
#define GUEST_ARG_FACTOR "verbatim.factor"
#define GUEST_ARG_MODULES "verbatim.modules"
#define GUEST_ARG_MHZ "verbatim.mhz"
#define GUEST_ARG_COVERAGE "verbatim.coverage"
/* The kernel is this host of a fabric (a number from 0), with a device of this type: host.h. */
#define GUEST_ARG_HOST "verbatim.host"
#define GUEST_ARG_DEVICE "verbatim.device"
/* verbatim.share0=rw:PATH, verbatim.share1=ro:PATH and so on: the shared folders. */
/* How init ends the machine by reboot(2): "halt"; without it, a restart. */
#define GUEST_ARG_END "verbatim.end"

/*
 * The folder of the modules, and the lists with their order. No module of one list needs
 * a module of the other, so init loads both lists at the same time.
 */
#define GUEST_MODULES "/verbatim/modules"
#define GUEST_MODULE_LIST "/verbatim/module-list"
#define GUEST_MODULE_LIST2 "/verbatim/module-list-2"

/* Messages of init on the console; console_end_cause() looks for them. */
#define GUEST_SAYS "verbatim: "
#define GUEST_SAYS_ENDED GUEST_SAYS "the runner ended with status "
#define GUEST_SAYS_KILLED GUEST_SAYS "the runner was killed by signal "
#define GUEST_SAYS_FAILED GUEST_SAYS "init failed: "

#endif
