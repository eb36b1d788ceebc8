/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: report/history.c */
#include "cmocka_all.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/json.h"
#include "base/value.h"
#include "report/history.h"
#include "../help/folder.h"

static struct folder home;
static char *path;	/* owned; a file in it */

static int make(void **state)
{
	(void)state;
	folder_make(&home);
	folder_put(&home, "file", "");
	path = folder_path(&home, "file");
	return 0;
}

static int drop(void **state)
{
	(void)state;
	free(steal(&path));
	folder_remove(&home);
	return 0;
}

/* The events of a golden file. Returns the value of the last call. */
static int play(const char *name, struct vbm_error *err)
{
	auto_file FILE *f = fopen(test_data(name), "r");
	auto_free char *line = NULL;
	struct history *h;
	size_t room = 0;
	ssize_t n;
	int rc = 0;

	assert_non_null(f);
	assert_int_equal(history_open(&h, path, err), 0);
	while (rc == 0 && (n = getline(&line, &room, f)) > 0) {
		auto_value struct value *event = json_read(line, (size_t)n, NULL);

		rc = history_event(h, event, err);
	}
	history_close(h);
	return rc;
}

TEST_BETWEEN(test_history__each_run_is_a_line, make, drop)
{
	auto_free char *text = NULL;
	auto_value struct value *v = NULL;
	struct vbm_error err;
	char *at, *line;

	assert_int_equal(play("events/all.jsonl", &err), 0);
	assert_int_equal(play("events/all.jsonl", &err), 0);
	assert_int_equal(file_read(path, &text, NULL, &err), 0);
	at = text;
	line = file_next_line(&at);
	v = json_read(line, strlen(line), &err);
	assert_non_null(v);
	assert_int_equal(strlen(value_get_string(v, "ended", "")), strlen("2026-01-01T00:00:00Z"));
	assert_true(value_get(v, "scenarios")->list.count > 0);
	assert_non_null(value_get(value_get(v, "scenarios")->list.item[0], "verdict"));
	assert_non_null(file_next_line(&at));
	assert_null(file_next_line(&at));
}

TEST_BETWEEN(test_history__without_room__nothing_of_a_line_stays, make, drop)
{
	struct rlimit was, limit;
	struct vbm_error err;
	auto_free char *text = NULL;
	size_t len;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &was);
	limit = was;
	limit.rlim_cur = 100;
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_true(play("events/all.jsonl", &err) < 0);
	setrlimit(RLIMIT_FSIZE, &was);
	assert_non_null(strstr(err.msg, path));
	assert_int_equal(file_read(path, &text, &len, &err), 0);
	assert_int_equal(len, 0);
}

TEST(test_history__a_place_that_cannot_be_written)
{
	struct history *h;
	struct vbm_error err;

	assert_int_equal(history_open(&h, "/proc/none/x", &err), -ENOENT);
	assert_int_equal(history_open(&h, "/tmp", &err), -EISDIR);
	history_close(NULL);
}
