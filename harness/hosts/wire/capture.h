/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_WIRE_CAPTURE_H
#define VBM_WIRE_CAPTURE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <verbatim/error.h>

#include "base/text.h"
#include "wire/tap.h"

struct fabric;

/*
 * Blocks of a file that wait to be written. They arrive interface by interface and leave
 * in the order of their times. Blocks of the same time leave in the order of their
 * arrival. Pure. Start with {0}.
 */
struct backlog_entry {
	uint64_t ns;
	uint64_t number;	/* the number of earlier arrivals */
	size_t at, len;		/* in the bytes of the backlog */
};

struct backlog {
	struct text bytes;		/* owned */
	struct backlog_entry *entry;	/* owned */
	size_t count, room;
	uint64_t number;
	uint64_t oldest_ns;		/* the time of the oldest entry; UINT64_MAX if @count is 0 */
};

/* Make a block of the bytes that were added to @b->bytes since it had @len bytes. */
void backlog_add(struct backlog *b, uint64_t ns, size_t len);

/* Move all blocks that are not later than @ns to @out, in the order of their times. */
void backlog_take(struct backlog *b, uint64_t ns, struct text *out);
void backlog_fini(struct backlog *b);

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
