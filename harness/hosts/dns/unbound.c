/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns/unbound.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "dns/unbound-control.h"
#include "lib/base/fail.h"
#include "net/netns.h"
#include "process/child.h"

#define START_MS 20000
#define WORDS_MAX 300	/* the end of unbound's log, in an error message */

/* unbound writes this when its sockets are open. */
#define UP "start of service"

static const struct unbound_ports own_ports = {.dns = 53, .control = 8953};

struct unbound {
	pid_t pid;
	struct unbound_ports ports;
	int pidfd, netns, log_fd, zone_fd;	/* owned, or -1 */
};

int unbound_find(const char **path, struct vbm_error *err)
{
	static const char *const paths[] = {
		"/usr/sbin/unbound", "/usr/local/sbin/unbound", "/usr/bin/unbound",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(paths); i++)
		if (access(paths[i], X_OK) == 0) {
			*path = paths[i];
			return 0;
		}
	return vbm_fail(err, ENOENT, "unbound is not installed, and it serves the names of \"dns:\"; "
			"install it: apt-get install unbound");
}

char *unbound_config(const struct unbound_ports *ports, const char *zonefile)
{
	return xasprintf(
		"server:\n"
		"  interface: 127.0.0.1\n  port: %u\n  access-control: 127.0.0.0/8 allow_setrd\n"
		"  username: \"\"\n  chroot: \"\"\n  directory: \"\"\n  pidfile: \"\"\n"
		"  use-syslog: no\n  logfile: \"\"\n  verbosity: 1\n  do-daemonize: no\n"
		"  num-threads: 1\n  so-reuseport: no\n  module-config: \"iterator\"\n  qname-minimisation: no\n"
		/* unbound asks no server, and shuffling ports would take most of its start-up time. */
		"  outgoing-port-avoid: \"0-65535\"\n  outgoing-port-permit: \"20000-20009\"\n"
		"  outgoing-range: 16\n  outgoing-num-tcp: 0\n"
		"  msg-cache-size: 64k\n  rrset-cache-size: 64k\n  infra-cache-numhosts: 16\n"
		/* Answers have the zone's records in the zone's order, and no other records. */
		"  rrset-roundrobin: no\n  minimal-responses: yes\n"
		"  hide-identity: yes\n  hide-version: yes\n"
		/* unbound would answer for these names itself. */
		"  local-zone: \"test.\" nodefault\n  local-zone: \"invalid.\" nodefault\n"
		"  local-zone: \"onion.\" nodefault\n  local-zone: \"localhost.\" nodefault\n"
		/*
		 * The zone is for the resolver and not for clients, because only the
		 * resolver follows an alias to its end.
		 */
		"auth-zone:\n  name: \".\"\n  zonefile: \"%s\"\n"
		"  for-downstream: no\n  for-upstream: yes\n  fallback-enabled: no\n"
		"remote-control:\n  control-enable: yes\n  control-interface: 127.0.0.1\n"
		"  control-port: %u\n  control-use-cert: no\n",
		ports->dns, zonefile, ports->control);
}

static int loopback_up(int netns, struct vbm_error *err)
{
	struct ifreq ifr = {.ifr_name = "lo"};
	auto_close int sock = -1;

	if (netns_socket(netns, AF_INET, SOCK_DGRAM, &sock, err) < 0)
		return -err->code;
	if (ioctl(sock, SIOCGIFFLAGS, &ifr) < 0)
		return vbm_fail(err, errno, "cannot set up the loopback for the name server: %s", strerror(errno));
	ifr.ifr_flags |= IFF_UP;
	if (ioctl(sock, SIOCSIFFLAGS, &ifr) < 0)
		return vbm_fail(err, errno, "cannot set up the loopback for the name server: %s", strerror(errno));
	return 0;
}

static int write_config(int fd, const char *text, struct vbm_error *err)
{
	size_t len = strlen(text);

	if (ftruncate(fd, 0) < 0 || pwrite(fd, text, len, 0) != (ssize_t)len)
		return vbm_fail(err, errno, "cannot write unbound's configuration: %s", strerror(errno));
	return 0;
}

static int file_in_memory(const char *name, const char *text, struct vbm_error *err)
{
	auto_close int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd < 0)
		return vbm_fail(err, errno, "cannot make a memory file for unbound: %s", strerror(errno));
	if (write_config(fd, text, err) < 0)
		return -err->code;
	return steal_fd(&fd);
}

/*
 * A pipe would fill up and block unbound while nobody reads it. The kernel does not report
 * changes of a file in memory. So the log is a file on disk without a name.
 */
static int open_log(struct unbound *u, int *changes, struct vbm_error *err)
{
	char path[] = "/tmp/verbatim-dns-XXXXXX";
	int ret = 0;

	u->log_fd = mkostemp(path, O_APPEND | O_CLOEXEC);
	if (u->log_fd < 0)
		return vbm_fail(err, errno, "cannot make unbound's log in /tmp: %s", strerror(errno));
	*changes = inotify_init1(IN_CLOEXEC);
	if (*changes < 0 || inotify_add_watch(*changes, path, IN_MODIFY) < 0)
		ret = vbm_fail(err, errno, "cannot watch the log of unbound: %s", strerror(errno));
	unlink(path);
	return ret;
}

