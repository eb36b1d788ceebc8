/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/qp/check.c lib/qp/state.c lib/qp/table.c lib/qp/find-gid.c */
/* The table of transitions, and the reports of vbm_qp_check(). */
#include "cmocka_all.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <verbatim/qp.h>

static const enum ibv_qp_type types[] = {IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD};

TEST(test_qp_table__each_pair_of_states_once)
{
	const struct vbm_qp_transition *t;
	size_t count, i, k;

	t = vbm_qp_transitions(&count);
	assert_ptr_equal(vbm_qp_transitions(NULL), t);
	for (i = 0; i < count; i++) {
		assert_false(t[i].required & t[i].optional);
		assert_false((t[i].required | t[i].optional) & IBV_QP_STATE);
		for (k = 0; k < i; k++)
			assert_false(t[i].qp_type == t[k].qp_type && t[i].from == t[k].from &&
				     t[i].to == t[k].to);
		assert_ptr_equal(vbm_qp_transition(t[i].qp_type, t[i].from, t[i].to), &t[i]);
	}
}

TEST(test_qp_table__reset_and_err_from_anywhere)
{
	const struct vbm_qp_transition *t;
	size_t i;
	int from, to;

	for (i = 0; i < 3; i++)
		for (from = IBV_QPS_RESET; from <= IBV_QPS_ERR; from++)
			for (to = 0; to < 2; to++) {
				t = vbm_qp_transition(types[i], (enum ibv_qp_state)from,
						      to ? IBV_QPS_ERR : IBV_QPS_RESET);
				assert_non_null(t);
				assert_int_equal(t->required | t->optional, 0);
			}
	assert_null(vbm_qp_transition(IBV_QPT_RC, IBV_QPS_SQE, IBV_QPS_RTS));
	assert_null(vbm_qp_transition(IBV_QPT_RAW_PACKET, IBV_QPS_RESET, IBV_QPS_INIT));
}

/* The minimal masks that ibv_modify_qp(3) lists. */
TEST(test_qp_table__the_masks_of_the_page)
{
	static const struct {
		enum ibv_qp_type type;
		enum ibv_qp_state from, to;
		int mask;
	} page[] = {
		{IBV_QPT_RC, IBV_QPS_RESET, IBV_QPS_INIT, 0x39},
		{IBV_QPT_RC, IBV_QPS_INIT, IBV_QPS_RTR, 0x129181},
		{IBV_QPT_RC, IBV_QPS_RTR, IBV_QPS_RTS, 0x12e01},
		{IBV_QPT_UC, IBV_QPS_RESET, IBV_QPS_INIT, 0x39},
		{IBV_QPT_UC, IBV_QPS_INIT, IBV_QPS_RTR, 0x101181},
		{IBV_QPT_UC, IBV_QPS_RTR, IBV_QPS_RTS, 0x10001},
		{IBV_QPT_UD, IBV_QPS_RESET, IBV_QPS_INIT, 0x71},
		{IBV_QPT_UD, IBV_QPS_INIT, IBV_QPS_RTR, 0x1},
		{IBV_QPT_UD, IBV_QPS_RTR, IBV_QPS_RTS, 0x10001},
	};
	size_t i;

	for (i = 0; i < sizeof(page) / sizeof(page[0]); i++)
		assert_int_equal(vbm_qp_transition(page[i].type, page[i].from, page[i].to)->required |
				 IBV_QP_STATE, page[i].mask);
}

/* Attributes that are valid for every transition. */
static struct ibv_qp_attr good(enum ibv_qp_state to)
{
	struct ibv_qp_attr a = {
		.qp_state = to, .port_num = 1, .path_mtu = IBV_MTU_1024, .timeout = 14,
		.retry_cnt = 7, .rnr_retry = 7, .rq_psn = 0xffffff, .sq_psn = 0xffffff,
		.dest_qp_num = 0xffffff, .min_rnr_timer = 31, .alt_port_num = 1,
		.ah_attr = {.port_num = 1, .is_global = 1,
			    .grh = {.dgid.raw = {0xfe, 0x80, [15] = 1}, .hop_limit = 64}},
	};

	a.alt_ah_attr = a.ah_attr;
	return a;
}

