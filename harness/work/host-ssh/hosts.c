/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "host-ssh/host-ssh.h"

#define BLANKS " \t"

/* The text behind @prefix, or NULL. */
static const char *behind(const char *text, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(text, prefix, n) == 0 ? text + n : NULL;
}

static bool same_address(const char *a, const char *b)
{
	unsigned char x[sizeof(struct in6_addr)], y[sizeof(struct in6_addr)];
	int family = strchr(a, ':') ? AF_INET6 : AF_INET;

	return inet_pton(family, a, x) == 1 && inet_pton(family, b, y) == 1 &&
	       memcmp(x, y, family == AF_INET6 ? 16 : 4) == 0;
}

/* The name in "A=10.86.0.1", the end of the variable VERBATIM_IP_A, in small letters. */
static bool take_name(const char *end, char host[8])
{
	size_t n = strcspn(end, "="), i;

	if (n == 0 || n >= 8)
		return false;
	for (i = 0; i < n; i++)
		host[i] = (char)tolower((unsigned char)end[i]);
	host[n] = '\0';
	return true;
}

static bool by_environment(char *const *env, const char *name, char host[8])
{
	static const char *const prefix[] = {"VERBATIM_IP_", "VERBATIM_IP6_"};
	const char *end;
	size_t k;

	for (; *env; env++)
		for (k = 0; k < ARRAY_SIZE(prefix); k++) {
			end = behind(*env, prefix[k]);
			if (!end || !take_name(end, host))
				continue;
			if (strcmp(host, name) == 0 || same_address(name, strchr(end, '=') + 1))
				return true;
		}
	return false;
}

static bool by_line(char *const *env, char *line, const char *name, char host[8])
{
	char *save = NULL, *address, *word;

	line[strcspn(line, "#")] = '\0';
	address = strtok_r(line, BLANKS, &save);
	while (address && (word = strtok_r(NULL, BLANKS, &save)))
		if (strcasecmp(word, name) == 0)
			return strchr("0123456789abcdefABCDEF:", *address) &&
			       strpbrk(address, ".:") && by_environment(env, address, host);
	return false;
}

bool host_ssh_host(char *const *env, const char *hosts_file, const char *name, char host[8])
{
	auto_free char *text = xstrdup(hosts_file);
	char *pos = text, *line;

	if (by_environment(env, name, host))
		return true;
	while ((line = file_next_line(&pos)))
		if (by_line(env, line, name, host))
			return true;
	host[0] = '\0';
	return false;
}

bool host_ssh_host_here(const char *name, char host[8])
{
	auto_free char *text = NULL;

	host[0] = '\0';
	if (!name || !*name || !getenv("VERBATIM_RSH_SOCKET"))
		return false;
	file_read("/etc/hosts", &text, NULL, NULL);
	return host_ssh_host(environ, text ? text : "", name, host);
}
