/* SPDX-License-Identifier: BSD-2-Clause */
/* Passes every file of a fuzz target's corpus to the target, without a fuzzer. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LARGEST_INPUT = 1 << 20 };

static int is_input(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static int replay(const char *path)
{
	static uint8_t data[LARGEST_INPUT];
	uint8_t *copy;
	size_t size;
	FILE *f;

	f = fopen(path, "rbe");
	if (!f)
		return -1;
	size = fread(data, 1, sizeof(data), f);
	fclose(f);
	/* A block of the exact size, so that a sanitizer sees reads beyond it. */
	copy = malloc(size ? size : 1);
	if (!copy)
		return -1;
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
	return 0;
}

/* "replay_json" or libtool's "lt-replay_json": the part after the first '_'. */
static const char *target_name(const char *program)
{
	const char *base = strrchr(program, '/');
	const char *name = strchr(base ? base : program, '_');

	return name ? name + 1 : program;
}

int main(int argc, char **argv)
{
	const char *src = getenv("VBM_SRCDIR");
	char dir[4096], path[8192];
	struct dirent **files;
	int i, n;

	(void)argc;
	snprintf(dir, sizeof(dir), "%s/tests/fuzz/corpus/%s", src ? src : ".",
		 target_name(argv[0]));
	n = scandir(dir, &files, is_input, alphasort);
	if (n <= 0) {
		printf("Bail out! no corpus in %s\n", dir);
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("1..%d\n", n);
	for (i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, files[i]->d_name);
		printf("%s %d - %s\n", replay(path) ? "not ok" : "ok", i + 1,
		       files[i]->d_name);
		free(files[i]);
	}
	free(files);
	return 0;
}
