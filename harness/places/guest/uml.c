/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/machine.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "guest/guest.h"
#include "guest/uml.h"
#include "names/device-types.h"

/*
 * The kernel prints warnings and worse (loglevel 5), as it does in QEMU. The driver of bonds is
 * built in, and would make one without being asked.
 */
#define BASE_CMDLINE "loglevel=5 panic=-1 rcupdate.rcu_expedited=1 bonding.max_bonds=0"

double uml_mhz(const char *cpuinfo)
{
	const char *line = strstr(cpuinfo, "\ncpu MHz");
	double mhz;

	if (!line || sscanf(line, "\ncpu MHz : %lf", &mhz) != 1 || !(mhz >= 1 && mhz < 1e6))
		return 1000;
	return mhz;
}

/* Two terminals: @number and the one after it. */
static void add_line(struct args *a, int number, const char *word, int fd, int taken_fd)
{
	args_add(a, "con%d=fd:%d,fd:%d", number, fd, fd);
	args_add(a, "con%d=fd:%d,fd:%d", number + 1, taken_fd, taken_fd);
	args_add(a, "%s=/dev/tty%d,/dev/tty%d", word, number, number + 1);
}

/* The address is that of host @number in a fabric that the runner makes. */
static void add_host(struct args *a, const struct guest_host *h)
{
	args_add(a, GUEST_WIRE_NETDEV ":transport=fd,fd=%d,mtu=%d,mac=02:56:42:00:00:%02x", h->wire_fd, GUEST_WIRE_MTU,
		 h->number + 1);
	args_add(a, GUEST_ARG_HOST "=%d", h->number);
	args_add(a, GUEST_ARG_DEVICE "=%s", device_type_or_default(h->device)->name);
}

/* lpj= saves the kernel 70 ms to measure its delay loop; each turn of it is one cycle. */
void uml_args(struct args *a, const struct machine *m)
{
	auto_free char *words = machine_words(m, "hostfs"), *cpuinfo = NULL, *initrd = machine_initrd(m);
	double mhz = file_read("/proc/cpuinfo", &cpuinfo, NULL, NULL) < 0 ? 1000 : uml_mhz(cpuinfo);

	args_add(a, "%s", m->program);
	args_add(a, "mem=%dM", m->memory_mb);
	args_add(a, "initrd=%s", initrd);
	args_add(a, "seccomp=auto");
	args_add(a, "uml_dir=%s", m->folder);
	if (m->hz > 0)
		args_add(a, "lpj=%.0f", mhz * 1000000 / m->hz);
	if (m->virtual_time)
		args_add(a, "time-travel");
	args_add(a, "con=null");
	args_add(a, "ssl=null");
	args_add(a, "con0=null,fd:%d", m->console_fd);
	add_line(a, 1, GUEST_ARG_EVENTS, m->events_fd, m->events_taken_fd);
	if (m->terminal_fd >= 0)
		add_line(a, 3, GUEST_ARG_TERMINAL, m->terminal_fd, m->terminal_taken_fd);
	if (m->host)
		add_host(a, m->host);
	if (m->coverage)
		args_add(a, GUEST_ARG_COVERAGE "=%s", m->coverage);
	if (m->extra)
		args_add(a, "%s", m->extra);
	args_add(a, BASE_CMDLINE " " GUEST_ARG_END "=halt " GUEST_ARG_MHZ "=%.3f %s", mhz, words);
}
