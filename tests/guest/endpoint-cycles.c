/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of endpoint-program that connects and disconnects again and again, while
 * the link goes now and then and peers are killed: nothing may be left of it.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../help/descriptors.h"
#include "../help/link.h"
#include "../help/shortage.h"
#include "endpoint-program.h"

#define CYCLES 100	/* VBM_CYCLES in the environment asks for more */
#define SHORT_MS 2000

static struct vbm_endpoint_options hasty(void)
{
	struct vbm_endpoint_options o = usual();

	o.timeout_ms = SHORT_MS;
	return o;
}

static bool connects_once(void)
{
	struct vbm_endpoint_options o = hasty();
	struct vbm_endpoint *ep = create(&o);
	bool well = vbm_connect(ep, self, PORT) == 0;

	if (well)
		vbm_disconnect(ep);
	vbm_destroy_endpoint(ep);
	return well;
}

/* Somewhere on its way, or once it is connected. */
static void dies(bool at_once)
{
	struct victim v = start_victim("connects");

	if (!at_once)
		is_there(&v);
	kill_victim(&v);
}

/* Of a hundred, two find the link down and two have a peer that is killed. How many connected. */
static int go_round(int count, const char *netdev)
{
	struct vbm_endpoint_options o = hasty();
	struct server s;
	int i, well = 0;

	start_server(&s, &o);
	for (i = 0; i < count; i++) {
		if (netdev && i % 100 == 50)
			set_link(netdev, false);
		if (i % 50 == 25)
			dies(i % 100 == 25);
		well += connects_once();
		if (netdev && i % 100 == 51)
			set_link(netdev, true);
	}
	stop_server(&s);
	printf("# %d cycles, %d connections, %d served\n", count, well, s.served);
	vbm_destroy_endpoint(s.listener);
	return well;
}

/* The kernel shows a thread a little longer than pthread_join(3) waits for it. */
static bool no_thread_is_left(int before)
{
	for (int i = 0; i < 100000; i++) {
		if (running_threads() <= before)
			return true;
		sched_yield();
	}
	return false;
}

static long resident_kb(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[100];
	long kb = -1;

	while (f && kb < 0 && fgets(line, sizeof(line), f))
		if (strncmp(line, "VmRSS:", 6) == 0)
			kb = strtol(line + 6, NULL, 10);
	if (f)
		fclose(f);
	return kb;
}

void cycles(void)
{
	const char *asked = getenv("VBM_CYCLES");
	/* A link that goes takes its addresses of IPv6 with it. */
	const char *netdev = strchr(self, ':') ? NULL : getenv("VERBATIM_NETDEV");
	int count = asked ? atoi(asked) : CYCLES, before = running_threads(), well;
	struct timespec began, ended;
	long blocks, resident;

	/* The first round makes some things once, with the first that fails, too. */
	go_round(CYCLES, netdev);
	blocks = shortage_process_blocks();
	resident = resident_kb();
	clock_gettime(CLOCK_MONOTONIC, &began);
	well = go_round(count, netdev);
	clock_gettime(CLOCK_MONOTONIC, &ended);
	printf("# %ld s, %ld blocks more, %ld kB more resident\n", (long)(ended.tv_sec - began.tv_sec),
	       shortage_process_blocks() - blocks, resident_kb() - resident);
	ok(well >= count * 9 / 10, "nine of ten cycles connect, while links go and peers are killed");
	ok(shortage_process_blocks() == blocks, "and no block of memory is left");
	ok(no_thread_is_left(before), "and no thread");
}
