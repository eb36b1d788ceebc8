/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "guest/guest.h"
#include "lib/base/fail.h"

#define QEMU_NAME "qemu-system-x86_64"
#define GUEST_CPUS_MAX 2

/*
 * The kernel prints warnings and worse (loglevel 5), skips work that costs boot time and
 * that no guest needs, and ends QEMU at once when it panics. An oops is a panic:
 * otherwise other tasks would wait some minutes for the task that the oops ended.
 */
#define BASE_CMDLINE                                                          \
	"console=ttyS0 loglevel=5 oops=panic panic=-1 reboot=t nokaslr "       \
	"mitigations=off tsc=reliable no_timer_check nowatchdog "              \
	"random.trust_cpu=on "                                                 \
	"rcupdate.rcu_expedited=1 rcupdate.rcu_cpu_stall_timeout=60 "         \
	"cryptomgr.notests 8250.nr_uarts=1 i8042.noaux i8042.nopnp"

/* QEMU doubles a comma that is part of a value. */
static char *escape(const char *path)
{
	char *out = xcalloc(2 * strlen(path) + 1, 1), *w = out;

	for (; *path; path++) {
		if (*path == ',')
			*w++ = ',';
		*w++ = *path;
	}
	return out;
}

static void add_port(struct args *a, const char *id, const char *name, int fd)
{
	args_add(a, "-chardev");
	args_add(a, "socket,id=%s,fd=%d", id, fd);
	args_add(a, "-device");
	args_add(a, "virtserialport,chardev=%s,name=%s", id, name);
}

static void add_folder(struct args *a, const char *path, const char *tag, bool readonly)
{
	auto_free char *escaped = escape(path);

	args_add(a, "-virtfs");
	args_add(a, "local,path=%s,mount_tag=%s,security_model=none,multidevs=remap%s",
		 escaped, tag, readonly ? ",readonly=on" : "");
}

/*
 * Emulated processors spin while they wait for each other, above all at boot, so a second
 * one doubles the time of a run. But two programs that both poll, which exec and shell
 * may start, need one processor each.
 */
static int processors(const struct machine *m)
{
	if (m->cpus)
		return m->cpus;
	if (!m->kvm && !m->files_seen)
		return 1;
	return sysconf(_SC_NPROCESSORS_ONLN) >= GUEST_CPUS_MAX ? GUEST_CPUS_MAX : 1;
}

/*
 * The emulated time stamp counter is this machine's. A kernel measures its frequency at
 * boot by emulated timers, which are late on a busy machine: one boot in 30 found a fifth
 * of the frequency, and its clock ran five times as fast.
 */
static char *clock_words(const struct machine *m)
{
	return m->tsc_khz ? xasprintf(" tsc_early_khz=%ld", m->tsc_khz) : xstrdup("");
}

void qemu_args(struct args *a, const struct machine *m)
{
	auto_free char *words = machine_words(m, "9p"), *clock = clock_words(m);
	auto_free char *initrd = machine_initrd(m);
	size_t i;

	args_add(a, "%s", m->program);
	args_add(a, "-nodefaults");
	args_add(a, "-no-user-config");
	args_add(a, "-no-reboot");
	args_add(a, "-sandbox");
	args_add(a, "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny");
	args_add(a, "-display");
	args_add(a, "none");
	args_add(a, "-machine");
	args_add(a, "pc,accel=%s", m->kvm ? "kvm" : "tcg");
	args_add(a, "-cpu");
	args_add(a, "%s", m->kvm ? "host" : "max");
	args_add(a, "-m");
	args_add(a, "%d", m->memory_mb);
	args_add(a, "-smp");
	args_add(a, "%d", processors(m));
	args_add(a, "-kernel");
	args_add(a, "%s", m->image);
	args_add(a, "-initrd");
	args_add(a, "%s", initrd);
	args_add(a, "-append");
	args_add(a, BASE_CMDLINE " " GUEST_ARG_EVENTS "=" GUEST_PORT_EVENTS "%s%s %s",
		 m->terminal_fd >= 0 ? " " GUEST_ARG_TERMINAL "=" GUEST_PORT_TERMINAL : "", clock, words);
	args_add(a, "-chardev");
	args_add(a, "file,id=console,path=/proc/self/fd/%d,append=on", m->console_fd);
	args_add(a, "-serial");
	args_add(a, "chardev:console");
	args_add(a, "-device");
	args_add(a, "virtio-serial-pci");
	add_port(a, "events", GUEST_PORT_EVENTS, m->events_fd);
	if (m->terminal_fd >= 0)
		add_port(a, "terminal", GUEST_PORT_TERMINAL, m->terminal_fd);
	if (m->files_seen)
		add_folder(a, "/", GUEST_TAG_ROOT, true);
	if (m->files_seen && m->kept)
		add_folder(a, m->kept, GUEST_TAG_KEPT, false);
	for (i = 0; m->files_seen && i < m->shares; i++) {
		auto_free char *tag = xasprintf(GUEST_TAG_SHARE "%zu", i);

		add_folder(a, m->share[i].path, tag, m->share[i].readonly);
	}
}

int qemu_find(char **path, struct vbm_error *err)
{
	const char *own = getenv("VERBATIM_QEMU"), *dir = getenv("PATH");
	size_t n;

	if (own && !*own)
		own = NULL;
	if (own && access(own, X_OK) == 0) {
		*path = xstrdup(own);
		return 0;
	}
	if (own)
		return vbm_fail(err, ENOENT, "VERBATIM_QEMU=%s: %m", own);
	for (; dir && *dir; dir += n + (dir[n] == ':')) {
		n = strcspn(dir, ":");
		*path = xasprintf("%.*s/" QEMU_NAME, (int)n, dir);
		if (access(*path, X_OK) == 0)
			return 0;
		free(*path);
	}
	*path = NULL;
	return vbm_fail(err, ENOENT,
			QEMU_NAME " is not installed; install it: apt-get install qemu-system-x86");
}
