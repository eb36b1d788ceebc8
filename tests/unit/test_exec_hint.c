/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: session/exec-hint.c */
#include "cmocka_all.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "session/exec-report.h"

static void says(const char *printed, const char *begin)
{
	struct exec_hint hint = {0};
	auto_free char *line = NULL;

	exec_hint_hear(&hint, printed, strlen(printed));
	line = exec_hint_say(&hint, 1, 0);
	if (!begin)
		assert_null(line);
	else
		assert_int_equal(strncmp(line ? line : "", begin, strlen(begin)), 0);
	exec_hint_fini(&hint);
}

TEST(test_exec_hint__names_and_texts__are_found)
{
	says("cma event RDMA_CM_EVENT_REJECTED, error 8\n", "RDMA_CM_EVENT_REJECTED: The peer refused.");
	says("Failed status transport retry counter exceeded (12) for wr_id 2\n",
	     "IBV_WC_RETRY_EXC_ERR: ");
	says("IBV_EVENT_QP_FATAL", "IBV_EVENT_QP_FATAL: ");
	says("connect: Connection refused\n", "ECONNREFUSED: ");
	says("no server: EAI_NONAME.\n", "EAI_NONAME: ");
}

/* The last text counts, and a name of RDMA before an errno. */
TEST(test_exec_hint__several__the_best_is_said)
{
	says("RDMA_CM_EVENT_REJECTED, then RDMA_CM_EVENT_UNREACHABLE\n", "RDMA_CM_EVENT_UNREACHABLE: ");
	says("RDMA_CM_EVENT_REJECTED: Connection refused\n", "RDMA_CM_EVENT_REJECTED: ");
	says("Failed to modify QP to RTR\nInvalid argument\n",
	     "what usually causes that: verbatim explain 'Failed to modify QP to RTR'");
}

/* The command that failed first counts, except that a name of RDMA comes before its errno. */
TEST(test_exec_hint__of_another_command__says_more_than_an_errno)
{
	static const char *const printed[] = {"RDMA_CM_EVENT_REJECTED\n", "Connection refused\n",
					      "RDMA_CM_EVENT_UNREACHABLE\n"};
	static const char text[] = "Failed to modify QP to RTR\n";
	struct exec_hint hint[3] = {0};
	auto_free char *of_errno = NULL, *of_last = NULL, *of_text = NULL;
	size_t i;

	for (i = 0; i < 3; i++)
		exec_hint_hear(&hint[i], printed[i], strlen(printed[i]));
	of_errno = exec_hint_say(hint, 3, 1);
	of_last = exec_hint_say(hint, 3, 2);
	assert_int_equal(strncmp(of_errno, "RDMA_CM_EVENT_REJECTED: ", 24), 0);
	assert_int_equal(strncmp(of_last, "RDMA_CM_EVENT_UNREACHABLE: ", 27), 0);
	text_clear(&hint[0].tail);
	text_clear(&hint[2].tail);
	exec_hint_hear(&hint[2], text, strlen(text));
	of_text = exec_hint_say(hint, 3, 1);
	assert_non_null(strstr(of_text, "Failed to modify QP to RTR"));
	for (i = 0; i < 3; i++)
		exec_hint_fini(&hint[i]);
}

TEST(test_exec_hint__nothing_known__says_nothing)
{
	says("", NULL);
	says("all is well: Success\n", NULL);
	says("XRDMA_CM_EVENT_REJECTED RDMA_CM_EVENT_REJECTED_\n", NULL);
	/* Nothing is wrong then. */
	says("RDMA_CM_EVENT_ESTABLISHED\n", NULL);
}

TEST(test_exec_hint__long_output__its_end_counts)
{
	auto_free char *many = xcalloc(1, 20001);
	struct exec_hint hint = {0};
	auto_free char *line = NULL;
	int i;

	memset(many, '.', 20000);
	exec_hint_hear(&hint, "RDMA_CM_EVENT_REJECTED\n", 23);
	for (i = 0; i < 20; i++)
		exec_hint_hear(&hint, many, 1000);
	assert_true(hint.tail.len <= 8192);
	assert_null(exec_hint_say(&hint, 1, 0));
	exec_hint_hear(&hint, " RDMA_CM_EVENT_UNREACHABLE\n", 27);
	line = exec_hint_say(&hint, 1, 0);
	assert_non_null(line);
	exec_hint_fini(&hint);
}

/* A program may print bytes of a file or a memory that it shows. */
TEST(test_exec_hint__nul_byte__does_not_end_the_output)
{
	struct exec_hint hint = {0};
	auto_free char *line = NULL;

	exec_hint_hear(&hint, "got \0.\nRDMA_CM_EVENT_REJECTED\n", 30);
	line = exec_hint_say(&hint, 1, 0);
	assert_non_null(line);
	exec_hint_fini(&hint);
}
