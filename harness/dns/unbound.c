/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns/unbound.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/child.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/service.h"
#include "base/xalloc.h"
#include "dns/zone.h"
#include "net/netns.h"
#include "fail.h"

#define OWN_PORT 53
#define START_MS 20000
#define LOG_MAX 4096

/* What it says once its sockets are open. */
#define UP "start of service"

struct unbound {
	pid_t pid;
	uint16_t port;
	int netns;		/* owned, or -1 */
	int log_fd;		/* owned; its stderr */
};

int unbound_find(const char **path, struct vbm_error *err)
{
	static const char *const places[] = {
		"/usr/sbin/unbound", "/usr/local/sbin/unbound", "/usr/bin/unbound",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(places); i++)
		if (access(places[i], X_OK) == 0) {
			*path = places[i];
			return 0;
		}
	return vbm_fail(err, ENOENT, "there is no unbound, which serves the names of \"dns:\"; "
			"install it: apt-get install unbound");
}

char *unbound_config(const struct dns_zone *zone, const char *dir, uint16_t port)
{
	return xasprintf(
		"server:\n"
		"  interface: 127.0.0.1\n  port: %u\n  access-control: 127.0.0.0/8 allow\n"
		"  username: \"\"\n  chroot: \"\"\n  directory: \"%s\"\n  pidfile: \"\"\n"
		"  use-syslog: no\n  logfile: \"\"\n  verbosity: 1\n  do-daemonize: no\n"
		"  num-threads: 1\n  module-config: \"iterator\"\n"
		/* As the zone has them, in its order, and no more. */
		"  rrset-roundrobin: no\n  minimal-responses: yes\n"
		"  hide-identity: yes\n  hide-version: yes\n"
		/* Names that it would answer for by itself. */
		"  local-zone: \"test.\" nodefault\n  local-zone: \"invalid.\" nodefault\n"
		"  local-zone: \"onion.\" nodefault\n  local-zone: \"localhost.\" nodefault\n"
		"%s"
		"auth-zone:\n  name: \".\"\n  zonefile: \"root.zone\"\n"
		"  for-downstream: yes\n  for-upstream: yes\n  fallback-enabled: no\n"
		"remote-control:\n  control-enable: no\n",
		port, dir, zone->local);
}

static int write_file(const char *dir, const char *name, const char *text, struct vbm_error *err)
{
	auto_free char *path = xasprintf("%s/%s", dir, name);
	auto_file FILE *f = fopen(path, "we");

	if (!f || fputs(text, f) < 0 || fflush(f) != 0)
		return vbm_fail(err, errno, "cannot write %s: %s", path, strerror(errno));
	return 0;
}

static void remove_files(const char *dir)
{
	auto_free char *conf = xasprintf("%s/unbound.conf", dir);
	auto_free char *zone = xasprintf("%s/root.zone", dir);

	unlink(conf);
	unlink(zone);
	rmdir(dir);
}

static int loopback_up(int netns, struct vbm_error *err)
{
	struct ifreq ifr = {.ifr_name = "lo"};
	auto_close int sock = -1;

	if (netns_socket(netns, AF_INET, SOCK_DGRAM, &sock, err) < 0)
		return -err->code;
	if (ioctl(sock, SIOCGIFFLAGS, &ifr) < 0)
		return vbm_fail(err, errno, "no loopback for the name server: %s", strerror(errno));
	ifr.ifr_flags |= IFF_UP;
	if (ioctl(sock, SIOCSIFFLAGS, &ifr) < 0)
		return vbm_fail(err, errno, "no loopback for the name server: %s", strerror(errno));
	return 0;
}

static _Noreturn void become(const char *path, const char *conf, int netns, int log, pid_t parent)
{
	const int stdio[] = {-1, -1, log};

	if (child_begin(&(struct child_setup){
			.parent = parent,
			.stdio = stdio,
			.keep = &netns,
			.keep_count = 1,
			/* The terminal's Ctrl-C is for the runner, which ends it. */
			.ignore = {SIGINT},
		}) == 0 && (netns < 0 || setns(netns, CLONE_NEWNET) == 0))
		execl(path, path, "-d", "-c", conf, (char *)NULL);
	fprintf(stderr, "%s: %s\n", path, strerror(errno));
	_exit(127);
}

/* Its last words, without the times. */
static int say_log(const char *log, bool ended, struct vbm_error *err)
{
	return vbm_fail(err, EIO, "unbound %s: %.300s", ended ? "ended" : "did not get ready",
			*log ? log : "it said nothing");
}

static int wait_until_up(const struct unbound *u, struct vbm_error *err)
{
	struct pollfd p = {.fd = u->log_fd, .events = POLLIN};
	int64_t deadline = clock_deadline_ms(START_MS);
	char text[LOG_MAX];
	size_t used = 0;
	ssize_t n;
	int ready;

	text[0] = '\0';
	while (used < sizeof(text) - 1) {
		ready = poll(&p, 1, clock_left_ms(deadline));
		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0)
			return say_log(text, false, err);
		n = read(u->log_fd, text + used, sizeof(text) - 1 - used);
		if (n <= 0)
			return say_log(text, true, err);
		used += (size_t)n;
		text[used] = '\0';
		if (strstr(text, UP))
			return 0;
	}
	return say_log(text, false, err);
}

static int start_in(struct unbound *u, const struct dns_zone *zone, const char *dir,
		    struct vbm_error *err)
{
	auto_free char *text = unbound_config(zone, dir, u->port);
	auto_free char *conf = xasprintf("%s/unbound.conf", dir);
	const char *path = NULL;
	pid_t parent = getpid();
	int log[2];

	if (unbound_find(&path, err) < 0 || write_file(dir, "unbound.conf", text, err) < 0 ||
	    write_file(dir, "root.zone", zone->records, err) < 0)
		return -err->code;
	if (pipe2(log, O_CLOEXEC) < 0)
		return vbm_fail(err, errno, "no pipe for unbound: %s", strerror(errno));
	fflush(NULL);
	u->pid = fork();
	if (u->pid == 0)
		become(path, conf, u->netns, log[1], parent);
	close(log[1]);
	u->log_fd = log[0];
	if (u->pid < 0)
		return vbm_fail(err, errno, "no process for unbound: %s", strerror(errno));
	return wait_until_up(u, err);
}

int unbound_start(struct unbound **out, const struct dns_zone *zone, uint16_t port,
		  struct vbm_error *err)
{
	struct unbound *u = xcalloc(1, sizeof(*u));
	char dir[] = "/tmp/verbatim-dns-XXXXXX";
	int ret = 0;

	u->netns = u->log_fd = -1;
	u->port = port ? port : OWN_PORT;
	if (!port)
		ret = netns_new(&u->netns, err);
	if (ret == 0 && !port)
		ret = loopback_up(u->netns, err);
	if (ret == 0 && !mkdtemp(dir))
		ret = vbm_fail(err, errno, "cannot make a folder for unbound in /tmp: %s",
			       strerror(errno));
	if (ret == 0) {
		ret = start_in(u, zone, dir, err);
		/* It has read them. */
		remove_files(dir);
	}
	if (ret < 0) {
		unbound_stop(u);
		return ret;
	}
	*out = u;
	return 0;
}

void unbound_stop(struct unbound *u)
{
	if (!u)
		return;
	child_end(u->pid);
	if (u->netns >= 0)
		close(u->netns);
	if (u->log_fd >= 0)
		close(u->log_fd);
	free(u);
}

uint16_t unbound_port(const struct unbound *u)
{
	return u->port;
}

int unbound_netns(const struct unbound *u)
{
	return u->netns;
}
