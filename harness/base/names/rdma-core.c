/* SPDX-License-Identifier: BSD-2-Clause */
#include "names/rdma-core.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

int rdma_core_parse(const char *file, char *version, size_t size)
{
	const char *so = strstr(file, ".so.");
	int abi, minor, major, patch, n = 0;

	if (!so || sscanf(so, ".so.%d.%d.%d.%d%n", &abi, &minor, &major, &patch, &n) != 4 ||
	    so[n])
		return -EINVAL;
	snprintf(version, size, "%d.%d", major, patch);
	return 0;
}

int rdma_core_parse_build(const char *text, char *version, size_t size)
{
	static const char word[] = "PACKAGE_VERSION";
	const char *at = text, *end;
	size_t n;

	while ((at = strstr(at, word))) {
		at += strlen(word);
		at += strspn(at, " \t");
		if (*at != '"')
			continue;
		n = strspn(at + 1, "0123456789.");
		end = at + 1 + n;
		if (!isdigit((unsigned char)at[1]) || *end != '"' || n >= size)
			continue;
		memcpy(version, at + 1, n);
		version[n] = '\0';
		return 0;
	}
	return -EINVAL;
}

int rdma_core_provider_suffix(const char *library, size_t len, char *suffix, size_t size)
{
	static const char word[] = "-rdmav";
	const char *at = library, *end = library + len;
	size_t n;

	while ((at = memmem(at, (size_t)(end - at), word, strlen(word)))) {
		/* A NUL follows the bytes; @len does not count it. */
		n = strlen(word) + strspn(at + strlen(word), "0123456789");
		if (n > strlen(word) && n + 3 < size && strncmp(at + n, ".so", 4) == 0) {
			memcpy(suffix, at, n + 4);
			return 0;
		}
		at += n;
	}
	return -ENOENT;
}

char *rdma_core_service_folder(const char *library, size_t len)
{
	static const char name[] = "/ibacm.port";
	const char *end = memmem(library, len, name, sizeof(name)), *begin = end;

	while (begin && begin > library && begin[-1])
		begin--;
	return begin && *begin == '/' ? xstrndup(begin, (size_t)(end - begin)) : NULL;
}

/* The real path of the file with the code at @symbol, or NULL. */
static char *file_of(const void *symbol)
{
	Dl_info info;

	return dladdr(symbol, &info) && info.dli_fname ? realpath(info.dli_fname, NULL) : NULL;
}

const char *rdma_core_file(void)
{
	static char *file;

	if (!file)
		file = file_of((void *)rdma_create_id);
	return file ? file : "unknown";
}

const char *rdma_core_version(void)
{
	static char version[32];
	auto_free char *file = NULL;

	if (version[0])
		return version;
	file = file_of((void *)ibv_get_device_list);
	if (!file || rdma_core_parse(file, version, sizeof(version)) < 0)
		strcpy(version, "unknown");
	return version;
}
