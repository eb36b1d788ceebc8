/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: job/kmsg.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
#include "event/event.h"
#include "job/kmsg.h"
#include "names/rdma-core.h"

static enum kmsg_severity classify(const char *text)
{
	struct kmsg_record rec = {.level = 4};

	strcpy(rec.text, text);
	return kmsg_classify(&rec);
}

TEST(test_kmsg__record__level_and_text_without_dictionary)
{
	static const char line[] = "28,1234,99887766,-;rxe: hello; world\n SUBSYSTEM=net\n";
	struct kmsg_record rec;

	assert_int_equal(kmsg_parse(line, strlen(line), &rec), 0);
	assert_int_equal(rec.level, 4);
	assert_string_equal(rec.text, "rxe: hello; world");
}

TEST(test_kmsg__garbage__is_refused)
{
	struct kmsg_record rec;

	assert_int_equal(kmsg_parse("", 0, &rec), -EPROTO);
	assert_int_equal(kmsg_parse("no semicolon", 12, &rec), -EPROTO);
	assert_int_equal(kmsg_parse(" KEY=x;y", 8, &rec), -EPROTO);
}

TEST(test_kmsg__severity__tells_complaints_from_oopses)
{
	assert_int_equal(classify("veth0: link becomes ready"), KMSG_FINE);
	assert_int_equal(classify("WARNING: CPU: 0 PID: 1 at drivers/x.c:1"), KMSG_WARNING);
	assert_int_equal(classify("Oops: 0000 [#1] PREEMPT SMP"), KMSG_OOPS);
	assert_int_equal(classify("BUG: unable to handle page fault"), KMSG_OOPS);
	assert_int_equal(classify("BUG: sleeping function called"), KMSG_WARNING);
}

/* Linux 7.3.4 wrote this in a guest on a busy machine. */
TEST(test_kmsg__what_no_scenario_reaches__is_not_held_against_it)
{
	assert_int_equal(classify("WARNING: kernel/time/hrtimer.c:1098 at hrtimer_forward+0x7b/0xc0, "
				  "CPU#0: swapper/0/0"), KMSG_FINE);
	assert_int_equal(classify("WARNING: kernel/time/hrtimer.c:1098 at hrtimer_start+0x7b/0xc0, "
				  "CPU#0: swapper/0/0"), KMSG_WARNING);
}

/* One record for each read, as /dev/kmsg returns them. */
static int records(const char *const *line)
{
	int fd[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, fd), 0);
	for (; *line; line++)
		assert_int_equal(send(fd[1], *line, strlen(*line), 0), strlen(*line));
	close(fd[1]);
	return fd[0];
}

/* Returns the severity that kmsg_hear() gives @line, and the text of its last event. */
static enum kmsg_severity hear(const char *const *line, const struct variant *v,
			       struct value *all, char **complaint, struct value **last)
{
	auto_close int fd = records(line), out = memfd_create("events", MFD_CLOEXEC);
	enum kmsg_severity worst;
	struct vbm_error err;
	struct emitter emit;
	char buf[4096] = "";
	char *p, *next;

	emit_init(&emit, out);
	worst = kmsg_hear(&(struct kmsg_source){.fd = fd}, &emit, v, all, complaint);
	assert_true(pread(out, buf, sizeof(buf) - 1, 0) > 0);
	for (p = buf; (next = strchr(p, '\n')) && next[1]; p = next + 1)
		;
	*last = json_read(p, strcspn(p, "\n"), &err);
	assert_non_null(*last);
	assert_int_equal(event_check(*last, &err), 0);
	return worst;
}

TEST(test_kmsg__while_a_scenario_runs__is_of_that_scenario)
{
	static const char *const line[] = {"4,1,1,-;WARNING: first", "1,2,2,-;Oops: second",
					   "6,3,3,-;last words", NULL};
	char name[] = "x/y[ip=4]";
	struct variant v = {.number = 7, .name = name};
	auto_value struct value *last = NULL, *all = value_list();
	auto_free char *complaint = NULL;

	assert_int_equal(hear(line, &v, all, &complaint, &last), KMSG_OOPS);
	assert_string_equal(complaint, "Oops: second");
	assert_int_equal(all->list.count, 2);
	assert_string_equal(all->list.item[0]->s, "WARNING: first");
	assert_string_equal(all->list.item[1]->s, "Oops: second");
	assert_int_equal(value_get_int(last, "variant", -1), 7);
	assert_string_equal(value_get_string(last, "name", "?"), "x/y[ip=4]");
	assert_string_equal(value_get_string(last, "text", "?"), "last words");
	assert_false(value_get_bool(last, "bad", true));
}

TEST(test_kmsg__between_scenarios__is_of_none)
{
	static const char *const line[] = {"6,1,1,-;port-c: left promiscuous mode", NULL};
	auto_value struct value *last = NULL, *all = value_list();
	auto_free char *complaint = NULL;

	assert_int_equal(hear(line, NULL, all, &complaint, &last), KMSG_FINE);
	assert_null(complaint);
	assert_int_equal(all->list.count, 0);
	assert_null(value_get(last, "variant"));
	assert_int_equal(value_get(last, "name")->type, VALUE_NULL);
}

TEST(test_rdma_core__file_names)
{
	char version[32];

	assert_int_equal(rdma_core_parse("/lib/libibverbs.so.1.14.44.0", version, 32), 0);
	assert_string_equal(version, "44.0");
	assert_int_equal(rdma_core_parse("/lib/libibverbs.so.1", version, 32), -EINVAL);
	assert_int_equal(rdma_core_parse("libibverbs", version, 32), -EINVAL);
}
