/* SPDX-License-Identifier: BSD-2-Clause */
#include "wire/count.h"

#include <linux/filter.h>
#include <linux/if_ether.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "codec/packet.h"
#include "fabric/fabric.h"
#include "wire/tap.h"

/*
 * The smallest buffer, because the packets are not read. The kernel also counts packets
 * that it drops.
 */
#define ROOM 1

#define RECEIVED "rcvd_pkts"	/* rxe's name of the counter */

struct wire_count {
	struct fabric *fabric;
	int hosts;
	int tap[FABRIC_HOSTS_MAX];	/* owned; or -1 */
	struct tap_counts counts[FABRIC_HOSTS_MAX];
	uint64_t before[FABRIC_HOSTS_MAX];
};

#define LD_PROTOCOL BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)SKF_AD_OFF + SKF_AD_PROTOCOL)
#define IF_NOT(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip)

/* UDP to RoCE's port. Of a datagram in fragments, only the first has a port. */
static struct sock_filter roce[] = {
	LD_PROTOCOL,
	IF_NOT(ETH_P_IP, 8),
	BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 9),
	IF_NOT(IPPROTO_UDP, 11),
	BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 6),
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x1fff, 9, 0),
	BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0),
	BPF_STMT(BPF_LD | BPF_H | BPF_IND, 2),
	IF_NOT(PACKET_UDP_PORT, 6),
	BPF_STMT(BPF_RET | BPF_K, 1),
	IF_NOT(ETH_P_IPV6, 4),
	BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 6),
	IF_NOT(IPPROTO_UDP, 2),
	BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 42),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PACKET_UDP_PORT, 1, 0),
	BPF_STMT(BPF_RET | BPF_K, 0),
	BPF_STMT(BPF_RET | BPF_K, 1),
};

static const struct sock_fprog filter = {ARRAY_SIZE(roce), roce};

int wire_count_begin(struct wire_count **out, struct fabric *fabric, struct vbm_error *err)
{
	const struct tap_options opts = {.filter = &filter, .incoming = true, .room = ROOM};
	struct wire_count *w = xcalloc(1, sizeof(*w));
	int i, rc = 0;

	w->fabric = fabric;
	w->hosts = fabric_host_count(fabric);
	for (i = 0; i < w->hosts; i++)
		w->tap[i] = -1;
	for (i = 0; rc == 0 && i < w->hosts; i++) {
		rc = tap_open(&w->tap[i], fabric, i, &opts, err) ?:
		     fabric_counter(fabric, i, RECEIVED, &w->before[i], err);
	}
	if (rc < 0)
		wire_count_end(w);
	else
		*out = w;
	return rc;
}

int wire_count_read(struct wire_count *w, int host, struct wire_counts *counts,
		    struct vbm_error *err)
{
	uint64_t now;
	int rc = fabric_counter(w->fabric, host, RECEIVED, &now, err);

	if (rc < 0)
		return rc;
	tap_count(w->tap[host], &w->counts[host]);
	counts->received = now - w->before[host];
	counts->arrived = w->counts[host].seen;
	return 0;
}

void wire_count_end(struct wire_count *w)
{
	int i;

	if (!w)
		return;
	for (i = 0; i < w->hosts; i++)
		if (w->tap[i] >= 0)
			close(w->tap[i]);
	free(w);
}
