/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CALL_STEP_UTIL_H
#define VBM_CALL_STEP_UTIL_H

/*
 * Runs in: an agent, in its main thread; two steps start a thread (races, destroy_cq).
 * Owns:    the RDMA objects, sockets and programs of the host, until the variant ends.
 * Ends:    with the agent: its process ends and the kernel frees the rest.
 * Tests:   unit/test_steps; tests/guest/steps.test, and every scenario.
 */

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <infiniband/verbs.h>

#include "base/value.h"
#include "base/xalloc.h"
#include "call/objects.h"
#include "call/target.h"
#include "call/verbs-objects.h"
#include "lib/base/fail.h"
#include "names/consts.h"
#include "step/bytes.h"
#include "step/step.h"

/* One for each step-NAME.c. families.c lists them. */
extern const struct step_family family_resolve, family_async, family_dns, family_acm,
	family_libc, family_device, family_pd, family_cq, family_mr, family_qp, family_ah,
	family_data, family_cm, family_conn, family_ep, family_event, family_link, family_host,
	family_cq_event, family_mcast, family_many, family_fault, family_process, family_program;
extern const struct step_family family_race, family_litmus;
extern const struct step_family family_mw, family_srq, family_batch, family_packet, family_wire, family_rule;
extern const struct step_family family_counter, family_advise, family_cm_option,
	family_cm_mcast, family_footprint, family_attributes, family_handshake, family_route;

/*
 * Deadlines of steps that may take longer than usual: a request that is sent 8
 * times with an ACK timeout of code 14 (2.1 s at most); a connection whose address
 * or peer must be found; name servers that do not answer (glibc asks twice, for
 * five seconds each); buffers of a gigabyte.
 */
#define DEADLINE_RETRIES_MS 3000
#define DEADLINE_CONNECT_MS 5000
#define DEADLINE_NAMES_MS 15000
#define DEADLINE_MEMORY_MS 10000

/* The head of the function that carries out a step: "run" of struct step_kind. A step may need only some of these. */
#define STEP(name)                                                            \
	static int name(struct step_ctx *ctx __attribute__((unused)),         \
			const struct value *args __attribute__((unused)),     \
			struct value *result __attribute__((unused)),         \
			struct vbm_error *err __attribute__((unused)))

/* Lines of the tables. step.h describes their members. */
#define P_INT(n, lo, hi, d)                                                   \
	{.name = (n), .type = PARAM_INT, .min = (lo), .max = (hi), .doc = (d)}
#define P_U64(n, d) {.name = (n), .type = PARAM_INT, .u64 = true, .doc = (d)}
#define P_BOOL(n, d) {.name = (n), .type = PARAM_BOOL, .doc = (d)}
#define P_STRING(n, d) {.name = (n), .type = PARAM_STRING, .doc = (d)}
#define P_ADDRESS(n, d) {.name = (n), .type = PARAM_ADDRESS, .doc = (d)}
#define P_CONST(n, s, d)                                                      \
	{.name = (n), .type = PARAM_CONST, .set = (s), .doc = (d)}
#define P_FLAGS(n, s, d)                                                      \
	{.name = (n), .type = PARAM_FLAGS, .set = (s), .doc = (d)}
#define P_BYTES(n, hi, d)                                                     \
	{.name = (n), .type = PARAM_BYTES, .max = (hi), .doc = (d)}
#define P_OBJECT(n, k, d)                                                     \
	{.name = (n), .type = PARAM_OBJECT, .object = (k), .doc = (d)}
#define P_CTX                                                                 \
	P_OBJECT("ctx", OBJECT_CONTEXT, "the open device; default: ctx, or the only one")

#define F_INT(n, d) {.name = (n), .type = FIELD_INT, .doc = (d)}
#define F_U64(n, d) {.name = (n), .type = FIELD_INT, .u64 = true, .doc = (d)}
#define F_BOOL(n, d) {.name = (n), .type = FIELD_BOOL, .doc = (d)}
#define F_STRING(n, d) {.name = (n), .type = FIELD_STRING, .doc = (d)}
#define F_CONST(n, s, d)                                                      \
	{.name = (n), .type = FIELD_CONST, .set = (s), .doc = (d)}
#define F_FLAGS(n, s, d)                                                      \
	{.name = (n), .type = FIELD_FLAGS, .set = (s), .doc = (d)}
#define F_BYTES(n, d) {.name = (n), .type = FIELD_BYTES, .doc = (d)}
#define F_LIST(n, s, d)                                                       \
	{.name = (n), .type = FIELD_LIST, .sub = (s), .doc = (d)}

#define F_ERRNO                                                               \
	F_CONST("errno", &const_errno, "errno after a failed call, 0 after a successful one")
/* The three ways in which calls report their outcome. */
#define F_POINTER                                                             \
	F_CONST("return", &const_pointer, "whether the call returned a pointer or NULL"), F_ERRNO
#define F_ERRVAL                                                              \
	F_CONST("return", &const_errno, "0, or the errno value the call returned")
#define F_MINUS1                                                              \
	F_INT("return", "0, or -1 after a failure that errno explains"), F_ERRNO

