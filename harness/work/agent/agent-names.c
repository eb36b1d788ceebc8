/* SPDX-License-Identifier: BSD-2-Clause */
#include "agent/agent-names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "acm/responder.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "names/rdma-core.h"

/*
 * The files are written to a tmpfs here, which no other process sees. It is unmounted
 * when the files have been mounted over those in /etc.
 */
#define WORKSHOP "/tmp"

static int install(const char *name, const char *text, struct vbm_error *err)
{
	auto_free char *made = xasprintf(WORKSHOP "/%s", name);
	auto_free char *target = xasprintf("/etc/%s", name);
	auto_close int fd = open(made, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	size_t len = strlen(text);

	if (fd < 0 || write(fd, text, len) != (ssize_t)len)
		return vbm_fail(err, errno, "cannot write %s: %s", made, strerror(errno));
	if (mount(made, target, NULL, MS_BIND, NULL) < 0)
		return vbm_fail(err, errno, "cannot put the scenario's file over %s: %s%s", target,
				strerror(errno),
				errno == ENOENT ? " (make an empty one)" : "");
	return 0;
}

int names_install(const struct host_files *n, struct vbm_error *err)
{
	const struct {
		const char *name, *text;
	} files[] = {
		{"hosts", n->hosts},
		{"resolv.conf", n->resolv},
		{"nsswitch.conf", n->nsswitch},
		{"services", n->services},
	};
	int ret = 0;
	size_t i;

	if (mount("tmpfs", WORKSHOP, "tmpfs", 0, "mode=755,size=16m") < 0)
		return vbm_fail(err, errno, "cannot mount a tmpfs: %s", strerror(errno));
	for (i = 0; ret == 0 && i < ARRAY_SIZE(files); i++)
		if (files[i].text)
			ret = install(files[i].name, files[i].text, err);
	if (umount2(WORKSHOP, MNT_DETACH) < 0 && ret == 0)
		ret = vbm_fail(err, errno, "cannot unmount a tmpfs: %s", strerror(errno));
	return ret;
}

int names_hide_services(struct vbm_error *err)
{
	if (mount("tmpfs", ACM_RUN, "tmpfs", 0, "mode=755,size=16m") < 0)
		return vbm_fail(err, errno, "cannot mount a tmpfs over " ACM_RUN ": %s",
				strerror(errno));
	return 0;
}

int names_show_services(struct vbm_error *err)
{
	const char *where = getenv(RDMA_CORE_ENV_SERVICES);

	if (!where || strcmp(where, ACM_RUN) == 0)
		return 0;
	if (file_make_dirs(where, err) < 0)
		return -err->code;
	if (mount(ACM_RUN, where, NULL, MS_BIND, NULL) < 0)
		return vbm_fail(err, errno, "cannot show the path service in %s: %s", where,
				strerror(errno));
	return 0;
}
