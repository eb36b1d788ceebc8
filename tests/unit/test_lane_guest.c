/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lane/lane-guest.c guest/accel.c */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "guest/accel.h"
#include "lane/lane.h"
#include "process/program.h"
#include "process/task.h"

/*
 * Guests that start at the same time. This program itself takes the place of QEMU: the
 * environment says what KVM does, and each start adds a line to a file.
 */
#define WAIT_MS 20000
#define BOOT_MS 2500	/* the deadline of a boot of trap "busy" */
#define BUSY 12		/* processes that want the same processor */
#define STARVED_MS 500	/* the deadline of a boot of trap "starved" */
#define STARVED_BUSY 3	/* processes that want the same processor, with a higher priority */

static char dir[64];

/* The number after @mark in the arguments, or -1. */
static int number_after(int argc, char **argv, const char *mark)
{
	const char *at;
	int i;

	for (i = 1; i < argc; i++) {
		at = strstr(argv[i], mark);
		if (at)
			return (int)strtol(at + strlen(mark), NULL, 10);
	}
	return -1;
}

/* Whether the test has told the guest to come up. @spins: it uses a processor until then. */
static bool was_told(bool spins)
{
	int go = open(getenv("GO"), O_RDONLY | (spins ? O_NONBLOCK : 0));
	char byte;
	ssize_t n;

	if (spins)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	do {
		n = read(go, &byte, 1);
	} while (n != 1 && spins);
	return n == 1;
}

static void __attribute__((noreturn)) emulate(const char *trap, bool kvm, int fd)
{
	int starts = open(getenv("STARTS"), O_WRONLY | O_APPEND);
	bool starved = !strcmp(trap, "starved");

	dprintf(starts, "%s\n", kvm ? "kvm" : "tcg");
	if (kvm && !strcmp(trap, "exit"))
		_exit(1);
	if (kvm && !strcmp(trap, "hang"))
		for (;;)
			pause();
	if (starved)
		sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0});
	/* A guest comes up when the test says so. */
	if (was_told(starved || !strcmp(trap, "busy")))
		dprintf(fd, "{}\n");
	for (;;)
		pause();
}

static void __attribute__((constructor)) perhaps_emulate(int argc, char **argv)
{
	const char *trap = getenv("TRAP");
	int i;

	for (i = 1; trap && i < argc; i++)
		if (!strncmp(argv[i], "pc,accel=", 9))
			emulate(trap, !strcmp(argv[i] + 9, "kvm"), number_after(argc, argv,
				"socket,id=events,fd="));
}

static char *in_dir(const char *name)
{
	return xasprintf("%s/%s", dir, name);
}

static void put(const char *name, const char *text)
{
	auto_free char *path = in_dir(name), *copy = xstrdup(path);

	*strrchr(copy, '/') = '\0';
	assert_int_equal(file_make_dirs(copy, NULL), 0);
	assert_int_equal(file_replace(path, text, NULL), 0);
}

#define KERNEL "verbatim/kernels/7.0-made-up"
#define MODULES KERNEL "/lib/modules/7.0-made-up/"

/* The parts of a boot image that are read before an emulator starts. */
static void put_boot_image(void)
{
	auto_free char *path = in_dir(KERNEL "/vmlinuz");
	auto_close int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	char image[2048] = {0};

	image[0x1f1] = 1;
	memcpy(image + 0x202, "HdrS\x08\x02", 6);
	assert_int_equal(file_write(fd, image, sizeof(image)), 0);
}

/* The index files that libkmod reads, made from the lists above. */
static void index_modules(void)
{
	auto_free char *root = in_dir(KERNEL), *out = NULL;
	auto_free char *list = xasprintf("PATH=$PATH:/usr/sbin:/sbin depmod -b %s 7.0-made-up", root);
	char sh[] = "sh", c[] = "-c", *argv[] = {sh, c, list, NULL};
	struct vbm_error err = {0};

	if (program_output(argv, PROGRAM_SAYS_MAX, &out, &(size_t){0}, &err) < 0)
		fail_msg("%s", err.msg);
}

