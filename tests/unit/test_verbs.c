/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/verbs/verbs.c */
/* The part of the verbs calls that needs no device; the scenarios in scenarios/device/ need one. */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "lib/verbs/verbs.h"

#define NOBODY 65534

TEST(test_verbs__null__is_refused)
{
	struct ibv_context context = {.num_comp_vectors = 1, .cmd_fd = -1, .async_fd = -1};
	struct ibv_device_attr device;
	struct ibv_port_attr port;
	union ibv_gid gid;

	vbm_free_device_list(NULL);
#define NULL_EINVAL(call) (errno = 0, assert_null(call), assert_int_equal(errno, EINVAL))
#define MINUS1_EINVAL(call) (errno = 0, assert_int_equal(call, -1), assert_int_equal(errno, EINVAL))
	NULL_EINVAL(vbm_open_device(NULL));
	MINUS1_EINVAL(vbm_close_device(NULL));
	assert_int_equal(vbm_query_device(NULL, &device), EINVAL);
	assert_int_equal(vbm_query_device(&context, NULL), EINVAL);
	assert_int_equal(vbm_query_port(NULL, 1, &port), EINVAL);
	assert_int_equal(vbm_query_port(&context, 1, NULL), EINVAL);
	MINUS1_EINVAL(vbm_query_gid(NULL, 1, 0, &gid));
	MINUS1_EINVAL(vbm_query_gid(&context, 1, 0, NULL));
	NULL_EINVAL(vbm_alloc_pd(NULL));
	assert_int_equal(vbm_dealloc_pd(NULL), EINVAL);
	NULL_EINVAL(vbm_create_cq(NULL, 1, NULL, NULL, 0));
	assert_int_equal(vbm_destroy_cq(NULL), EINVAL);
}

/* The device would not be asked: there is none. */
TEST(test_verbs__create_cq__arguments_out_of_range)
{
	struct ibv_context context = {.num_comp_vectors = 2};

	NULL_EINVAL(vbm_create_cq(&context, 0, NULL, NULL, 0));
	NULL_EINVAL(vbm_create_cq(&context, -1, NULL, NULL, 0));
	NULL_EINVAL(vbm_create_cq(&context, 1, NULL, NULL, -1));
	NULL_EINVAL(vbm_create_cq(&context, 1, NULL, NULL, 2));
}

/* A context whose descriptor was closed, whose number another file has, and without its events. */
TEST(test_verbs__close_device__descriptor_lost)
{
	struct ibv_context context = {.async_fd = -1};
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	context.cmd_fd = ends[0];
	errno = 0;
	assert_int_equal(vbm_close_device(&context), -1);
	assert_int_equal(errno, EBADF);
	assert_true(fcntl(ends[0], F_GETFD) >= 0);
	close(ends[0]);
	close(ends[1]);
	errno = 0;
	assert_int_equal(vbm_close_device(&context), -1);
	assert_int_equal(errno, EBADF);
	context.cmd_fd = open("/dev/null", O_RDWR);
	assert_true(vbm_verbs_is_open(&context));
	context.async_fd = context.cmd_fd + 100;
	assert_false(vbm_verbs_is_open(&context));
	close(context.cmd_fd);
	context.cmd_fd = context.async_fd = -1;
	assert_true(vbm_verbs_is_open(&context));
}

TEST(test_verbs__list__kernel_without_rdma)
{
	int num = -1;

	if (access("/sys/class/infiniband_verbs", F_OK) == 0)
		skip();
	errno = 0;
	assert_null(vbm_get_device_list(&num));
	assert_int_equal(errno, ENOSYS);
	assert_int_equal(num, 0);
	errno = 0;
	assert_null(vbm_get_device_list(NULL));
	assert_int_equal(errno, ENOSYS);
}

/* libibverbs gives ENOSYS, or no errno, for each of these causes. */
TEST(test_verbs__list_error__is_the_cause)
{
	struct rlimit before, none;

	assert_int_equal(vbm_verbs_list_error("/nonesuch", ENOSYS), ENOSYS);
	assert_int_equal(vbm_verbs_list_error("/nonesuch", 0), ENOSYS);
	assert_int_equal(vbm_verbs_list_error("/nonesuch", EINVAL), ENOSYS);
	assert_int_equal(vbm_verbs_list_error("/nonesuch", ENOMEM), ENOMEM);
	assert_int_equal(vbm_verbs_list_error("/nonesuch", ENOBUFS), ENOMEM);
	assert_int_equal(vbm_verbs_list_error("/nonesuch", ENFILE), ENFILE);
	assert_int_equal(vbm_verbs_list_error("/nonesuch", EACCES), EPERM);
	assert_int_equal(vbm_verbs_list_error("/", ENOSYS), ENOMEM);
	assert_int_equal(vbm_verbs_list_error("/", 0), ENOMEM);
	getrlimit(RLIMIT_NOFILE, &before);
	none = before;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	assert_int_equal(vbm_verbs_list_error("/", ENOSYS), EMFILE);
	setrlimit(RLIMIT_NOFILE, &before);
}

/* libibverbs says ENOENT for a node that it may not open. */
TEST(test_verbs__open_error__is_that_of_the_node)
{
	assert_int_equal(vbm_verbs_open_error("/dev", "null", EMFILE), EMFILE);
	assert_int_equal(vbm_verbs_open_error("/dev", "null", ENOENT), ENOENT);
	assert_int_equal(vbm_verbs_open_error("/dev", "nonesuch", ENOENT), ENOENT);
	assert_int_equal(vbm_verbs_open_error("/", "tmp", ENOENT), EISDIR);
}

