/* SPDX-License-Identifier: BSD-2-Clause */
#include "rdma-build/target-choice.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/choice.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "rdma-build/rdma-tree.h"
#include "lib/base/fail.h"
#include "names/rdma-core.h"
#include "names/targets.h"
#include "process/program.h"

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int check_version(const char *version, bool path, struct vbm_error *err)
{
	if (version && !path)
		return vbm_fail(err, EINVAL, "--rdma-core is for a target that is a path");
	if (version && (!isdigit((unsigned char)*version) ||
			strspn(version, "0123456789.") != strlen(version)))
		return vbm_fail(err, EINVAL, "--rdma-core takes a version such as 65.0, not '%s'",
				version);
	return 0;
}

/* Finds a library that is too old or broken here, before each agent does. */
static int try_libraries(const struct target_choice *t, struct vbm_error *err)
{
	auto_free char *self = realpath("/proc/self/exe", NULL), *said = NULL;
	char env[] = "env", option[] = "--version";
	char *argv[] = {env, t->variable[0], self, option, NULL};
	int status = 0, ret;

	ret = program_says(argv, &said, &status, err);
	if (ret < 0 || status == 0)
		return ret;
	said[strcspn(said, "\n")] = '\0';
	return vbm_fail(err, ELIBACC, "this program does not start with the libraries of %s: %s",
			t->tree.lib, *said ? said : "it crashed");
}

/* The providers of the tree without their versions, as libibverbs wants them: "DIR/librxe:DIR/libsiw". */
static char *drivers_of(const struct rdma_tree *tree)
{
	struct text list = {0};
	const char *end;
	size_t i;

	text_add(&list, "");
	for (i = 0; i < ARRAY_SIZE(tree->provider); i++) {
		if (!tree->provider[i])
			continue;
		end = strstr(strrchr(tree->provider[i], '/'), "-rdmav");
		text_addf(&list, "%s%.*s", list.len ? ":" : "", (int)(end - tree->provider[i]), tree->provider[i]);
	}
	return list.s;
}

/* With these variables libibverbs finds its providers, whatever folder it was built for. */
static void set_environment(struct target_choice *t)
{
	auto_free char *drivers = drivers_of(&t->tree);
	const char *old = getenv("LD_LIBRARY_PATH");
	/* Whether a guest's kernel command line can contain it. */
	bool usable = old && *old && !strpbrk(old, " \t\n\"");
	size_t i;

	t->variable[0] = xasprintf("LD_LIBRARY_PATH=%s%s%s", t->tree.lib, usable ? ":" : "",
				   usable ? old : "");
	t->variable[1] = xasprintf("RDMAV_DRIVERS=%s", drivers);
	if (t->tree.services)
		t->variable[2] = xasprintf(RDMA_CORE_ENV_SERVICES "=%s", t->tree.services);
	for (i = 0; i < ARRAY_SIZE(t->variable); i++)
		t->environment[i] = t->variable[i];
}

static int settle_tree(struct target_choice *t, const char *path, const char *version,
		       struct vbm_error *err)
{
	int ret = rdma_tree_open(&t->tree, path, &t->devices, err);
	size_t i, n = 0;

	if (ret < 0)
		return ret;
	if (!version && !*t->tree.version)
		return vbm_fail(err, ENODATA, "the version of the rdma-core in %s is not known: the "
				"name of %s does not have it, and there is no include/config.h; "
				"give it: --rdma-core VERSION", t->tree.dir, t->tree.file);
	t->name = xstrdup("system");
	t->librdmacm = t->tree.file;
	t->version = xstrdup(version ? version : t->tree.version);
	t->files[n++] = t->tree.librdmacm;
	t->files[n++] = t->tree.libibverbs;
	for (i = 0; i < DEVICE_TYPES_MAX; i++) {
		if (t->tree.provider[i])
			t->files[n++] = t->tree.provider[i];
		if (t->tree.config[i])
			t->files[n++] = t->tree.config[i];
	}
	set_environment(t);
	return try_libraries(t, err);
}

int target_choice_settle_build(struct target_choice *t, const char *path, struct vbm_error *err)
{
	int ret = rdma_tree_open(&t->tree, path, &t->devices, err);

	if (ret == 0)
		set_environment(t);
	return ret;
}

bool target_is_named(const char *name)
{
	return choice_has(target_name, name);
}

/* Such an object is a target of its own name, with the libraries of the build. */
static int settle_over(struct target_choice *t, const char *over, struct vbm_error *err)
{
	auto_free char *path = realpath(over, NULL);
	size_t i = 0;
	int ret;

	if (!path)
		return vbm_fail(err, errno, "--over %s: %s", over, strerror(errno));
	ret = rdma_tree_check_object(path, err);
	if (ret < 0)
		return ret;
	free(t->name);
	t->name = steal(&path);
	while (t->files[i])	/* a build may lack some */
		i++;
	t->files[i] = t->name;
	return 0;
}

int target_choice_settle(struct target_choice *t, const char *name, const char *version,
			 const char *over, struct vbm_error *err)
{
	bool named = target_is_named(name), tree = !named && (is_folder(name) || rdma_tree_has(name));
	auto_free char *names = NULL;
	int ret = check_version(version, !named, err);

	if (ret < 0)
		return ret;
	if (over && !tree)
		return vbm_fail(err, EINVAL, "--over is for a target that is a build of rdma-core; without a build, "
				"say --target %s", over);
	if (!named && !strchr(name, '/') && !is_folder(name)) {
		names = choice_text(target_name, ", a build of rdma-core, or a path with a slash in it");
		return vbm_fail(err, EINVAL, "no target is called '%s': %s", name, names);
	}
	if (tree) {
		ret = settle_tree(t, name, version, err);
		return ret < 0 || !over ? ret : settle_over(t, over, err);
	}
	t->name = named ? xstrdup(name) : realpath(name, NULL);
	if (!t->name)
		return vbm_fail(err, errno, "target %s: %s", name, strerror(errno));
	ret = named ? 0 : rdma_tree_check_object(t->name, err);
	if (ret < 0)
		return ret;
	t->librdmacm = named ? rdma_core_file() : t->name;
	t->version = xstrdup(version ? version : rdma_core_version());
	t->files[0] = named ? NULL : t->name;
	return 0;
}

void target_choice_fini(struct target_choice *t)
{
	size_t i;

	rdma_tree_fini(&t->tree);
	free(t->name);
	free(t->version);
	for (i = 0; i < ARRAY_SIZE(t->variable); i++)
		free(t->variable[i]);
}