TEST(test_qp_check__the_table_passes)
{
	const struct vbm_qp_transition *t;
	struct vbm_qp_report r;
	size_t count, i;

	t = vbm_qp_transitions(&count);
	for (i = 0; i < count; i++) {
		struct ibv_qp_attr a = good(t[i].to);

		a.cur_qp_state = t[i].from;
		assert_int_equal(vbm_qp_check(t[i].qp_type, t[i].from, &a,
					      t[i].required | t[i].optional | IBV_QP_STATE, &r), 0);
		assert_string_equal(r.text, "");
		assert_ptr_equal(r.transition, &t[i]);
		assert_true(r.next & 1u << t[i].to);
		assert_int_equal(vbm_qp_check(t[i].qp_type, t[i].from, &a,
					      t[i].required | IBV_QP_STATE, NULL), 0);
	}
}

/* The members that @mask names, as a program sets them in memory that malloc(3) gave it. */
static void set_named(struct ibv_qp_attr *a, const struct ibv_qp_attr *from, int mask)
{
#define SET(bit, member)                                                      \
	do {                                                                  \
		if (mask & (bit))                                             \
			a->member = from->member;                             \
	} while (0)
	SET(IBV_QP_STATE, qp_state);
	SET(IBV_QP_ACCESS_FLAGS, qp_access_flags);
	SET(IBV_QP_PKEY_INDEX, pkey_index);
	SET(IBV_QP_PORT, port_num);
	SET(IBV_QP_QKEY, qkey);
	SET(IBV_QP_AV, ah_attr);
	SET(IBV_QP_PATH_MTU, path_mtu);
	SET(IBV_QP_TIMEOUT, timeout);
	SET(IBV_QP_RETRY_CNT, retry_cnt);
	SET(IBV_QP_RNR_RETRY, rnr_retry);
	SET(IBV_QP_RQ_PSN, rq_psn);
	SET(IBV_QP_MAX_QP_RD_ATOMIC, max_rd_atomic);
	SET(IBV_QP_MIN_RNR_TIMER, min_rnr_timer);
	SET(IBV_QP_SQ_PSN, sq_psn);
	SET(IBV_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic);
	SET(IBV_QP_DEST_QPN, dest_qp_num);
#undef SET
}

/* The result of a call whose other members have bytes of no meaning, or were never written. */
static int check_named(const struct vbm_qp_transition *t, int mask, bool written, struct vbm_qp_report *r)
{
	struct ibv_qp_attr *a = malloc(sizeof(*a)), from = good(t->to);
	int rc;

	assert_non_null(a);
	if (written)
		memset(a, 0xa5, sizeof(*a));
	set_named(a, &from, mask);
	rc = vbm_qp_check(t->qp_type, t->from, a, mask, r);
	free(a);
	return rc;
}

/* valgrind, which sees the reading of unwritten memory, runs this test, too (.ci/run). */
TEST(test_qp_check__reads_only_what_the_mask_names)
{
	const struct vbm_qp_transition *t;
	struct vbm_qp_report r, same;
	size_t count, i;

	t = vbm_qp_transitions(&count);
	for (i = 0; i < count; i++) {
		assert_int_equal(check_named(&t[i], t[i].required | IBV_QP_STATE, true, &r), 0);
		assert_string_equal(r.text, "");
		assert_int_equal(check_named(&t[i], t[i].required | IBV_QP_STATE, false, &r), 0);
		check_named(&t[i], t[i].required, true, &r);
		assert_null(strstr(r.text, "unknown state"));
		assert_int_equal(r.out_of_range | r.doubtful, 0);
		check_named(&t[i], t[i].required, false, &same);
		assert_string_equal(same.text, r.text);
	}
}

TEST(test_qp_check__what_is_missing_and_foreign)
{
	struct ibv_qp_attr a = good(IBV_QPS_RTR);
	struct vbm_qp_report r;

	assert_int_equal(vbm_qp_check(IBV_QPT_RC, IBV_QPS_INIT, &a,
				      (0x129181 & ~IBV_QP_AV) | IBV_QP_QKEY, &r), EINVAL);
	assert_int_equal(r.missing, IBV_QP_AV);
	assert_int_equal(r.foreign, IBV_QP_QKEY);
	assert_string_equal(r.text, "RC queue pair, INIT to RTR: missing IBV_QP_AV; not allowed "
			    "IBV_QP_QKEY; required: IBV_QP_STATE, IBV_QP_AV, IBV_QP_PATH_MTU, "
			    "IBV_QP_RQ_PSN, IBV_QP_MIN_RNR_TIMER, IBV_QP_MAX_DEST_RD_ATOMIC, "
			    "IBV_QP_DEST_QPN; optional: IBV_QP_ACCESS_FLAGS, IBV_QP_PKEY_INDEX, "
			    "IBV_QP_ALT_PATH");
	assert_int_equal(vbm_qp_check(IBV_QPT_UD, IBV_QPS_INIT, &a, IBV_QP_STATE | 1 << 30, &r),
			 EINVAL);
	assert_int_equal(r.foreign, 1 << 30);
	assert_non_null(strstr(r.text, "unknown bits 0x40000000"));
}

