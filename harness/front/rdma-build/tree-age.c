/* SPDX-License-Identifier: BSD-2-Clause */
#include "rdma-build/tree-age.h"

#include <dirent.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "base/xalloc.h"

/* A library of a run, its folder in the sources and its target there. */
struct tree_age_part {
	const char *library, *folder, *target;
};

static bool is_newer(const char *path, const char *than)
{
	struct stat a, b;

	if (stat(path, &a) < 0 || stat(than, &b) < 0)
		return false;
	return a.st_mtim.tv_sec != b.st_mtim.tv_sec ? a.st_mtim.tv_sec > b.st_mtim.tv_sec :
						      a.st_mtim.tv_nsec > b.st_mtim.tv_nsec;
}

/* The folder of the sources, from cmake's cache; NULL: the cache does not name one. */
static char *sources_of(const char *build)
{
	static const char word[] = "CMAKE_HOME_DIRECTORY:INTERNAL=";
	auto_free char *path = xasprintf("%s/CMakeCache.txt", build), *text = NULL;
	char *at, *line;

	if (file_read(path, &text, NULL, NULL) < 0)
		return NULL;
	for (at = text; (line = file_next_line(&at));)
		if (!strncmp(line, word, strlen(word)))
			return xstrdup(line + strlen(word));
	return NULL;
}

/*
 * Each object is compiled from one source, so sources are compared with objects, headers
 * with the library.
 */
static bool is_uncompiled(const char *sources, const char *build, const struct tree_age_part *p,
			  const char *name)
{
	auto_free char *source = xasprintf("%s/%s/%s", sources, p->folder, name);
	auto_free char *object = xasprintf("%s/%s/CMakeFiles/%s.dir/%s.o", build, p->folder,
					   p->target, name);
	const char *dot = strrchr(name, '.');

	if (dot && !strcmp(dot, ".h"))
		return is_newer(source, p->library);
	return dot && !strcmp(dot, ".c") && is_newer(source, object);
}

/* The name of a source file that is newer; NULL: no file is newer. */
static char *find_newer(const char *sources, const char *build, const struct tree_age_part *p)
{
	auto_free char *path = xasprintf("%s/%s", sources, p->folder);
	auto_dir DIR *dir = opendir(path);
	const struct dirent *d;

	while (dir && (d = readdir(dir)))
		if (is_uncompiled(sources, build, p, d->d_name))
			return xasprintf("%s/%s", p->folder, d->d_name);
	return NULL;
}

/* "rxe-rdmav65" of ".../librxe-rdmav65.so" */
static char *provider_target(const char *provider)
{
	const char *name = strrchr(provider, '/') + strlen("/lib");

	return xstrndup(name, strcspn(name, "."));
}

static void add_target(struct text *targets, const char *provider)
{
	auto_free char *target = provider_target(provider);

	text_addf(targets, "%s%s", targets->len ? " " : "", target);
}

/* NULL: the part is not older than its sources. */
static char *say_older(const char *sources, const char *build, const struct tree_age_part *p, const char *targets)
{
	auto_free char *newer = find_newer(sources, build, p);

	return newer ? xasprintf("%s was changed after %s was built; build it again: cmake --build %s --target rdmacm %s", newer,
				 strrchr(p->library, '/') + 1, build, targets) : NULL;
}

static char *older_provider(const char *sources, const char *build, const struct device_type *type, const char *provider,
			    const char *targets)
{
	auto_free char *folder = xasprintf("providers/%s", type->provider), *target = provider_target(provider);

	return say_older(sources, build, &(struct tree_age_part){provider, folder, target}, targets);
}

char *rdma_tree_older_than(const struct rdma_tree *t)
{
	auto_free char *sources = NULL;
	auto_free char *build = xstrndup(t->lib, (size_t)(strrchr(t->lib, '/') - t->lib));
	const struct tree_age_part libraries[] = {
		{t->librdmacm, "librdmacm", "rdmacm"},
		{t->libibverbs, "libibverbs", "ibverbs"},
	};
	struct text targets auto_text = {0};
	char *said = NULL;
	size_t i;

	sources = sources_of(build);
	for (i = 0; i < DEVICE_TYPES_MAX; i++)
		if (t->provider[i])
			add_target(&targets, t->provider[i]);
	for (i = 0; sources && !said && i < ARRAY_SIZE(libraries); i++)
		said = say_older(sources, build, &libraries[i], targets.s);
	for (i = 0; sources && !said && i < DEVICE_TYPES_MAX; i++)
		said = t->provider[i] ? older_provider(sources, build, device_type_nth(i), t->provider[i], targets.s) : NULL;
	return said;
}
