/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: report/output.c */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/event.h"
#include "report/output.h"

static char *folder(void)
{
	const char *base = getenv("TMPDIR");
	char *path = xasprintf("%s/vbm-output-XXXXXX", base ? base : "/tmp");

	assert_non_null(mkdtemp(path));
	return path;
}

static void remove_folder(char *path)
{
	auto_free char *cmd = xasprintf("rm -r '%s'", path);

	assert_int_equal(system(cmd), 0);
	free(path);
}

/* Feed the events of a golden file, some of which others follow at once. Returns the value of the last call. */
static int play(const char *dir, const char *name, struct vbm_error *err)
{
	auto_file FILE *f = fopen(test_data(name), "r");
	auto_free char *line = NULL;
	struct output *o;
	size_t room = 0;
	int number = 0;
	ssize_t n;
	int rc = output_open(&o, dir, err);

	assert_non_null(f);
	if (rc < 0)
		return rc;
	while ((n = getline(&line, &room, f)) > 0) {
		auto_value struct value *event = json_read(line, (size_t)n, NULL);
		struct event_line as_line = {.event = event, .more = number++ % 3 != 0};

		output_event(o, &as_line, NULL);
		event_line_fini(&as_line);
	}
	return output_close(o, err);
}

static char *content(const char *dir, const char *name)
{
	auto_free char *path = xasprintf("%s/%s", dir, name);
	auto_file FILE *f = fopen(path, "r");
	char *text;

	if (!f)
		return NULL;
	text = xcalloc(65536, 1);
	if (fread(text, 1, 65535, f) == 0)
		text[0] = '\0';
	return text;
}

static void has(const char *dir, const char *name, const char *text)
{
	auto_free char *all = content(dir, name);

	if (!all || !strstr(all, text))
		fail_msg("%s has no '%s' but:\n%s", name, text, all ? all : "(no such file)");
}

TEST(test_output__a_run__leaves_a_folder_for_each_variant)
{
	char *dir = folder();
	auto_free char *none = NULL;
	struct vbm_error err = {0};

	assert_int_equal(play(dir, "events/all.jsonl", &err), 0);
	has(dir, "summary.json", "\"folder\": \"resolve.ud-with-tcp\"");
	has(dir, "summary.json", "\"kernel\": \"7.2.3-amd64\"");
	has(dir, "kernel.txt", "net/core/dev.c:1\n");
	has(dir, "resolve.numeric-node,ip=4/result.json", "\"verdict\": \"PASS\"");
	has(dir, "resolve.ud-with-tcp/events.jsonl", "\"event\":\"fail\"");
	has(dir, "resolve.ud-with-tcp/events.jsonl", "\"event\":\"verdict\"");
	has(dir, "resolve.ud-with-tcp/log-a.txt", "agent line 1\n");
	has(dir, "resolve.ud-with-tcp/kernel.txt", "rdma_rxe: loaded\n");
	has(dir, "data.exotic/log-b.txt", "no newline at the end");
	none = content(dir, "resolve.ud-with-tcp/log-b.txt");
	assert_null(none);
	/* Again, into the same folder: no files accumulate. */
	assert_int_equal(play(dir, "events/all.jsonl", &err), 0);
	free(none);
	none = content(dir, "resolve.ud-with-tcp/kernel.txt");
	assert_string_equal(none, "rdma_rxe: loaded\n");
	/* Messages of the kernel while a fabric is made belong to no variant. */
	has(dir, "kernel.txt", "port-c: left promiscuous mode\nport-c: entered promiscuous mode\n");
	free(none);
	none = content(dir, "cm.one-of-two/kernel.txt");
	assert_null(none);
	remove_folder(dir);
}

TEST(test_output__a_folder__has_one_run)
{
	char dir[] = "/tmp/verbatim-output.XXXXXX";
	struct output *one, *two;
	struct vbm_error err;

	assert_non_null(mkdtemp(dir));
	assert_int_equal(output_open(&one, dir, &err), 0);
	assert_int_equal(output_open(&two, dir, &err), -EBUSY);
	assert_non_null(strstr(err.msg, dir));
	assert_int_equal(output_close(one, &err), 0);
	assert_int_equal(output_open(&one, dir, &err), 0);
	assert_int_equal(output_close(one, &err), 0);
	assert_int_equal(rmdir(dir), 0);
}

TEST(test_output__what_is_no_folder__is_refused)
{
	char *dir = folder();
	auto_free char *file = xasprintf("%s/file", dir);
	auto_free char *deep = xasprintf("%s/no/where", dir);
	struct vbm_error err = {0};

	close(open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	assert_int_equal(play(file, "events/good.jsonl", &err), -ENOTDIR);
	assert_non_null(strstr(err.msg, "Not a directory"));
	assert_int_equal(play(deep, "events/good.jsonl", &err), -ENOENT);
	assert_non_null(strstr(err.msg, deep));
	remove_folder(dir);
}

TEST(test_output__no_room__is_an_error)
{
	char *dir = folder();
	struct rlimit full = {250, 250}, before;
	struct vbm_error err = {0};
	int rc;

	/* A limit on the file size stops writes half way, as a full disk does. */
	getrlimit(RLIMIT_FSIZE, &before);
	full.rlim_max = before.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &full);
	rc = play(dir, "events/good.jsonl", &err);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(rc, -EFBIG);
	assert_non_null(strstr(err.msg, "pd.alloc/events.jsonl"));
	remove_folder(dir);
}

TEST(test_output__folder_names__are_safe_and_distinct)
{
	static const char *const odd[] = {"", ".", "..", "/", "../../etc/passwd", "a b", "a_b",
					  "a.b", "a/b", "[x]", "a[x]y", "a\nb", "\xc3\xa9",
					  "x[a=::1]", "x[a=\"<*>|?\"]", "x[a=\\]", "a\rb"};
	auto_free char *plain = output_folder_name("data/send[ip=4,mtu=1024]");
	auto_free char *long_name = xcalloc(5000, 1), *shortened = NULL;
	char *names[ARRAY_SIZE(odd)];
	size_t i, k;

	assert_string_equal(plain, "data.send,ip=4,mtu=1024");
	for (i = 0; i < ARRAY_SIZE(odd); i++) {
		names[i] = output_folder_name(odd[i]);
		assert_null(strpbrk(names[i], "/\\\":<>|*?\r\n"));	/* CI systems refuse them in artifacts */
		assert_int_not_equal(names[i][0], '.');
		assert_int_not_equal(names[i][0], '\0');
		for (k = 0; k < i; k++)
			if (!strcmp(names[i], names[k]))
				fail_msg("'%s' and '%s' are both %s", odd[i], odd[k], names[i]);
	}
	for (i = 0; i < ARRAY_SIZE(odd); i++)
		free(names[i]);
	memset(long_name, 'x', 4999);
	shortened = output_folder_name(long_name);
	assert_in_range(strlen(shortened), 100, 200);
}
