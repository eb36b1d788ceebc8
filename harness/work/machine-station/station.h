/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MACHINE_STATION_STATION_H
#define VBM_MACHINE_STATION_STATION_H

/*
 * Runs in: one process on each machine, at the other end of ssh, with one loop.
 * Owns:    the fabric of its machine, agents, commands, and the undo journal.
 * Ends:    with its line; then it puts the machine back.
 * Tests:   tests/guest/hosts.test, hosts-exec.test, hosts-disturb.test.
 */

/*
 * The other end of machine-line/machine-line.h: this program on a machine, started over ssh. It finds
 * the machine's device, starts agents, passes their lines on, and answers questions of the
 * runner. It ends, and all its agents with it, when its standard input ends. @connection is what sshd says
 * of the connection (SSH_CONNECTION), or "". Returns an exit status.
 */
int station_main(const char *connection);

#endif
