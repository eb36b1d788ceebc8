/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "cmd-script.h"
#include "cmd.h"
#include "front/rdma-store.h"
#include "names/rdma-core.h"

static int list(int argc, char **argv);
static int build(int argc, char **argv);

static const struct {
	const char *name, *args, *doc;
	int (*run)(int argc, char **argv);
} verbs[] = {
	{"list", "", "print the releases, and the path of each for --target", list},
	{"build", " NAME...", "build a release from Debian's source package", build},
};

static int usage(FILE *f)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		fprintf(f, "%s verbatim rdma-core %s%s\n", i ? "      " : "Usage:", verbs[i].name, verbs[i].args);
	fputs("\n"
	      "Releases of rdma-core, for verbatim matrix and verbatim run --target. NAME is a\n"
	      "version (44, 56.1), a Debian suite (trixie), or newest.\n"
	      "\n", f);
	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		fprintf(f, "  %-8s %s\n", verbs[i].name, verbs[i].doc);
	fputs("\n"
	      "Examples:\n"
	      "  verbatim rdma-core build 56 newest\n"
	      "  verbatim run --target \"$(verbatim rdma-core list | awk '$1 == \"56.1\" { print $2 }')\"\n", f);
	return f == stdout ? EXIT_OK : EXIT_USAGE;
}

static int list(int argc, char **argv)
{
	auto_rdma_releases struct rdma_releases all = {0};
	size_t i;

	(void)argv;
	if (argc)
		return usage(stderr);
	printf("%-8s this machine's: --target system\n", rdma_core_version());
	rdma_store_list(&all);
	for (i = 0; i < all.count; i++) {
		auto_free char *version = visible_line(all.item[i].version), *path = visible_line(all.item[i].build);

		printf("%-8s %s\n", version, path);
	}
	return EXIT_OK;
}

static int build(int argc, char **argv)
{
	auto_free char *store = rdma_store();
	int i, ret = EXIT_OK;

	if (!argc)
		return usage(stderr);
	for (i = 0; ret == EXIT_OK && i < argc; i++) {
		char *words[] = {NULL, argv[i], store, NULL};

		ret = cmd_script("build-rdma-core", words);
	}
	return ret;
}

static int run(int argc, char **argv)
{
	struct suggestion s;
	auto_free char *hint = NULL;
	size_t i;

	if (argc < 2)
		return usage(stderr);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return usage(stdout);
	suggest_init(&s, argv[1]);
	for (i = 0; i < ARRAY_SIZE(verbs); i++) {
		if (!strcmp(argv[1], verbs[i].name))
			return verbs[i].run(argc - 2, argv + 2);
		suggest_offer(&s, verbs[i].name);
	}
	hint = suggest_ending(suggest_best(&s));
	visible_complain("rdma-core: unknown verb '%s'%s", argv[1], hint);
	return usage(stderr);
}

static const char *verb(size_t i)
{
	return i < ARRAY_SIZE(verbs) ? verbs[i].name : NULL;
}

const struct cmd cmd_rdma_core = {
	.name = "rdma-core",
	.doc = "releases of rdma-core that can be measured here",
	.run = run,
	.word = verb,
};
