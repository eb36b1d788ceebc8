/* SPDX-License-Identifier: BSD-2-Clause */
#include "names-sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
#include "dns/server.h"
#include "dns/unbound.h"
#include "names-stray.h"

enum { SERVER = 1, STRAY = 3, NOBODY = 9 };	/* 127.0.0.N */

static struct {
	char dir[64];
	struct dns_pool *pool;
	struct dns_server *server;
	unsigned int written;
} sandbox;

__attribute__((format(printf, 2, 3)))
static bool write_file(const char *path, const char *format, ...)
{
	FILE *f = fopen(path, "we");
	va_list ap;
	bool ok;

	if (!f)
		return false;
	va_start(ap, format);
	ok = vfprintf(f, format, ap) >= 0;
	va_end(ap);
	return !fclose(f) && ok;
}

/* Enter new namespaces, as root or, without privileges, in a user namespace. */
static bool enter(void)
{
	const int wanted = CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWUTS;
	uid_t uid = geteuid();
	gid_t gid = getegid();

	if (!unshare(wanted))
		return true;
	return !unshare(wanted | CLONE_NEWUSER) &&
		write_file("/proc/self/setgroups", "deny") &&
		write_file("/proc/self/uid_map", "0 %u 1", uid) &&
		write_file("/proc/self/gid_map", "0 %u 1", gid);
}

static bool loopback_up(void)
{
	struct ifreq ifr = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING | IFF_LOOPBACK};
	auto_close int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	return !ioctl(fd, SIOCSIFFLAGS, &ifr);
}

/* Only this process sees the new file. */
static bool replace_file(const char *name, const char *text)
{
	char mine[128], etc[64];

	snprintf(mine, sizeof(mine), "%s/%s", sandbox.dir, name);
	snprintf(etc, sizeof(etc), "/etc/%s", name);
	return write_file(mine, "%s", text) && !mount(mine, etc, NULL, MS_BIND, NULL);
}

static bool replace_files(void)
{
	strcpy(sandbox.dir, "/tmp/vbm-names.XXXXXX");
	return !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) && mkdtemp(sandbox.dir) &&
		replace_file("hosts", "") && replace_file("resolv.conf", "") &&
		replace_file("nsswitch.conf", "hosts: files dns\nservices: files\n");
}

bool sandbox_open(char *why, size_t room)
{
	struct vbm_error err = {0};
	const char *path;

	unsetenv("LOCALDOMAIN");
	unsetenv("RES_OPTIONS");
	if (unbound_find(&path, &err) < 0) {
		snprintf(why, room, "%s", err.msg);
		return false;
	}
	if (!enter() || !loopback_up() || !replace_files() || sethostname("here", 4) ||
	    stray_start(STRAY, SERVER) < 0) {
		snprintf(why, room, "no network and no /etc of its own: %s", strerror(errno));
		sandbox_close();
		return false;
	}
	sandbox.pool = dns_pool_new();
	return true;
}

void sandbox_close(void)
{
	static const char *const names[] = {"hosts", "resolv.conf", "nsswitch.conf"};
	char path[128];

	dns_pool_free(sandbox.pool);
	if (!sandbox.dir[0])
		return;
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "/etc/%s", names[i]);
		umount2(path, MNT_DETACH);
		snprintf(path, sizeof(path), "%s/%s", sandbox.dir, names[i]);
		unlink(path);
	}
	rmdir(sandbox.dir);
}

/* The C library reads the file again when its size or its time has changed. */
static bool write_resolv_conf(const struct zone *z)
{
	char text[1024];
	int n = 0;

	if (z->dead_first)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "nameserver 127.0.0.%d\n", NOBODY);
	n += snprintf(text + n, sizeof(text) - (size_t)n, "nameserver 127.0.0.%d\nsearch",
		      z->stray ? STRAY : SERVER);
	for (size_t i = 0; i < z->searches; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, " %s", z->search[i]);
	snprintf(text + n, sizeof(text) - (size_t)n,
		 "\noptions ndots:%d timeout:%d attempts:%d%s%s\n%s", z->ndots, z->timeout_s,
		 z->attempts, z->use_tcp ? " use-vc" : "", z->rotate ? " rotate" : "",
		 sandbox.written++ % 2 ? "#\n" : "# \n");
	return write_file("/etc/resolv.conf", "%s", text);
}

int sandbox_serve(const struct zone *z, struct vbm_error *err)
{
	const struct dns_server_options opts = {.netns_fd = -1, .address = "127.0.0.1"};
	auto_free char *text = zone_text(z);
	auto_value struct value *v = json_read(text, strlen(text), err);

	if (!v)
		return -EINVAL;
	if (!write_resolv_conf(z))
		return -errno;
	return dns_server_start(&sandbox.server, sandbox.pool, &opts, v, err);
}

void sandbox_stop(void)
{
	dns_server_stop(sandbox.server);
	sandbox.server = NULL;
}
