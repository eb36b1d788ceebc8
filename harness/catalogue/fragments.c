/* SPDX-License-Identifier: BSD-2-Clause */
#include "catalogue/fragments.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "catalogue/files.h"
#include "catalogue/suite.h"
#include "fail.h"

static char *path_in(const char *root, const char *name)
{
	return xasprintf("%s/" FRAGMENTS_FOLDER "/%s.yaml", root, name);
}

/* As a reader types it: from the folder that the run was started in. Takes @path. */
static char *from_here(char *path)
{
	auto_free char *real = path, *here = realpath(".", NULL);
	size_t n = here ? strlen(here) : 0;

	if (n && strncmp(real, here, n) == 0 && real[n] == '/' && !strstr(real, "/../"))
		return xstrdup(real + n + 1);
	return steal(&real);
}

static int read_in(const char *root, const char *name, char **path, char **text, size_t *len,
		   struct vbm_error *err)
{
	auto_free char *file = path_in(root, name);

	if (access(file, F_OK) < 0)
		return -ENOENT;
	if (scenario_read(file, text, len, err) < 0)
		return -err->code;
	*path = from_here(steal(&file));
	return 0;
}

static int read_fragment(void *arg, const char *name, char **path, char **text, size_t *len,
			 struct vbm_error *err)
{
	auto_free char *shipped = NULL;
	const char *root = arg;
	int rc = -ENOENT;

	if (root)
		rc = read_in(root, name, path, text, len, err);
	if (rc == -ENOENT && suite_shipped(&shipped, NULL) == 0)
		rc = read_in(shipped, name, path, text, len, err);
	return rc;
}

struct fragment_source fragments_of(const char *root)
{
	return (struct fragment_source){.read = read_fragment,
					.arg = (void *)(uintptr_t)root};
}

static bool is_listed(const struct value *list, const char *name)
{
	size_t i;

	for (i = 0; i < list->list.count; i++)
		if (strcmp(value_get_string(list->list.item[i], "name", ""), name) == 0)
			return true;
	return false;
}

static void describe_file(struct value *list, const char *path)
{
	const char *base = strrchr(path, '/') + 1;
	auto_free char *name = xstrndup(base, strlen(base) - strlen(".yaml")), *text = NULL;
	struct diagnostics diag = {0};
	struct value *m = NULL;
	size_t len = 0;

	if (is_listed(list, name))
		return;
	if (scenario_read(path, &text, &len, NULL) == 0)
		m = fragment_describe(text, len, &diag);
	diagnostics_fini(&diag);
	if (!m)
		return;
	value_set_string(m, "name", name);
	value_set_string(m, "path", path);
	value_append(list, m);
}

static void describe_all(struct value *list, const char *root)
{
	auto_free char *pattern = path_in(root, "*");
	glob_t g = {0};
	size_t i;

	if (glob(pattern, 0, NULL, &g) == 0)
		for (i = 0; i < g.gl_pathc; i++)
			describe_file(list, g.gl_pathv[i]);
	globfree(&g);
}

struct value *fragments_describe(const char *root)
{
	struct value *list = value_list();
	auto_free char *shipped = NULL;

	if (root)
		describe_all(list, root);
	if (suite_shipped(&shipped, NULL) == 0)
		describe_all(list, shipped);
	return list;
}
