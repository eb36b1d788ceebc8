/* SPDX-License-Identifier: BSD-2-Clause */
#include "resolver-setup.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define LATE_MOST 10
#define DEVICE_PORT "sys/class/infiniband/rxe0/ports/1"

static const char *const unbound_paths[] = {
	"/usr/sbin/unbound", "/usr/local/sbin/unbound", "/usr/bin/unbound",
};

static const char zones[] =
	"server:\n"
	"  interface: 127.0.0.1@%u\n"
	"  port: %u\n"
	"  username: \"\"\n  chroot: \"\"\n  directory: \"%s\"\n  pidfile: \"\"\n"
	"  use-syslog: no\n  logfile: \"\"\n  verbosity: 1\n"
	"  do-daemonize: no\n  num-threads: 1\n"
	"  access-control: 127.0.0.0/8 allow\n"
	"  module-config: \"iterator\"\n"
	"  max-udp-size: 512\n"
	"  minimal-responses: yes\n"
	"  rrset-roundrobin: no\n"
	"  local-zone: \".\" static\n"
	"  local-zone: \"cn.zone.\" transparent\n"
	"  local-zone: \"test.\" static\n"
	"  local-data: \"a.test. A 192.0.2.1\"\n"
	"  local-data: \"aaaa.test. AAAA 2001:db8::1\"\n"
	"  local-data: \"both.test. A 192.0.2.2\"\n"
	"  local-data: \"both.test. AAAA 2001:db8::2\"\n"
	"  local-data: \"multi.test. A 192.0.2.1\"\n"
	"  local-data: \"multi.test. A 192.0.2.2\"\n"
	"  local-data: \"multi.test. A 192.0.2.3\"\n"
	"  local-data: \"empty.test. TXT nothing\"\n"
	"  local-data: \"deep.sub.test. A 192.0.2.77\"\n"
	"  local-zone: \"refused.test.\" always_refuse\n"
	"  local-zone: \"silent.test.\" always_deny\n"
	"  local-zone: \"fails.test.\" transparent\n"
	"%s"
	"forward-zone:\n  name: \"fails.test.\"\n  forward-addr: 127.0.0.1@1\n"
	"auth-zone:\n  name: \"cn.zone.\"\n  zonefile: \"cn.zone\"\n"
	"  for-downstream: yes\n  for-upstream: yes\n  fallback-enabled: no\n"
	"remote-control:\n  control-enable: no\n";

static const char cn_zone[] =
	"$ORIGIN cn.zone.\n$TTL 60\n"
	"@ SOA ns admin 1 60 60 60 60\n@ NS ns\nns A 127.0.0.1\n"
	"a A 192.0.2.9\na AAAA 2001:db8::9\n"
	"alias CNAME middle\nmiddle CNAME a\ndangling CNAME empty\nempty TXT x\n"
	"loop1 CNAME loop2\nloop2 CNAME loop1\n";

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	if (!f || fputs(text, f) < 0 || fclose(f)) {
		perror(path);
		abort();
	}
}

void world_file(struct world *w, const char *name, const char *text)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/%s", w->dir, name);
	write_file(path, text);
}

void world_gid(struct world *w, int index, const char *ip4, const char *interface)
{
	char command[400], path[128], text[64];
	uint8_t ip[4] = {0};

	snprintf(command, sizeof(command), "mkdir -p %s/%s/gids %s/%s/gid_attrs/ndevs",
		 w->dir, DEVICE_PORT, w->dir, DEVICE_PORT);
	if (system(command) || (ip4 && inet_pton(AF_INET, ip4, ip) != 1))
		abort();
	snprintf(path, sizeof(path), DEVICE_PORT "/gids/%d", index);
	snprintf(text, sizeof(text), "0000:0000:0000:0000:0000:%s:%02x%02x:%02x%02x\n",
		 ip4 ? "ffff" : "0000", ip[0], ip[1], ip[2], ip[3]);
	world_file(w, path, text);
	snprintf(path, sizeof(path), DEVICE_PORT "/gid_attrs/ndevs/%d", index);
	snprintf(text, sizeof(text), "%s\n", interface);
	world_file(w, path, text);
}

void world_patience(struct world *w, int seconds)
{
	char text[80];

	snprintf(text, sizeof(text), "nameserver 127.0.0.1\noptions timeout:%d attempts:1\n", seconds);
	world_file(w, "resolv.conf", text);
}