TEST(test_qp_check__no_such_transition)
{
	struct ibv_qp_attr a = good(IBV_QPS_RTS);
	struct vbm_qp_report r;

	assert_int_equal(vbm_qp_check(IBV_QPT_UC, IBV_QPS_INIT, &a, IBV_QP_STATE, &r), EINVAL);
	assert_null(r.transition);
	assert_int_equal(r.next, 1 << IBV_QPS_RESET | 1 << IBV_QPS_INIT | 1 << IBV_QPS_RTR |
			 1 << IBV_QPS_ERR);
	assert_string_equal(r.text, "UC queue pair, INIT to RTS: there is no such transition; "
			    "from INIT it can go to RESET, INIT, RTR, ERR");
	a.qp_state = (enum ibv_qp_state)77;
	assert_int_equal(vbm_qp_check(IBV_QPT_UC, (enum ibv_qp_state)-1, &a, IBV_QP_STATE, &r),
			 EINVAL);
	assert_non_null(strstr(r.text, "an unknown state to an unknown state"));
	assert_int_equal(vbm_qp_check(IBV_QPT_RAW_PACKET, IBV_QPS_INIT, &a, IBV_QP_STATE, &r),
			 EOPNOTSUPP);
	assert_non_null(strstr(r.text, "type 8"));
	assert_int_equal(vbm_qp_check(IBV_QPT_RC, IBV_QPS_INIT, NULL, 0, &r), EINVAL);
}

TEST(test_qp_check__values)
{
	const struct {
		enum ibv_qp_state from, to;
		int bit;
		struct ibv_qp_attr a;
	} bad[] = {
#define BAD(from, to, bit, ...) {from, to, bit, {.qp_state = to, __VA_ARGS__}}
		BAD(IBV_QPS_INIT, IBV_QPS_INIT, IBV_QP_PORT, .port_num = 0),
		BAD(IBV_QPS_INIT, IBV_QPS_INIT, IBV_QP_ACCESS_FLAGS, .qp_access_flags = 1 << 15),
		BAD(IBV_QPS_SQD, IBV_QPS_SQD, IBV_QP_TIMEOUT, .timeout = 32),
		BAD(IBV_QPS_SQD, IBV_QPS_SQD, IBV_QP_RETRY_CNT, .retry_cnt = 8),
		BAD(IBV_QPS_SQD, IBV_QPS_SQD, IBV_QP_RNR_RETRY, .rnr_retry = 8),
		BAD(IBV_QPS_SQD, IBV_QPS_SQD, IBV_QP_MIN_RNR_TIMER, .min_rnr_timer = 32),
		BAD(IBV_QPS_INIT, IBV_QPS_INIT, IBV_QP_ACCESS_FLAGS, .qp_access_flags = 1 << 10),
		BAD(IBV_QPS_SQD, IBV_QPS_SQD, IBV_QP_AV, .ah_attr = {.port_num = 0}),
		BAD(IBV_QPS_SQD, IBV_QPS_SQD, IBV_QP_AV, .ah_attr = {.port_num = 1, .sl = 16}),
		BAD(IBV_QPS_SQD, IBV_QPS_SQD, IBV_QP_PATH_MIG_STATE,
		    .path_mig_state = (enum ibv_mig_state)3),
		BAD(IBV_QPS_RTS, IBV_QPS_RTS, IBV_QP_CUR_STATE, .cur_qp_state = IBV_QPS_SQD),
		BAD(IBV_QPS_RTS, IBV_QPS_SQD, IBV_QP_EN_SQD_ASYNC_NOTIFY, .en_sqd_async_notify = 2),
#undef BAD
	};
	struct vbm_qp_report r;
	struct ibv_qp_attr a;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(vbm_qp_check(IBV_QPT_RC, bad[i].from, &bad[i].a,
					      IBV_QP_STATE | bad[i].bit, &r), EINVAL);
		assert_int_equal(r.out_of_range, bad[i].bit);
		assert_int_equal(r.missing | r.foreign | r.doubtful, 0);
	}
	a = good(IBV_QPS_RTR);
	a.rq_psn = a.dest_qp_num = 1 << 24;
	a.path_mtu = (enum ibv_mtu)6;
	assert_int_equal(vbm_qp_check(IBV_QPT_RC, IBV_QPS_INIT, &a, 0x129181, &r), EINVAL);
	assert_int_equal(r.out_of_range, IBV_QP_RQ_PSN | IBV_QP_DEST_QPN | IBV_QP_PATH_MTU);
}

