/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_GUEST_H
#define VBM_GUEST_GUEST_H

/*
 * The names on which the two sides of a virtual machine agree: guest/ starts and watches
 * it on this machine, and init/ is its first process. kernel.h says where its kernel
 * comes from, image.h where its files come from.
 */

/* Names of the virtio-serial ports: */
#define GUEST_PORT_EVENTS "verbatim.events"
#define GUEST_PORT_TERMINAL "verbatim.terminal"

/* Names of the shared folders (9p mount tags); a number follows the second. */
#define GUEST_TAG_ROOT "root"
#define GUEST_TAG_SHARE "share"
#define GUEST_TAG_KEPT "kept"

/* Where a guest that sees the host's files has the folder for what is kept of the run. */
#define GUEST_KEPT "/run/verbatim-kept"

/*
 * Kernel command line: verbatim.NAME=VALUE. A line to the outside is named by its
 * virtio-serial port, or by the paths of two devices, "LINE,TAKEN".
 *
 * The latter are terminals of a user-mode kernel. That never reads a line again
 * whose buffer of 4 KB was once full (found in 7.3). So no more than GUEST_WINDOW
 * bytes are ever under way to init, and init says on the second device how much
 * it took: a byte for each GUEST_WINDOW_STEP. And that kernel reads a byte by
 * each read(2): what goes to the runner is shortened (base/deflate.h), as plans
 * are long and repeat themselves.
 */
#define GUEST_WINDOW 3072
#define GUEST_WINDOW_STEP 1024
#define GUEST_ARG_EVENTS "verbatim.events"
#define GUEST_ARG_ROOT "verbatim.root"
#define GUEST_ARG_SHARE "verbatim.share"
/* With this one the runner itself stays in the image. */
#define GUEST_ARG_SEEN_BY "verbatim.seen-by"
#define GUEST_SEEN_BY_PROGRAMS "programs"
#define GUEST_ARG_KEPT "verbatim.kept"
#define GUEST_ARG_TERMINAL "verbatim.terminal"
#define GUEST_ARG_FACTOR "verbatim.factor"
#define GUEST_ARG_MODULES "verbatim.modules"
#define GUEST_ARG_MHZ "verbatim.mhz"
#define GUEST_ARG_COVERAGE "verbatim.coverage"
/* verbatim.share0=rw:PATH, verbatim.share1=ro:PATH and so on: the shared folders. */
/* What ends the machine, as reboot(2) knows it: "halt"; else a restart does. */
#define GUEST_ARG_END "verbatim.end"

/*
 * Where init finds the modules, and the lists that give their order. No module
 * of one list needs a module of the other, so init loads both at the same time.
 */
#define GUEST_MODULES "/verbatim/modules"
#define GUEST_MODULE_LIST "/verbatim/module-list"
#define GUEST_MODULE_LIST2 "/verbatim/module-list-2"

/* What init says on the console; console_end_cause() looks for it. */
#define GUEST_SAYS "verbatim: "
#define GUEST_SAYS_ENDED GUEST_SAYS "the runner ended with status "
#define GUEST_SAYS_KILLED GUEST_SAYS "the runner was killed by signal "
#define GUEST_SAYS_FAILED GUEST_SAYS "init failed: "

#endif
