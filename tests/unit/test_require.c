/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: plan/require.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "plan/require.h"

static const struct facts facts = {
	.lane = "guest",
	.layout = "shared",
	.kernel = "6.12.9-arm64",
	.kernel_a = "6.1.176-uml",
	.kernel_b = "7.3.4-uml",
	.target = "system",
	.call = "rdma_getaddrinfo rdma_create_ep",
	.device = "rxe",
	.can = "uc srq",
	.time = "real",
};

TEST(test_require__holds)
{
	static const char *const row[] = {
		"lane=guest",	"layout!=netns", "kernel>=6.1",	  "kernel>=6.12",
		"kernel=6.12",	"kernel=6",	 "kernel<7.1",	  "kernel<=6.12",
		"kernel!=6.11", "kernel>6.12.8", "target=system", "call=rdma_create_ep",
		"kernel_a=6.1", "kernel_b>=7.3", "call!=rdma_create", "can=srq", "can!=ud", "device=rxe", "time=real",
	};
	struct require req;
	char *why;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		assert_int_equal(require_parse(&req, row[i], NULL), 0);
		assert_true(require_holds(&req, &facts, &why));
		assert_null(why);
	}
}

TEST(test_require__does_not_hold__says_why)
{
	static const struct {
		const char *text, *why;
	} row[] = {
		{"lane=native", "needs lane=native, but it is guest"},
		{"kernel>=7.1", "needs kernel>=7.1, but it is 6.12.9-arm64"},
		{"kernel>6.12", "needs kernel>6.12, but it is 6.12.9-arm64"},
		{"kernel>=6.12.10", "needs kernel>=6.12.10, but it is 6.12.9-arm64"},
		{"kernel_a>6.1", "needs kernel_a>6.1, but it is 6.1.176-uml"},
		{"rdma_core>=60", "needs rdma_core>=60, which is not known"},
		{"rdma_core!=60", "needs rdma_core!=60, which is not known"},
		{"call=rdma_create", "needs call=rdma_create, which is missing here"},
		{"can=ud", "the RDMA devices here have no UD queue pairs (can=ud)"},
		{"can!=uc", "needs can!=uc, which is missing here"},
		{"device=siw", "needs device=siw, but it is rxe"},
		{"time=virtual", "needs time=virtual, but it is real"},
	};
	struct require req;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		auto_free char *why = NULL;

		assert_int_equal(require_parse(&req, row[i].text, NULL), 0);
		assert_false(require_holds(&req, &facts, &why));
		assert_string_equal(why, row[i].why);
	}
}

TEST(test_require__bad_text__is_refused)
{
	static const struct {
		const char *text, *msg;
	} row[] = {
		{"", "'' is not of the form NAME=VALUE or NAME>=VERSION"},
		{"netns", "'netns' is not of the form NAME=VALUE or NAME>=VERSION"},
		{"=guest", "'=guest' is not of the form NAME=VALUE or NAME>=VERSION"},
		{"kernel!6", "'kernel!6' is not of the form NAME=VALUE or NAME>=VERSION"},
		{"kernal>=6", "there is no capability 'kernal' (did you mean 'kernel'?)"},
		{"kernel>=", "'kernel' needs one value after '>='"},
		{"kernel==6", "'kernel' needs one value after '='"},
		{"kernel>=new", "'kernel' is compared with a version such as 6.12, not 'new'"},
		{"lane>=guest", "'lane' is compared with = or !="},
		{"layout=flat", "'layout' is one of: netns shared"},
	};
	struct vbm_error err;
	struct require req;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		assert_int_equal(require_parse(&req, row[i].text, &err), -EINVAL);
		assert_string_equal(err.msg, row[i].msg);
	}
}

TEST(test_require__excludes__what_nothing_can_meet)
{
	static const struct {
		const char *a, *b;
		bool excludes;
	} row[] = {
		{"kernel>=6.2", "kernel<6.2", true}, {"kernel>=6.2", "kernel<=6.2", false},
		{"kernel>6.2", "kernel<=6.2", true}, {"kernel>6.2", "kernel<6.3", true},
		{"kernel>6.2", "kernel<=6.3", false}, {"kernel>=6.1", "kernel<6.12", false},
		{"kernel>=7", "kernel<6.12", true}, {"kernel>=6", "kernel<6.12", false},
		{"kernel=6.1", "kernel=6.12", true}, {"kernel=6.1", "kernel>=6.1", false},
		{"kernel=6.1", "kernel>6.1", true}, {"kernel=6.1", "kernel!=6.1", true},
		{"kernel=6", "kernel!=6.1", false}, {"kernel=6", "kernel=6.1", false},
		{"kernel=6", "kernel>=6.5", false}, {"kernel=6", "kernel>6", true},
		{"kernel=6", "kernel>6.5", false}, {"kernel=6", "kernel<6.5", false},
		{"kernel=6", "kernel<6", true}, {"kernel=6", "kernel=7.1", true},
		{"kernel=6.1.3", "kernel<6.1", true}, {"kernel!=6.1", "kernel<6.2", false},
		{"kernel>=6.2", "kernel>=7", false}, {"kernel<6.2", "kernel<7", false},
		{"kernel>=7", "rdma_core<6", false}, {"target=a", "target=b", true},
		{"target=a", "target!=a", true}, {"target=a", "target!=b", false},
		{"target!=a", "target!=b", false}, {"call=a", "call=b", false},
		{"kernel>18446744073709551615", "kernel<9", true},
		{"kernel<6.18446744073709551616", "kernel>=6.99", false},
	};
	struct require a, b;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		assert_int_equal(require_parse(&a, row[i].a, NULL), 0);
		assert_int_equal(require_parse(&b, row[i].b, NULL), 0);
		if (require_excludes(&a, &b) != row[i].excludes ||
		    require_excludes(&b, &a) != row[i].excludes)
			fail_msg("%s, %s", row[i].a, row[i].b);
	}
}