/* Bytes that were received, or that are in a buffer. */
#define F_DATA                                                                \
	F_STRING("data", "the content: counter, zero, the value of a byte (0x5a), empty or other"), \
	F_BYTES("bytes", "the bytes; absent when they are more than 64")
void put_data(struct value *result, const unsigned char *bytes, size_t len);

void put_pointer(struct value *result, const void *p);
void put_errval(struct value *result, int ret);
void put_minus1(struct value *result, int ret);

/*
 * A call that failed with errno, as one that returns an errno value: 0 if @ret is 0, else errno, or
 * -1 if errno is 0. The caller sets errno to 0 before the call.
 */
int step_code_of(int ret);

/*
 * The agent fills in "elapsed_ms" for every kind that has it among its fields. It
 * counts from the beginning of the step. A step that prepares something first
 * calls call_begins() before its call. That also sets errno to 0, and from there to the put_...() of the
 * result the kernel fails at the point of "fail_next" (fault.h).
 */
#define F_ELAPSED F_INT("elapsed_ms", "milliseconds from the call to its answer, rounded down")
void call_begins(struct step_ctx *ctx);
int64_t step_elapsed_ms_since(int64_t began_ns);
void put_elapsed(const struct step_ctx *ctx, const struct step_kind *kind, struct value *result);

bool arg_given(const struct value *args, const char *key);

/* The object that the parameter @key means, or NULL with @err; see objects_pick(). */
struct object *arg_object(struct step_ctx *ctx, const struct value *args,
			  const char *key, enum object_kind kind, struct vbm_error *err);

/* The same for the handle of that object. */
void *arg_handle(struct step_ctx *ctx, const struct value *args,
		 const char *key, enum object_kind kind, struct vbm_error *err);

/* Like arg_object(), but NULL without an error when @key is absent. */
int arg_object_opt(struct step_ctx *ctx, const struct value *args, const char *key,
		   enum object_kind kind, struct object **out, struct vbm_error *err);

/* The bytes of @key, which the caller frees; NULL and 0 when it is absent or null. */
int arg_bytes(const struct value *args, const char *key, uint8_t **out, size_t *len,
	      struct vbm_error *err);

/* Names a new object: "as:", or the default name of its kind. */
void step_keep_object(struct step_ctx *ctx, struct object *o, enum object_kind kind);

/* Keeps an object that is nothing but the @handle that a call returned. */
struct object *step_keep(struct step_ctx *ctx, void *handle, enum object_kind kind, int (*release)(struct object *o));

/* The same for an object that is made along with one of @with: "AS_SUFFIX". */
void step_keep_also(struct step_ctx *ctx, struct object *o, enum object_kind kind,
	       enum object_kind with, const char *suffix);

/*
 * "run" of steps that end the object of their first parameter by its release(): with the result of F_ERRVAL or F_MINUS1,
 * and for a call that returns nothing.
 */
int step_destroy(struct step_ctx *ctx, const struct value *args, struct value *result, struct vbm_error *err);
int step_free(struct step_ctx *ctx, const struct value *args, struct value *result, struct vbm_error *err);

/* A GID as text: in IPv6 notation, IPv4-mapped ones in dotted form. */
struct value *step_gid_to_value(const union ibv_gid *gid);
int step_gid_parse(union ibv_gid *gid, const char *text, struct vbm_error *err);

/* Reads the forms of base/address.h. @port is used if the text has none. */
int step_address_parse(struct sockaddr_storage *sa, const char *text, int port,
		  struct vbm_error *err);

/* "10.0.0.1", "::1", "ib gid", or null if there is no address. The port is 0 if there is none. */
struct value *step_address_to_value(const struct sockaddr *sa, socklen_t len);
int step_address_port(const struct sockaddr *sa, socklen_t len);

/*
 * The deadline passed, and the target or a program did not do something in time.
 * @what completes "no ... within 10 s".
 */
int step_wait_failed(struct step_ctx *ctx, struct vbm_error *err, const char *what);

/* A wait that ran out otherwise is a fault of the harness: ETIMEDOUT becomes EBUSY. */
void step_mark_own_timeout(const struct step_ctx *ctx, struct vbm_error *err);

/* Waits until @fd is readable. @what as for step_wait_failed(), in the singular. */
int step_await(struct step_ctx *ctx, int fd, const char *what, struct vbm_error *err);

/* Waits until one of @fds is readable. Returns its index, or -ETIMEDOUT. */
int step_wait_readable(const int *fds, int count, int64_t deadline_ns);

/* Parameters that several families have. */
#define P_QP P_OBJECT("qp", OBJECT_QP, "the queue pair; default: qp, or the only one")
#define P_CQ P_OBJECT("cq", OBJECT_CQ, "the completion queue; default: cq, or the only one")

/* Tables that several families have. */
extern const struct field step_errval_fields[], step_minus1_fields[], step_minus1_elapsed_fields[];
extern const struct field step_zero_fields[];	/* "return" is always 0 */
extern const struct field step_void_fields[];	/* so it is, because the call returns nothing */
extern const struct param step_id_params[];

/* So many requests that a service of the scenario got are listed. */
#define LISTED_MAX 1000

#endif
