/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_KINDS_RUNNER_H
#define VBM_JOB_KINDS_RUNNER_H

/*
 * Runs in: the runner: a child of the front end, or started by init.
 * Owns:    the two ends of its line to the front end.
 * Ends:    with its line, or at the signal that the front end sends.
 * Tests:   tests/guest/ends.test, exec.test.
 */

/*
 * The runner: reads one job (a JSON line) from @in_fd, makes the fabric, carries out the
 * job and writes events (JSON lines, see event.h) to @out_fd. The same code runs on this
 * machine's kernel and in a guest. It stops at end of file on @in_fd, at a signal, and
 * when the job is done. Returns a process exit status.
 */
int runner_main(int in_fd, int out_fd);

/*
 * The runner's descriptors of the lines to the stations of hosts a, b and so on, "7,9", if their kernels are
 * places of this run.
 */
#define STATIONS_VARIABLE "VERBATIM_STATIONS"

/* This program is the runner if it is started as RUNNER_PROGRAM FD. */
#define RUNNER_PROGRAM "verbatim-runner"
int runner_program(const char *fd);

#endif