bool world_answer_was_late(struct world *w, int code)
{
	return code == EAI_AGAIN && w->late++ < LATE_MOST;
}

void world_open(struct world *w)
{
	static const char *const names[] = {"hosts", "services", "resolv.conf", "run", "sys"};

	memset(w, 0, sizeof(*w));
	w->log = -1;
	strcpy(w->dir, "/tmp/vbm-world.XXXXXX");
	if (!mkdtemp(w->dir))
		abort();
	for (int i = 0; i < 5; i++)
		snprintf(w->path[i], sizeof(w->path[i]), "%s/%s", w->dir, names[i]);
	w->cfg = (struct gai_config){
		.hosts = w->path[0],
		.services = w->path[1],
		.resolv = w->path[2],
		.run = w->path[3],
		.sys = w->path[4],
		.acm_ms = 30000,
	};
	world_file(w, "hosts", "192.0.2.50 fixed.test fixed\n");
	world_file(w, "services", "onlytcp 17471/tcp\nonlyudp 17472/udp\n"
		   "roctest 17473/tcp rt\nroctest 17474/udp\n");
	world_patience(w, 30);
}

void world_serve_wrong(struct world *w, int delay_ms)
{
	w->wrong = wrong_dns_start(delay_ms);
	w->cfg.dns_port = wrong_dns_port(w->wrong);
}

void world_close(struct world *w)
{
	char command[96];

	if (w->wrong)
		wrong_dns_stop(w->wrong);
	if (w->unbound > 0) {
		kill(w->unbound, SIGTERM);
		waitpid(w->unbound, NULL, 0);
	}
	if (w->log >= 0)
		close(w->log);
	snprintf(command, sizeof(command), "rm -rf %s", w->dir);
	if (system(command))
		perror(command);
}

uint16_t free_port(void)
{
	struct sockaddr_in in = {.sin_family = AF_INET};
	socklen_t len = sizeof(in);
	int udp, tcp;

	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (;;) {
		udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		in.sin_port = 0;
		if (!bind(tcp, (void *)&in, sizeof(in)) &&
		    !getsockname(tcp, (void *)&in, &len) &&
		    !bind(udp, (void *)&in, sizeof(in)))
			break;
		close(udp);
		close(tcp);
	}
	close(udp);
	close(tcp);
	return ntohs(in.sin_port);
}

/* Wait for "start of service" in the log. False when unbound has ended or 20 s are over. */
static bool wait_until_up(int log)
{
	struct pollfd p = {.fd = log, .events = POLLIN};
	char text[8192];
	size_t used = 0;

	while (used < sizeof(text) - 1 && poll(&p, 1, 20000) == 1) {
		ssize_t n = read(log, text + used, sizeof(text) - 1 - used);

		if (n <= 0)
			break;
		used += (size_t)n;
		text[used] = '\0';
		if (strstr(text, "start of service"))
			return true;
	}
	fprintf(stderr, "unbound: %.*s\n", (int)used, text);
	return false;
}

static void configure(struct world *w)
{
	char text[32768], many[12000] = "", line[96];

	for (int i = 1; i <= 100; i++) {
		snprintf(line, sizeof(line), "  local-data: \"large.test. A 198.51.100.%d\"\n", i);
		strcat(many, line);
	}
	world_file(w, "cn.zone", cn_zone);
	snprintf(text, sizeof(text), zones, w->cfg.dns_port, w->cfg.dns_port, w->dir, many);
	world_file(w, "unbound.conf", text);
}

bool world_serve(struct world *w)
{
	const char *program = NULL;
	char conf[96];
	int pipefd[2];

	for (size_t i = 0; i < sizeof(unbound_paths) / sizeof(*unbound_paths); i++)
		if (!access(unbound_paths[i], X_OK))
			program = unbound_paths[i];
	if (!program)
		return false;
	w->cfg.dns_port = free_port();
	configure(w);
	snprintf(conf, sizeof(conf), "%s/unbound.conf", w->dir);
	if (pipe2(pipefd, O_CLOEXEC))
		abort();
	w->unbound = fork();
	if (!w->unbound) {
		dup2(pipefd[1], 2);
		execl(program, program, "-d", "-c", conf, (char *)NULL);
		_exit(127);
	}
	close(pipefd[1]);
	w->log = pipefd[0];
	return wait_until_up(w->log);
}