static int set_up(void **state)
{
	auto_free char *go = NULL, *starts = NULL;
	char self[4096] = "";

	(void)state;
	strcpy(dir, "/tmp/verbatim-test.XXXXXX");
	assert_non_null(mkdtemp(dir));
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	put(KERNEL "/meta", "");
	put_boot_image();
	put(MODULES "modules.builtin",
	    "k/rdma_rxe.ko\nk/ib_uverbs.ko\nk/rdma_ucm.ko\nk/virtio_pci.ko\n"
	    "k/virtio_console.ko\nk/veth.ko\nk/bridge.ko\n");
	index_modules();
	put("starts", "");
	go = in_dir("go");
	starts = in_dir("starts");
	assert_int_equal(mkfifo(go, 0600), 0);
	setenv("XDG_CACHE_HOME", dir, 1);
	setenv("VERBATIM_QEMU", self, 1);
	/* The emulator of this test uses files to communicate with it. */
	setenv("VERBATIM_CONFINE", "none", 1);
	setenv("GO", go, 1);
	setenv("STARTS", starts, 1);
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int tear_down(void **state)
{
	(void)state;
	unsetenv("TRAP");
	return nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

UNIT(.each = {set_up, tear_down});

static char *starts(void)
{
	char *text = NULL;

	assert_int_equal(file_read(getenv("STARTS"), &text, NULL, NULL), 0);
	return text;
}

/* Let @count guests come up; the caller closes the descriptor at the end. */
static int let_come_up(int count)
{
	int fd = open(getenv("GO"), O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "gogogogo", (size_t)count), count);
	return fd;
}

/* Wait once for all lanes that start. Returns how many are there then. */
static size_t wait_once(struct lane **lane, size_t count)
{
	struct pollfd p[4 * LANE_WANTS_MAX];
	size_t i, n = 0, ready = 0;

	for (i = 0; i < count; i++)
		n += lane_wants(lane[i], p + n);
	assert_true(poll(p, n, WAIT_MS) > 0);
	for (i = 0; i < count; i++) {
		assert_true(lane_advance(lane[i], NULL) >= 0);
		ready += lane[i]->ready;
	}
	return ready;
}

static void open_lanes(struct lanes **lanes)
{
	struct lane_options opts = {0};
	struct vbm_error err = {0};

	if (lanes_open(lanes, &lane_guest, &opts, &err) < 0)
		fail_msg("%s", err.msg);
}

static void begin(struct lane **lane, size_t count, struct lanes *lanes)
{
	struct vbm_error err = {0};
	size_t i;

	for (i = 0; i < count; i++)
		if (lane_begin(&lane[i], lanes, &err) < 0)
			fail_msg("%s", err.msg);
}

static void stop(struct lane **lane, size_t count, struct lanes *lanes)
{
	size_t i;

	for (i = 0; i < count; i++)
		lane_stop(lane[i]);
	lanes_close(lanes);
}

/* Guests start with TCG at once, as after a run in which KVM was broken. */
static void without_kvm(void)
{
	auto_free char *key = accel_key(getenv("VERBATIM_QEMU"));

	accel_remember(key, true);
}

static void must_have_kvm(void)
{
	if (accel_kvm_check(NULL) == 0)
		return;
	print_message("# skipped: no /dev/kvm here, so none is tried\n");
	skip();
}

TEST(test_lane_guest__several__boot_at_the_same_time)
{
	struct lane *lane[3];
	struct lanes *lanes;
	auto_close int go = -1;
	size_t i;

	setenv("TRAP", "none", 1);
	without_kvm();
	open_lanes(&lanes);
	begin(lane, 3, lanes);
	for (i = 0; i < 3; i++)
		assert_int_equal(lane_advance(lane[i], NULL), 0);
	go = let_come_up(3);
	while (wait_once(lane, 3) < 3)
		;
	assert_string_equal(lane[2]->accelerator, "tcg");
	assert_string_equal(lane[2]->kernel, "7.0-made-up");
	stop(lane, 3, lanes);
}

TEST(test_lane_guest__kvm_trap__costs_one_try)
{
	struct lane *lane[3];
	struct lanes *lanes;
	auto_close int go = -1;
	auto_free char *text = NULL, *key = NULL;

	must_have_kvm();
	setenv("TRAP", "exit", 1);
	open_lanes(&lanes);
	begin(lane, 3, lanes);
	go = let_come_up(3);
	while (wait_once(lane, 3) < 3)
		;
	text = starts();
	assert_string_equal(text, "kvm\ntcg\ntcg\ntcg\n");
	key = accel_key(getenv("VERBATIM_QEMU"));
	assert_true(accel_is_broken(key));
	stop(lane, 3, lanes);
}

TEST(test_lane_guest__kvm_boots__the_others_use_it)
{
	struct lane *lane[2];
	struct lanes *lanes;
	auto_close int go = -1;
	auto_free char *text = NULL;

	must_have_kvm();
	setenv("TRAP", "none", 1);
	open_lanes(&lanes);
	begin(lane, 2, lanes);
	go = let_come_up(2);
	while (wait_once(lane, 2) < 2)
		;
	text = starts();
	assert_string_equal(text, "kvm\nkvm\n");
	assert_string_equal(lane[1]->accelerator, "kvm");
	stop(lane, 2, lanes);
}

TEST(test_lane_guest__the_one_that_tries_kvm_is_stopped__another_tries)
{
	struct lane *lane[2];
	struct lanes *lanes;
	auto_close int go = -1;

	must_have_kvm();
	setenv("TRAP", "hang", 1);
	open_lanes(&lanes);
	begin(lane, 2, lanes);
	lane_stop(lane[0]);
	setenv("TRAP", "none", 1);
	go = let_come_up(1);
	while (wait_once(lane + 1, 1) < 1)
		;
	assert_string_equal(lane[1]->accelerator, "kvm");
	stop(lane + 1, 1, lanes);
}

TEST(test_lane_guest__start__waits_until_the_runner_lives)
{
	struct lane_options opts = {0};
	struct vbm_error err = {0};
	struct lane *lane = NULL;
	auto_close int go __attribute__((unused)) = let_come_up(1);

	setenv("TRAP", "exit", 1);
	if (lane_start(&lane, &lane_guest, &opts, &err) < 0)
		fail_msg("%s", err.msg);
	assert_true(lane->ready);
	assert_string_equal(lane->accelerator, "tcg");
	lane_stop(lane);
}

/* From now on all processes that this one starts run on one processor. */
static void share_one_processor(void)
{
	cpu_set_t one, all;
	int i;

	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	for (i = 0; !CPU_ISSET(i, &all); i++)
		;
	CPU_SET(i, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
}

/*
 * A guest boots while @count processes want its processor, and comes up only after its
 * deadline; the lane has to wait for it.
 */
static void boot_among_busy(const char *trap, size_t count, int boot_ms)
{
	struct lane *lane;
	struct lanes *lanes;
	auto_close int go = -1;
	auto_free char *text = NULL;
	cpu_set_t before;
	int64_t end_ns, came_up_ns;
	bool ready;
	pid_t busy[BUSY];
	size_t i;

	sched_getaffinity(0, sizeof(before), &before);
	setenv("TRAP", trap, 1);
	without_kvm();
	open_lanes(&lanes);
	share_one_processor();
	for (i = 0; i < count; i++) {
		busy[i] = fork();
		if (busy[i] == 0)
			prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (busy[i] == 0)
			;
	}
	begin(&lane, 1, lanes);
	sched_setaffinity(0, sizeof(before), &before);
	end_ns = lane->deadline_ns = clock_now_ns() + (int64_t)boot_ms * 1000000;
	while (lane_advance(lane, NULL) == 0) {
		struct pollfd p[LANE_WANTS_MAX];

		if (go < 0 && clock_now_ns() >= end_ns)
			go = let_come_up(1);
		poll(p, lane_wants(lane, p), clock_left_ms(lane->deadline_ns));
	}
	came_up_ns = clock_now_ns();
	for (i = 0; i < count; i++) {
		kill(busy[i], SIGKILL);
		waitpid(busy[i], NULL, 0);
	}
	ready = lane->ready;
	stop(&lane, 1, lanes);
	text = starts();
	assert_true(ready);
	assert_true(came_up_ns > end_ns);
	assert_string_equal(text, "tcg\n");
}

TEST(test_lane_guest__a_busy_machine__is_no_hang)
{
	boot_among_busy("busy", BUSY, BOOT_MS);
}

/* A wait for a processor also counts before it has ended. */
TEST(test_lane_guest__a_starved_machine__is_no_hang)
{
	boot_among_busy("starved", STARVED_BUSY, STARVED_MS);
}
