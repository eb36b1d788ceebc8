/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define HOST_MAX (INET6_ADDRSTRLEN + ADDRESS_SCOPE_MAX)	/* "IP6%SCOPE" and a NUL */

static bool read_port(const char *text, int *port)
{
	size_t n = strspn(text, "0123456789");

	if (!n || n > 5 || text[n])
		return false;
	*port = (int)strtol(text, NULL, 10);
	return *port <= 65535;
}

/* The kernel refuses an interface name with a slash, a colon or a blank. */
static bool read_scope(const char *text, char scope[ADDRESS_SCOPE_MAX])
{
	size_t n = strcspn(text, "/: \t\n\r\f\v%");

	if (!n || n >= ADDRESS_SCOPE_MAX || text[n])
		return false;
	memcpy(scope, text, n + 1);
	return true;
}

static bool read_ip(char *host, struct address *a)
{
	char *percent = strchr(host, '%');

	a->family = strchr(host, ':') ? AF_INET6 : AF_INET;
	if (percent) {
		*percent = '\0';
		if (a->family != AF_INET6 || !read_scope(percent + 1, a->scope))
			return false;
	}
	return inet_pton(a->family, host, a->ip) == 1;
}

bool address_read(const char *text, struct address *a)
{
	const char *host = text, *end = text + strlen(text), *port = NULL;
	char copy[HOST_MAX];
	size_t n;

	*a = (struct address){.port = -1};
	if (*text == '[') {
		host++;
		end = strstr(text, "]:");
		port = end ? end + 2 : NULL;
		if (!end || !memchr(host, ':', (size_t)(end - host)))
			return false;
	} else if (strchr(text, ':') && strchr(text, ':') == strrchr(text, ':')) {
		end = strchr(text, ':');
		port = end + 1;
	}
	n = (size_t)(end - host);
	if (n >= sizeof(copy) || (port && !read_port(port, &a->port)))
		return false;
	memcpy(copy, host, n);
	copy[n] = '\0';
	return read_ip(copy, a);
}

int address_abstract(const char *name, struct sockaddr_un *sa, socklen_t *len)
{
	size_t n = strlen(name);

	if (n == 0 || n >= sizeof(sa->sun_path))
		return -ENAMETOOLONG;
	*sa = (struct sockaddr_un){.sun_family = AF_UNIX};
	memcpy(sa->sun_path + 1, name, n);
	*len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
	return 0;
}
