/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_WIRE_CAPTURE_H
#define VBM_WIRE_CAPTURE_H

#include <sys/types.h>

#include <verbatim/error.h>

#include "wire/tap.h"

struct fabric;

/*
 * A process that writes the packets of the hosts' interfaces to a pcapng file. The file
 * has one interface for each host, and the packets are in the order of their times. A
 * packet that crosses the cable is there twice, as sent by its sender's interface and as
 * received by its receiver's.
 *
 * The process ends when its starter stops it or ends itself, even by SIGKILL. It then
 * writes the packets that it still has. At any time the file has whole blocks.
 */
struct capture {
	pid_t pid;	/* 0: no process */
	int line;	/* owned: the connection to the process */
	int hosts;
};

#define CAPTURE_NONE {.line = -1}

/*
 * Make the file and start the process. No packet that crosses a cable after this call is
 * missed.
 */
int capture_start(struct capture *c, const struct fabric *fabric, const char *path,
		  struct vbm_error *err);

/*
 * End the capture. The file is then complete, and @counts has the packets of each host's
 * interface. Fails if the file could not be written completely.
 */
int capture_stop(struct capture *c, struct tap_counts *counts, struct vbm_error *err);

/* End the process, also after a failure. Allowed if it was never started. */
void capture_end(struct capture *c);

#endif
