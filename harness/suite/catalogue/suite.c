/* SPDX-License-Identifier: BSD-2-Clause */
#include "catalogue/suite.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/match.h"
#include "base/own-path.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

bool suite_same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	return stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
	       sa.st_ino == sb.st_ino;
}

static bool has_entry(const char *dir, const char *name, mode_t type)
{
	auto_free char *path = xasprintf("%s/%s", dir, name);
	struct stat st;

	return stat(path, &st) == 0 && (st.st_mode & S_IFMT) == type;
}

/* Many folders are called "findings". One belongs to a suite if it has a YAML file in it. */
static bool has_findings(const char *dir)
{
	auto_free char *path = xasprintf("%s/" SUITE_FINDINGS, dir);
	auto_dir DIR *d = opendir(path);
	const struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (entry->d_name[0] != '.' && match_name("?*.yaml", entry->d_name))
			return true;
	return false;
}

static bool is_marked(const char *dir)
{
	return has_entry(dir, SUITE_MARKER, S_IFREG) || has_entry(dir, SUITE_CLAUSES, S_IFREG) ||
	       has_entry(dir, SUITE_COVERAGE, S_IFREG) || has_findings(dir);
}

/*
 * A folder such as /tmp. Another user could put findings there that hide the
 * failures of this user's scenarios.
 */
static bool is_writable_by_others(const char *dir)
{
	struct stat st;

	return stat(dir, &st) == 0 && (st.st_mode & S_ISVTX) && (st.st_mode & S_IWOTH);
}

static bool is_suite(const char *dir)
{
	const char *slash = strrchr(dir, '/');

	return strcmp(slash ? slash + 1 : dir, SUITE_NAME) == 0 ||
	       (is_marked(dir) && !is_writable_by_others(dir));
}

char *suite_of(const char *dir)
{
	auto_free char *at = xstrdup(dir);
	char *slash;

	/* "/" is never a suite. */
	while (at[0] && at[1]) {
		if (is_suite(at))
			return steal(&at);
		slash = strrchr(at, '/');
		if (!slash)
			break;
		*slash = '\0';
	}
	return NULL;
}

int suite_shipped(char **out, struct vbm_error *err)
{
	/* First the installed folder, relative to the program, so that it may move; then the source tree. */
	static const char *const near[] = {
		"../share/verbatim/" SUITE_NAME, SUITE_NAME, "../" SUITE_NAME, "../../" SUITE_NAME,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(near); i++) {
		auto_free char *dir = own_path(near[i]);

		if (dir && has_entry(dir, SUITE_CLAUSES, S_IFREG)) {
			*out = realpath(dir, NULL);
			return *out ? 0 : vbm_fail(err, errno, "%s: %s", dir, strerror(errno));
		}
	}
	if (has_entry(PKGDATADIR "/" SUITE_NAME, SUITE_CLAUSES, S_IFREG)) {
		*out = xstrdup(PKGDATADIR "/" SUITE_NAME);
		return 0;
	}
	return vbm_fail(err, ENOENT, "there is no folder of scenarios here, near the program or "
			"in " PKGDATADIR "; name a file or a folder");
}

int suite_default(char **out, struct vbm_error *err)
{
	if (!is_marked(SUITE_NAME))
		return suite_shipped(out, err);
	*out = xstrdup(SUITE_NAME);
	return 0;
}
