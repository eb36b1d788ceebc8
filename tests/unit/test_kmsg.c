/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "base/rdma-core.h"
#include "runner/kmsg.h"

static enum kmsg_severity classify(const char *text)
{
	struct kmsg_record rec = {.level = 4};

	strcpy(rec.text, text);
	return kmsg_classify(&rec);
}

static void test_kmsg__record__level_and_text_without_dictionary(void **state)
{
	static const char line[] = "28,1234,99887766,-;rxe: hello; world\n SUBSYSTEM=net\n";
	struct kmsg_record rec;

	(void)state;
	assert_int_equal(kmsg_parse(line, strlen(line), &rec), 0);
	assert_int_equal(rec.level, 4);
	assert_string_equal(rec.text, "rxe: hello; world");
}

static void test_kmsg__garbage__is_refused(void **state)
{
	struct kmsg_record rec;

	(void)state;
	assert_int_equal(kmsg_parse("", 0, &rec), -EPROTO);
	assert_int_equal(kmsg_parse("no semicolon", 12, &rec), -EPROTO);
	assert_int_equal(kmsg_parse(" KEY=x;y", 8, &rec), -EPROTO);
}

static void test_kmsg__severity__tells_complaints_from_oopses(void **state)
{
	(void)state;
	assert_int_equal(classify("veth0: link becomes ready"), KMSG_FINE);
	assert_int_equal(classify("WARNING: CPU: 0 PID: 1 at drivers/x.c:1"), KMSG_WARNING);
	assert_int_equal(classify("Oops: 0000 [#1] PREEMPT SMP"), KMSG_OOPS);
	assert_int_equal(classify("BUG: unable to handle page fault"), KMSG_OOPS);
	assert_int_equal(classify("BUG: sleeping function called"), KMSG_WARNING);
}

static void test_rdma_core__file_names(void **state)
{
	char version[32];

	(void)state;
	assert_int_equal(rdma_core_parse("/lib/libibverbs.so.1.14.44.0", version, 32), 0);
	assert_string_equal(version, "44.0");
	assert_int_equal(rdma_core_parse("/lib/libibverbs.so.1", version, 32), -EINVAL);
	assert_int_equal(rdma_core_parse("libibverbs", version, 32), -EINVAL);
}

VBM_TESTS(cmocka_unit_test(test_kmsg__record__level_and_text_without_dictionary),
	  cmocka_unit_test(test_kmsg__garbage__is_refused),
	  cmocka_unit_test(test_kmsg__severity__tells_complaints_from_oopses),
	  cmocka_unit_test(test_rdma_core__file_names));