static _Noreturn void become(const struct unbound *u, const char *path, int conf_fd, pid_t parent)
{
	const int stdio[] = {-1, -1, u->log_fd};
	const int keep[] = {conf_fd, u->zone_fd, u->netns};
	auto_free char *conf = xasprintf("/proc/self/fd/%d", conf_fd);
	int ret = child_begin(&(struct child_setup){
		.parent = parent,
		.stdio = stdio,
		.keep = keep,
		.keep_count = ARRAY_SIZE(keep),
		/* Ctrl-C at the terminal is for the runner, which then ends unbound. */
		.ignore = {SIGINT},
	});

	/* unbound handles the signals of a terminal, so it gets a process group of its own. */
	setpgid(0, 0);
	if (ret == 0 && fcntl(conf_fd, F_SETFD, 0) == 0 && fcntl(u->zone_fd, F_SETFD, 0) == 0 &&
	    (u->netns < 0 || setns(u->netns, CLONE_NEWNET) == 0))
		execl(path, path, "-d", "-c", conf, (char *)NULL);
	fprintf(stderr, "%s: %s\n", path, strerror(errno));
	_exit(127);
}

static int say_log(const struct unbound *u, const char *what, struct vbm_error *err)
{
	auto_free char *log = child_log_read(u->log_fd, "name server", err);
	size_t len = log ? strlen(log) : 0;

	while (len && log[len - 1] == '\n')
		log[--len] = '\0';
	if (!log)
		return -err->code;
	return vbm_fail(err, EIO, "unbound %s: %s", what,
			!len ? "it wrote nothing" : len > WORDS_MAX ? log + len - WORDS_MAX : log);
}

static int say_end(const struct unbound *u, struct vbm_error *err)
{
	auto_free char *what = NULL;
	siginfo_t info = {0};

	waitid(P_PIDFD, (id_t)u->pidfd, &info, WEXITED | WNOHANG | WNOWAIT);
	what = xasprintf("ended (%s %d)", info.si_code == CLD_EXITED ? "status" : "signal",
			 info.si_status);
	return say_log(u, what, err);
}

static bool is_up(const struct unbound *u)
{
	auto_free char *log = child_log_read(u->log_fd, "name server", NULL);

	return log && strstr(log, UP);
}

static int wait_until_up(const struct unbound *u, int changes, struct vbm_error *err)
{
	struct pollfd p[] = {
		{.fd = changes, .events = POLLIN},
		{.fd = u->pidfd, .events = POLLIN},
	};
	int64_t deadline = clock_deadline_ms(START_MS);
	char events[1024];
	int ready;

	while (!is_up(u)) {
		ready = poll(p, ARRAY_SIZE(p), clock_left_ms(deadline));
		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0)
			return say_log(u, "did not get ready", err);
		if (p[1].revents)
			return say_end(u, err);
		if (read(changes, events, sizeof(events)) < 0)
			return vbm_fail(err, errno, "cannot watch the log of unbound: %s",
					strerror(errno));
	}
	return 0;
}

static int start_unbound(struct unbound *u, const char *records, struct vbm_error *err)
{
	auto_free char *zonefile = NULL, *text = NULL;
	auto_close int conf = -1, changes = -1;
	const char *path = NULL;
	pid_t parent = getpid();

	if (unbound_find(&path, err) < 0)
		return -err->code;
	u->zone_fd = file_in_memory("root.zone", records, err);
	if (u->zone_fd < 0)
		return -err->code;
	zonefile = xasprintf("/proc/self/fd/%d", u->zone_fd);
	text = unbound_config(&u->ports, zonefile);
	conf = file_in_memory("unbound.conf", text, err);
	if (conf < 0 || open_log(u, &changes, err) < 0)
		return -err->code;
	fflush(NULL);
	u->pid = fork();
	if (u->pid == 0)
		become(u, path, conf, parent);
	u->pidfd = u->pid < 0 ? -1 : pidfd_open(u->pid, 0);
	if (u->pidfd < 0)
		return vbm_fail(err, errno, "cannot start unbound: %s", strerror(errno));
	return wait_until_up(u, changes, err);
}

int unbound_start(struct unbound **out, const struct unbound_ports *ports, const char *records,
		  struct vbm_error *err)
{
	struct unbound *u = xcalloc(1, sizeof(*u));
	int ret = 0;

	u->pidfd = u->netns = u->log_fd = u->zone_fd = -1;
	u->ports = ports ? *ports : own_ports;
	if (!ports)
		ret = netns_new(&u->netns, err);
	if (ret == 0 && !ports)
		ret = loopback_up(u->netns, err);
	if (ret == 0)
		ret = start_unbound(u, records, err);
	if (ret < 0) {
		unbound_stop(u);
		return ret;
	}
	*out = u;
	return 0;
}

void unbound_stop(struct unbound *u)
{
	const int fds[] = {u ? u->pidfd : -1, u ? u->netns : -1, u ? u->log_fd : -1,
			   u ? u->zone_fd : -1};
	size_t i;

	if (!u)
		return;
	child_end(u->pid);
	for (i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(u);
}

int unbound_serve(struct unbound *u, const char *records, struct vbm_error *err)
{
	/* The second command removes what the resolver has learnt from the old records. */
	static const char *const orders[] = {"auth_zone_reload .", "flush_zone ."};
	size_t i;

	if (child_log_clear(u->log_fd, "name server", err) < 0 ||
	    write_config(u->zone_fd, records, err) < 0)
		return -err->code;
	for (i = 0; i < ARRAY_SIZE(orders); i++)
		if (unbound_control(u->netns, u->ports.control, orders[i], err) < 0)
			return lseek(u->log_fd, 0, SEEK_END) > 0 ?
				say_log(u, "does not accept the names", err) : -err->code;
	return 0;
}

int unbound_check(const struct unbound *u, struct vbm_error *err)
{
	struct pollfd p = {.fd = u->pidfd, .events = POLLIN};

	return poll(&p, 1, 0) == 1 ? say_end(u, err) : 0;
}

uint16_t unbound_port(const struct unbound *u)
{
	return u->ports.dns;
}

int unbound_netns(const struct unbound *u)
{
	return u->netns;
}

pid_t unbound_pid(const struct unbound *u)
{
	return u->pid;
}
