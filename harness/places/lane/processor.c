/* SPDX-License-Identifier: BSD-2-Clause */
#include "lane/processor.h"

#include <stdio.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/address.h"

void processor_nth(const cpu_set_t *all, int here, int n, cpu_set_t *one)
{
	int i, count = CPU_COUNT(all);

	CPU_ZERO(one);
	if (!count || here < 0)
		return;
	n %= count;
	for (i = here;; i = (i + 1) % CPU_SETSIZE)
		if (CPU_ISSET(i, all) && n-- == 0)
			break;
	CPU_SET(i, one);
}

static int claim(const cpu_set_t *one)
{
	auto_close int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un sa;
	socklen_t len;
	char name[32];
	int cpu = 0;

	while (cpu < CPU_SETSIZE && !CPU_ISSET(cpu, one))
		cpu++;
	snprintf(name, sizeof(name), "verbatim-processor-%d", cpu);
	if (fd < 0 || address_abstract(name, &sa, &len) < 0 ||
	    bind(fd, (struct sockaddr *)&sa, len) < 0)
		return -1;
	return steal_fd(&fd);
}

int processor_take(int n, cpu_set_t *one)
{
	int here = sched_getcpu(), i, fd;
	cpu_set_t all;

	CPU_ZERO(&all);
	sched_getaffinity(0, sizeof(all), &all);
	for (i = 0; i < CPU_COUNT(&all) && here >= 0; i++) {
		processor_nth(&all, here, i, one);
		fd = claim(one);
		if (fd >= 0)
			return fd;
	}
	processor_nth(&all, here, n, one);
	return -1;
}