/* A call to RTR with one mistake, for each of the mistakes that programs make most often. */
#define IPV4 {.raw = {[10] = 0xff, [11] = 0xff, 192, 0, 2, 1}}
static const struct {
	struct ibv_qp_attr a;
	int mask;		/* the attributes to change */
	int ret, out_of_range, doubtful;
	const char *text;
} wrong[] = {
#define AV(...) .ah_attr = {.port_num = 1, __VA_ARGS__}
#define AT(hops, ...) AV(.is_global = 1, .grh = {.hop_limit = hops, __VA_ARGS__})
	{{AV(.is_global = 0)}, 0, EINVAL, IBV_QP_AV, 0,
	 "ah_attr.is_global is 0: RoCE needs a GRH (is_global 1, grh.dgid, grh.sgid_index), "
	 "InfiniBand at least a dlid"},
	{{AV(.dlid = 1)}, 0, 0, 0, IBV_QP_AV,
	 "ah_attr.is_global is 0, which only InfiniBand allows: RoCE needs a GRH (is_global 1, "
	 "grh.dgid, grh.sgid_index)"},
	{{AT(64, .sgid_index = 1)}, 0, EINVAL, IBV_QP_AV, 0,
	 "ah_attr.grh.dgid is zero: it must be the peer's GID"},
	{{AT(64, .dgid = IPV4)}, 0, 0, 0, IBV_QP_AV,
	 "ah_attr.grh.dgid is an IPv4 address and grh.sgid_index is 0, normally a link-local "
	 "IPv6 address: see vbm_find_gid(3)"},
	{{AT(64, .dgid = IPV4, .sgid_index = 1)}, 0, 0, 0, 0, ""},
	{{AT(0, .dgid = IPV4, .sgid_index = 1)}, 0, 0, 0, IBV_QP_AV,
	 "ah_attr.grh.hop_limit is 0: no router forwards such a packet (on RoCE "
	 "Linux sends another hop limit)"},
	{{AT(64, .dgid = IPV4, .sgid_index = 1, .flow_label = 1 << 20)}, 0, EINVAL, IBV_QP_AV, 0,
	 "ah_attr.grh.flow_label is 0x100000, and has 20 bits"},
	{{.path_mtu = (enum ibv_mtu)1024}, 0, EINVAL, IBV_QP_PATH_MTU, 0,
	 "path_mtu is 1024, and must be a code: IBV_MTU_1024, which is 3"},
	{{.path_mtu = (enum ibv_mtu)1500}, 0, EINVAL, IBV_QP_PATH_MTU, 0,
	 "path_mtu is 1500, and must be a code: 1 to 5, for 256 to 4096 bytes"},
	{{.rq_psn = 0x1000000}, 0, EINVAL, IBV_QP_RQ_PSN, 0,
	 "rq_psn is 16777216, and the largest is 16777215"},
	{{.min_rnr_timer = 32}, 0, EINVAL, IBV_QP_MIN_RNR_TIMER, 0,
	 "min_rnr_timer is 32, and the largest is 31"},
	{{.qp_access_flags = 1 << 8 | 1 << 9}, IBV_QP_ACCESS_FLAGS, 0, 0, 0, ""},
	{{.qp_access_flags = 1 << 10 | 1}, IBV_QP_ACCESS_FLAGS, EINVAL, IBV_QP_ACCESS_FLAGS, 0,
	 "qp_access_flags has 0x400, which is not an access flag of a queue pair"},
#undef AV
#undef AT
#undef IPV4
};

