/* SPDX-License-Identifier: BSD-2-Clause */
#include "job/loaded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/emit.h"
#include "lib/base/fail.h"
#include "names/rdma-core.h"

/* The runner has only one job. */
static bool telling;
static struct value *told;	/* owned; all files that were in an event */

int loaded_expect(const char *file, struct vbm_error *err)
{
	const char *have = rdma_core_file();
	struct stat want, got;

	telling = file != NULL;
	if (!file)
		return 0;
	if (stat(file, &want) < 0)
		return vbm_fail(err, errno, "%s: %s", file, strerror(errno));
	if (stat(have, &got) < 0 || want.st_dev != got.st_dev || want.st_ino != got.st_ino)
		return vbm_fail(err, ELIBBAD, "the dynamic linker loaded %s instead of %s", have, file);
	return 0;
}

static bool is_of_rdma_core(const char *path)
{
	const char *name = strrchr(path, '/') + 1;

	return !strncmp(name, "librdmacm.so", 12) || !strncmp(name, "libibverbs.so", 13) ||
	       strstr(name, "-rdmav");
}

static bool contains_text(const struct value *list, const char *s)
{
	size_t i;

	for (i = 0; list && i < list->list.count; i++)
		if (!strcmp(list->list.item[i]->s, s))
			return true;
	return false;
}

struct value *loaded_files(char *maps, const struct value *known)
{
	struct value *list = value_list();
	char *line, *path;

	while ((line = file_next_line(&maps))) {
		path = strchr(line, '/');
		if (path && is_of_rdma_core(path) && !contains_text(list, path) && !contains_text(known, path))
			value_append(list, value_string(path));
	}
	return list;
}

void loaded_tell(pid_t pid, struct emitter *emit)
{
	auto_free char *path = NULL, *maps = NULL;
	auto_value struct value *files = NULL;
	struct value *event;
	size_t i;

	if (!telling || pid <= 0)
		return;
	path = xasprintf("/proc/%d/maps", (int)pid);
	if (file_read(path, &maps, NULL, NULL) < 0)
		return;
	files = loaded_files(maps, told);
	if (!files->list.count)
		return;
	if (!told)
		told = value_list();
	for (i = 0; i < files->list.count; i++)
		value_append(told, value_dup(files->list.item[i]));
	event = emit_new(emit, "loaded");
	value_set(event, "files", value_dup(files));
	emit_take(emit, event);
}
