/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "cmd/cmd-verb.h"
#include "cmd/cmd.h"
#include "rdma-build/rdma-store.h"
#include "names/rdma-core.h"

static int list_releases(int argc, char **argv);
static int build_releases(int argc, char **argv);

static const struct cmd_verb verbs[] = {
	{"list", "", "print the releases, and the path of each for --target", list_releases},
	{"build", " NAME...", "build a release from Debian's source package", build_releases},
};

static int print_rdma_core_usage(FILE *f);

static const struct cmd_verbs all_verbs = {"rdma-core", verbs, ARRAY_SIZE(verbs), print_rdma_core_usage};

static int print_rdma_core_usage(FILE *f)
{
	cmd_verb_synopsis(&all_verbs, f);
	fputs("\n"
	      "Releases of rdma-core, for verbatim matrix and verbatim run --target. NAME is a\n"
	      "version (44, 56.1), a Debian suite (trixie), or newest.\n"
	      "\n", f);
	cmd_verb_docs(&all_verbs, f);
	fputs("\n"
	      "Examples:\n"
	      "  verbatim rdma-core build 56 newest\n"
	      "  verbatim run --target \"$(verbatim rdma-core list | awk '$1 == \"56.1\" { print $2 }')\"\n", f);
	return f == stdout ? EXIT_OK : EXIT_USAGE;
}

static int list_releases(int argc, char **argv)
{
	auto_rdma_releases struct rdma_releases all = {0};
	size_t i;

	(void)argv;
	if (argc)
		return cmd_verb_wrong(&all_verbs, "list", "it takes no argument");
	printf("%-8s this machine's: --target system\n", rdma_core_version());
	rdma_store_list(&all);
	for (i = 0; i < all.count; i++) {
		auto_free char *version = visible_line(all.item[i].version), *path = visible_line(all.item[i].build);

		printf("%-8s %s\n", version, path);
	}
	return EXIT_OK;
}

static int build_releases(int argc, char **argv)
{
	auto_free char *store = rdma_store();
	int i, ret = EXIT_OK;

	if (!argc)
		return cmd_verb_wrong(&all_verbs, "build", "name a release, such as newest");
	for (i = 0; ret == EXIT_OK && i < argc; i++) {
		char *words[] = {NULL, argv[i], store, NULL};

		ret = cmd_script("build-rdma-core", words);
	}
	return ret;
}

const struct cmd cmd_rdma_core = {
	.name = "rdma-core",
	.doc = "releases of rdma-core that can be measured here",
	.verbs = &all_verbs,
};
