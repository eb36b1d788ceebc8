/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_WIRE_FRAMES_H
#define VBM_WIRE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbatim/error.h>

#include "names/host.h"
#include "wire/tap.h"

struct fabric;

/*
 * The RDMA packets of all hosts' interfaces since frames_open(), as evidence. The runner has
 * these sockets, so the packets are there also if the process on a host has died. The
 * kernel keeps the packets until frames_read(), so no process works while a scenario runs.
 */
struct crossing {
	int host;
	bool out;		/* the interface sent it */
	struct stamp when;
	uint8_t *bytes;		/* owned */
	size_t len;
	uint64_t mark;		/* packet_mark() of the bytes */
};

struct frames {
	int hosts;
	int tap[FABRIC_HOSTS_MAX];	/* owned; -1: none */
	struct crossing *item;	/* owned; in the order in which the packets crossed */
	size_t count;
	uint64_t lost;		/* packets for which there was no room */
};

#define FRAMES_NONE {.hosts = 0}

int frames_open(struct frames *f, const struct fabric *fabric, struct vbm_error *err);

/*
 * Reads what has come. A packet that arrives comes after the same packet that its sender
 * sent, also if both have one time.
 */
int frames_read(struct frames *f, struct vbm_error *err);

/* Waits until there is more to read, at most until @deadline_ns of clock_now_ns(). False: there is nothing. */
bool frames_wait(const struct frames *f, int64_t deadline_ns);

/* How many packets the interface of a host has received, and those of all others have sent. */
void frames_count(const struct frames *f, int host, uint64_t *received, uint64_t *sent);
void frames_close(struct frames *f);

#endif