/* Folders in the place of the kernel's list and of /dev/infiniband, with two devices. */
struct folders {
	char top[32];
	char *sys, *dev, *sys_node[2], *dev_node[2];
};

static void folders_make(struct folders *f)
{
	int i;

	strcpy(f->top, "/tmp/verbs-XXXXXX");
	assert_non_null(mkdtemp(f->top));
	chmod(f->top, 0755);
	f->sys = xasprintf("%s/sys", f->top);
	f->dev = xasprintf("%s/dev", f->top);
	mkdir(f->sys, 0755);
	mkdir(f->dev, 0755);
	for (i = 0; i < 2; i++) {
		f->sys_node[i] = xasprintf("%s/uverbs%d", f->sys, i);
		f->dev_node[i] = xasprintf("%s/uverbs%d", f->dev, i);
		mkdir(f->sys_node[i], 0755);
		assert_return_code(mkdir(f->dev_node[i], 0777), errno);
		chmod(f->dev_node[i], 0666);
	}
}

static void folders_remove(struct folders *f)
{
	int i;

	chmod(f->dev, 0755);
	for (i = 0; i < 2; i++) {
		rmdir(f->dev_node[i]);
		rmdir(f->sys_node[i]);
		free(f->dev_node[i]);
		free(f->sys_node[i]);
	}
	rmdir(f->dev);
	rmdir(f->sys);
	rmdir(f->top);
	free(f->dev);
	free(f->sys);
}

/* Calls vbm_verbs_access() as a user without privileges, for a list of @n devices. */
static int access_of(const struct folders *f, int n)
{
	struct ibv_device one = {.dev_name = "uverbs0"}, two = {.dev_name = "uverbs1"};
	struct ibv_device *list[] = {n > 0 ? &one : NULL, n > 1 ? &two : NULL, NULL};
	bool whole;
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (!geteuid() && (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY)))
			_exit(255);
		_exit(vbm_verbs_access(f->sys, f->dev, list, 0, &whole));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

TEST(test_verbs__access__denied_only_when_no_device_is_left)
{
	struct folders f;

	folders_make(&f);
	assert_int_equal(access_of(&f, 2), 0);
	assert_int_equal(access_of(&f, 0), 0);
	chmod(f.dev_node[0], 0);
	assert_int_equal(access_of(&f, 2), 0);
	assert_int_equal(access_of(&f, 1), EPERM);
	assert_int_equal(access_of(&f, 0), EPERM);
	chmod(f.dev_node[1], 0);
	assert_int_equal(access_of(&f, 2), EPERM);
	folders_remove(&f);
}

/* A device that the caller may open and that is not in the list. */
TEST(test_verbs__access__sees_what_is_missing)
{
	struct ibv_device one = {.dev_name = "uverbs0"}, two = {.dev_name = "uverbs1"};
	struct ibv_device *list[] = {&one, NULL, NULL};
	struct folders f;
	bool whole;

	folders_make(&f);
	assert_int_equal(vbm_verbs_access(f.sys, f.dev, list, 0, &whole), 0);
	assert_false(whole);
	assert_int_equal(vbm_verbs_access(f.sys, f.dev, list, EMFILE, &whole), EMFILE);
	list[1] = &two;
	assert_int_equal(vbm_verbs_access(f.sys, f.dev, list, EMFILE, &whole), 0);
	assert_true(whole);
	list[1] = NULL;
	rmdir(f.dev_node[1]);
	assert_int_equal(vbm_verbs_access(f.sys, f.dev, list, 0, &whole), 0);
	assert_true(whole);
	folders_remove(&f);
}

/* Without the right to look into the folder, and with nodes that are not there. */
TEST(test_verbs__access__nodes_out_of_sight)
{
	struct folders f;

	folders_make(&f);
	chmod(f.dev, 0);
	assert_int_equal(access_of(&f, 0), EPERM);
	assert_int_equal(access_of(&f, 2), EPERM);
	chmod(f.dev, 0755);
	rmdir(f.dev_node[0]);
	rmdir(f.dev_node[1]);
	assert_int_equal(access_of(&f, 0), 0);
	assert_int_equal(access_of(&f, 2), 0);
	folders_remove(&f);
}

TEST(test_verbs__access__without_the_list_of_the_kernel)
{
	struct ibv_device *none[] = {NULL};
	struct rlimit before, limit;
	bool whole = false;

	assert_int_equal(vbm_verbs_access("/nonesuch", "/dev", none, 0, &whole), 0);
	assert_true(whole);
	getrlimit(RLIMIT_NOFILE, &before);
	limit = before;
	limit.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &limit);
	assert_int_equal(vbm_verbs_access("/sys", "/dev", none, 0, &whole), EMFILE);
	setrlimit(RLIMIT_NOFILE, &before);
}

/* errno stays as it was after a success, and is never 0 after a failure. */
TEST(test_verbs__errno__has_a_reason)
{
	int saved = ERANGE;

	errno = 0;
	vbm_verbs_end(saved, false);
	assert_int_equal(errno, EIO);
	errno = ENODEV;
	vbm_verbs_end(saved, false);
	assert_int_equal(errno, ENODEV);
	vbm_verbs_end(saved, true);
	assert_int_equal(errno, ERANGE);
}

TEST(test_verbs__code__is_an_errno_value)
{
	assert_int_equal(vbm_verbs_code(0), 0);
	assert_int_equal(vbm_verbs_code(EBUSY), EBUSY);
	assert_int_equal(vbm_verbs_code(-EBUSY), EBUSY);
	errno = ENODEV;
	assert_int_equal(vbm_verbs_code(-1), ENODEV);
	errno = 0;
	assert_int_equal(vbm_verbs_code(-1), EIO);
}