/* The attributes of a good call, with the values of @w in place of some. */
static struct ibv_qp_attr all_but(const struct ibv_qp_attr *w)
{
	struct ibv_qp_attr a = good(IBV_QPS_RTR);

	if (w->ah_attr.port_num)
		a.ah_attr = w->ah_attr;
	if (w->path_mtu)
		a.path_mtu = w->path_mtu;
	if (w->rq_psn)
		a.rq_psn = w->rq_psn;
	if (w->min_rnr_timer)
		a.min_rnr_timer = w->min_rnr_timer;
	a.qp_access_flags = w->qp_access_flags;
	return a;
}

TEST(test_qp_check__says_the_cause)
{
	struct ibv_qp_attr a;
	struct vbm_qp_report r;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		a = all_but(&wrong[i].a);
		assert_int_equal(vbm_qp_check(IBV_QPT_RC, IBV_QPS_INIT, &a, 0x129181 | wrong[i].mask,
					      &r), wrong[i].ret);
		assert_int_equal(r.out_of_range, wrong[i].out_of_range);
		assert_int_equal(r.doubtful, wrong[i].doubtful);
		assert_string_equal(r.text[0] ? r.text + strlen("RC queue pair, INIT to RTR: ") : "",
				    wrong[i].text);
	}
}

TEST(test_qp_check__several_causes_and_a_forgotten_state)
{
	struct ibv_qp_attr a = good(IBV_QPS_RTR);
	struct vbm_qp_report r;

	a.ah_attr.port_num = 0;
	a.ah_attr.sl = 16;
	assert_int_equal(vbm_qp_check(IBV_QPT_UC, IBV_QPS_INIT, &a, 0x101181, &r), EINVAL);
	assert_string_equal(r.text, "UC queue pair, INIT to RTR: ah_attr.port_num is 0, and ports "
			    "count from 1; ah_attr.sl is 16, and the largest is 15");
	a.qp_state = IBV_QPS_RTR;
	assert_int_equal(vbm_qp_check(IBV_QPT_RC, IBV_QPS_INIT, &a, IBV_QP_RQ_PSN, &r), EINVAL);
	assert_string_equal(r.text, "RC queue pair, INIT to INIT: not allowed IBV_QP_RQ_PSN; "
			    "IBV_QP_STATE is not in the mask, so the queue pair stays in INIT; "
			    "optional: IBV_QP_ACCESS_FLAGS, IBV_QP_PKEY_INDEX, IBV_QP_PORT");
}

/* Arguments that the calls refuse before they ask a device. */
TEST(test_qp__bad_arguments)
{
	struct vbm_qp_options o;
	struct vbm_error err = {0};
	struct vbm_qp empty = {0}, *q = &empty;
	struct vbm_gid_place place;
	struct sockaddr other = {.sa_family = AF_UNIX};

	vbm_qp_options_init(NULL);
	vbm_qp_options_init(&o);
	assert_int_equal(vbm_create_qp(NULL, NULL, NULL, NULL), EINVAL);
	o.mtu = 1000;
	assert_int_equal(vbm_create_qp(&q, NULL, &o, &err), EINVAL);
	assert_null(q);
	assert_string_equal(err.msg, "mtu: the path MTU 1000 is not 256, 512, 1024, 2048 or 4096");
	vbm_qp_options_init(&o);
	o.qp_type = IBV_QPT_RAW_PACKET;
	assert_int_equal(vbm_create_qp(&q, NULL, &o, NULL), EINVAL);
	assert_int_equal(vbm_find_gid(NULL, &place, NULL), EINVAL);
	assert_int_equal(vbm_find_gid(&other, NULL, NULL), EINVAL);
	assert_int_equal(vbm_find_gid(&other, &place, NULL), EAFNOSUPPORT);
	assert_int_equal(vbm_qp_to_init(NULL), EINVAL);
	assert_int_equal(vbm_qp_to_rtr(NULL), EINVAL);
	assert_int_equal(vbm_qp_to_rts(NULL), EINVAL);
	assert_int_equal(vbm_modify_qp_to_rts(NULL), EINVAL);
	assert_int_equal(vbm_qp_to_init(&empty), EINVAL);
	assert_string_equal(empty.error.msg, "the queue pair has been destroyed");
	assert_int_equal(vbm_destroy_qp(NULL), 0);
}
