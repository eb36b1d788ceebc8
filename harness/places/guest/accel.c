/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/accel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/cache.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

#define REMEMBERED_SECONDS (7ll * 24 * 3600)

int accel_kvm_check(struct vbm_error *err)
{
	auto_close int fd = open("/dev/kvm", O_RDWR | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT)
		return vbm_fail(err, ENOENT, "this machine has no /dev/kvm");
	if (fd < 0 && errno == EACCES)
		return vbm_fail(err, EACCES,
				"/dev/kvm is not permitted; allow it: sudo usermod -aG kvm "
				"$USER, then log in again");
	if (fd < 0)
		return vbm_fail(err, errno, "cannot open /dev/kvm: %m");
	if (ioctl(fd, KVM_GET_API_VERSION, 0) != KVM_API_VERSION)
		return vbm_fail(err, ENOTSUP, "/dev/kvm does not speak KVM");
	return 0;
}

static char *processor(void)
{
	auto_free char *text = NULL;
	char *pos, *line, *value;

	if (file_read("/proc/cpuinfo", &text, NULL, NULL) < 0)
		return xstrdup("");
	for (pos = text; (line = file_next_line(&pos));) {
		value = strstr(line, ": ");
		if (value && !strncmp(line, "model name", 10))
			return xstrdup(value + 2);
	}
	return xstrdup("");
}

char *accel_key(const char *qemu)
{
	auto_free char *cpu = processor();
	struct stat st = {0};
	struct utsname u;

	uname(&u);
	stat(qemu, &st);
	return xasprintf("%s|%s|%s|%lld|%lld", u.release, cpu, qemu, (long long)st.st_size,
			 (long long)st.st_mtime);
}

bool accel_memory_has(const char *text, const char *key, long long now)
{
	const char *line = text;
	long long when;
	char *end;
	size_t n;

	for (; *line; line += n + (line[n] == '\n')) {
		n = strcspn(line, "\n");
		when = strtoll(line, &end, 10);
		if (*end != ' ' || (size_t)(end + 1 - line) > n)
			continue;
		if (strlen(key) == n - (size_t)(end + 1 - line) &&
		    !strncmp(end + 1, key, strlen(key)))
			return when <= now && now - when < REMEMBERED_SECONDS;
	}
	return false;
}

char *accel_memory_set(const char *text, const char *key, bool broken, long long now)
{
	auto_free char *copy = xstrdup(text), *out = NULL;
	char *pos = copy, *line, *longer;

	out = broken ? xasprintf("%lld %s\n", now, key) : xstrdup("");
	while ((line = file_next_line(&pos))) {
		const char *space = strchr(line, ' ');

		if (!space || !strcmp(space + 1, key))
			continue;
		longer = xasprintf("%s%s\n", out, line);
		free(out);
		out = longer;
	}
	return steal(&out);
}

static char *memory_path(void)
{
	return cache_path("kvm-broken");
}

bool accel_is_broken(const char *key)
{
	auto_free char *path = memory_path(), *text = NULL;

	return file_read(path, &text, NULL, NULL) == 0 &&
	       accel_memory_has(text, key, time(NULL));
}

/* If this cannot be written, the next run just tries KVM again. */
void accel_remember(const char *key, bool broken)
{
	auto_free char *path = memory_path(), *dir = cache_path(""), *text = NULL, *next = NULL;

	if (file_read(path, &text, NULL, NULL) < 0)
		text = xstrdup("");
	next = accel_memory_set(text, key, broken, time(NULL));
	if (strcmp(text, next) != 0 && file_make_dirs(dir, NULL) == 0)
		file_replace(path, next, NULL);
}
