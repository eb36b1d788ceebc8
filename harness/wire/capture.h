/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_WIRE_CAPTURE_H
#define VBM_WIRE_CAPTURE_H

#include <sys/types.h>

#include <verbatim/error.h>

#include "wire/tap.h"

struct fabric;

/*
 * A process that writes what the hosts' interfaces send and receive to a pcapng
 * file: one interface of the file for each host, packets in the order of their
 * times. A packet that crosses the cable is there twice: its sender's interface
 * sent it, its receiver's received it.
 *
 * The process ends when its starter stops it or ends itself, SIGKILL included,
 * and then writes what it still has. At any time the file has whole blocks.
 */
struct capture {
	pid_t pid;	/* 0: none */
	int line;	/* owned: to the process */
	int hosts;
};

#define CAPTURE_NONE {.line = -1}

/* The file is made here; nothing that crosses a cable after this call is missed. */
int capture_start(struct capture *c, const struct fabric *fabric, const char *path,
		  struct vbm_error *err);

/*
 * The file is complete after this call, and @counts has what each host's interface
 * saw. Fails when the file could not be written to its end.
 */
int capture_stop(struct capture *c, struct tap_counts *counts, struct vbm_error *err);

/* Ends the process, also after a failure; fine for one that was never started. */
void capture_end(struct capture *c);

#endif
