/* SPDX-License-Identifier: BSD-2-Clause */
#include "call/step-util.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/ib.h>

#include "base/address.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/number.h"
#include "call/fault.h"

#define BYTES_SHOWN_MAX 64

const struct field step_errval_fields[] = {F_ERRVAL, {NULL}};
const struct field step_minus1_fields[] = {F_MINUS1, {NULL}};
const struct field step_minus1_elapsed_fields[] = {F_MINUS1, F_ELAPSED, {NULL}};
const struct field step_zero_fields[] = {F_INT("return", "always 0"), {NULL}};
const struct field step_void_fields[] = {F_INT("return", "always 0: the call returns nothing"), {NULL}};
const struct param step_id_params[] = {P_ID, {NULL}};

void put_pointer(struct value *result, const void *p)
{
	int code = errno;

	fault_next_end();
	value_set_int(result, "return", p ? 1 : 0);
	value_set_int(result, "errno", p ? 0 : code);
}

void put_errval(struct value *result, int ret)
{
	fault_next_end();
	value_set_int(result, "return", ret);
}

void put_minus1(struct value *result, int ret)
{
	int code = errno;

	fault_next_end();
	value_set_int(result, "return", ret);
	value_set_int(result, "errno", ret ? code : 0);
}

int step_code_of(int ret)
{
	return ret == 0 ? 0 : errno ? errno : -1;
}

void put_data(struct value *result, const unsigned char *bytes, size_t len)
{
	value_set(result, "data", value_string_take(bytes_pattern_name(bytes, len)));
	if (len <= BYTES_SHOWN_MAX)
		value_set(result, "bytes", bytes_to_value(bytes, len));
}

void call_begins(struct step_ctx *ctx)
{
	if (ctx->timed)
		ctx->began_ns = clock_now_ns();
	fault_next_begin();
	errno = 0;
}

int64_t step_elapsed_ms_since(int64_t began_ns)
{
	return (clock_now_ns() - began_ns) / 1000000;
}

/* A step that goes on after its call measures the time itself. */
void put_elapsed(const struct step_ctx *ctx, const struct step_kind *kind, struct value *result)
{
	const struct field *f;

	for (f = kind->fields; f && f->name; f++)
		if (strcmp(f->name, "elapsed_ms") == 0 && !value_get(result, f->name))
			value_set_int(result, f->name, step_elapsed_ms_since(ctx->began_ns));
}

bool arg_given(const struct value *args, const char *key)
{
	return value_get(args, key) != NULL;
}

struct object *arg_object(struct step_ctx *ctx, const struct value *args,
			  const char *key, enum object_kind kind, struct vbm_error *err)
{
	struct object *o = objects_pick(ctx->objects, value_get_string(args, key, NULL), kind, err);

	if (!o)
		vbm_wrap(err, "%s", key);
	return o;
}

void *arg_handle(struct step_ctx *ctx, const struct value *args,
		 const char *key, enum object_kind kind, struct vbm_error *err)
{
	struct object *o = arg_object(ctx, args, key, kind, err);

	return o ? o->handle : NULL;
}

int arg_object_opt(struct step_ctx *ctx, const struct value *args, const char *key,
		   enum object_kind kind, struct object **out, struct vbm_error *err)
{
	*out = NULL;
	if (!value_get_string(args, key, NULL))
		return 0;
	*out = arg_object(ctx, args, key, kind, err);
	return *out ? 0 : -EINVAL;
}

int arg_bytes(const struct value *args, const char *key, uint8_t **out, size_t *len,
	      struct vbm_error *err)
{
	const struct value *v = value_get(args, key);

	*out = NULL;
	*len = 0;
	if (!v || v->type == VALUE_NULL)
		return 0;
	return bytes_parse(v, out, len, err) < 0 ? vbm_wrap(err, "%s", key) : 0;
}

static const char *name_of(const struct step_ctx *ctx, enum object_kind kind)
{
	return ctx->as ? ctx->as : step_default_name(kind);
}

void step_keep_object(struct step_ctx *ctx, struct object *o, enum object_kind kind)
{
	o->target = ctx->target;
	objects_add(ctx->objects, o, name_of(ctx, kind), kind);
}

struct object *step_keep(struct step_ctx *ctx, void *handle, enum object_kind kind, int (*release)(struct object *o))
{
	struct object *o = xcalloc(1, sizeof(*o));

	o->handle = handle;
	o->release = release;
	step_keep_object(ctx, o, kind);
	return o;
}

void step_keep_also(struct step_ctx *ctx, struct object *o, enum object_kind kind,
	       enum object_kind with, const char *suffix)
{
	auto_free char *name = xasprintf("%s_%s", name_of(ctx, with), suffix);

	o->target = ctx->target;
	objects_add(ctx->objects, o, name, kind);
}

static struct object *arg_first(struct step_ctx *ctx, const struct value *args, struct vbm_error *err)
{
	return arg_object(ctx, args, ctx->kind->params->name, ctx->kind->params->object, err);
}

int step_destroy(struct step_ctx *ctx, const struct value *args, struct value *result, struct vbm_error *err)
{
	struct object *o = arg_first(ctx, args, err);
	int ret;

	if (!o)
		return -err->code;
	call_begins(ctx);
	ret = o->release(o);
	if (step_field_find(ctx->kind->fields, "errno"))
		put_minus1(result, ret);
	else
		put_errval(result, ret);
	if (ret == 0)
		objects_forget(ctx->objects, o);
	return 0;
}

int step_free(struct step_ctx *ctx, const struct value *args, struct value *result, struct vbm_error *err)
{
	struct object *o = arg_first(ctx, args, err);

	if (!o)
		return -err->code;
	o->release(o);
	objects_forget(ctx->objects, o);
	value_set_int(result, "return", 0);
	return 0;
}

struct value *step_gid_to_value(const union ibv_gid *gid)
{
	char text[INET6_ADDRSTRLEN];

	inet_ntop(AF_INET6, gid->raw, text, sizeof(text));
	return value_string(text);
}

int step_gid_parse(union ibv_gid *gid, const char *text, struct vbm_error *err)
{
	struct in_addr v4;

	if (inet_pton(AF_INET6, text, gid->raw) == 1)
		return 0;
	if (inet_pton(AF_INET, text, &v4) != 1)
		return vbm_fail(err, EINVAL, "'%s' is neither a GID in IPv6 notation nor an IP address", text);
	memset(gid->raw, 0, 10);
	memset(gid->raw + 10, 0xff, 2);
	memcpy(gid->raw + 12, &v4, 4);
	return 0;
}

/* The index of the interface whose name or index @scope is. */
static int scope_id(const char *scope, uint32_t *id)
{
	int64_t number;

	*id = if_nametoindex(scope);
	if (*id == 0 && number_read(scope, 0, UINT32_MAX, &number)) {
		*id = (uint32_t)number;
		return 0;
	}
	return *id == 0 && *scope ? -ENODEV : 0;
}

int step_address_parse(struct sockaddr_storage *sa, const char *text, int port,
		  struct vbm_error *err)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)sa;
	struct sockaddr_in *in = (struct sockaddr_in *)sa;
	struct address a;

	memset(sa, 0, sizeof(*sa));
	if (!address_read(text, &a))
		return vbm_fail(err, EINVAL, "'%s' is not an address (%s)", text, ADDRESS_FORMS);
	if (a.port >= 0)
		port = a.port;
	sa->ss_family = (sa_family_t)a.family;
	if (a.family == AF_INET) {
		memcpy(&in->sin_addr, a.ip, sizeof(in->sin_addr));
		in->sin_port = htons((uint16_t)port);
		return 0;
	}
	memcpy(&in6->sin6_addr, a.ip, sizeof(in6->sin6_addr));
	in6->sin6_port = htons((uint16_t)port);
	if (scope_id(a.scope, &in6->sin6_scope_id) < 0)
		return vbm_fail(err, ENODEV, "'%s': there is no interface '%s' on this host", text,
				a.scope);
	return 0;
}

struct value *step_address_to_value(const struct sockaddr *sa, socklen_t len)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)sa;
	const struct sockaddr_in *in = (const struct sockaddr_in *)sa;
	const struct sockaddr_ib *ib = (const struct sockaddr_ib *)sa;
	char text[INET6_ADDRSTRLEN];

	if (!sa || !len)
		return value_null();
	if (sa->sa_family == AF_INET && len >= sizeof(*in))
		inet_ntop(AF_INET, &in->sin_addr, text, sizeof(text));
	else if (sa->sa_family == AF_INET6 && len >= sizeof(*in6))
		inet_ntop(AF_INET6, &in6->sin6_addr, text, sizeof(text));
	else if (sa->sa_family == AF_IB && len >= sizeof(*ib))
		inet_ntop(AF_INET6, &ib->sib_addr, text, sizeof(text));
	else
		return value_format_string("family %d in %u bytes", sa->sa_family, len);
	return value_string(text);
}

int step_address_port(const struct sockaddr *sa, socklen_t len)
{
	if (!sa || !len)
		return 0;
	if (sa->sa_family == AF_INET && len >= sizeof(struct sockaddr_in))
		return ntohs(((const struct sockaddr_in *)sa)->sin_port);
	if (sa->sa_family == AF_INET6 && len >= sizeof(struct sockaddr_in6))
		return ntohs(((const struct sockaddr_in6 *)sa)->sin6_port);
	if (sa->sa_family == AF_IB && len >= sizeof(struct sockaddr_ib))
		return (int)(be64toh(((const struct sockaddr_ib *)sa)->sib_sid) & 0xffff);
	return 0;
}

int step_wait_failed(struct step_ctx *ctx, struct vbm_error *err, const char *what)
{
	/* Rounded to tens of milliseconds, because the message took some time to get here. */
	int64_t hundredths = (ctx->deadline_ns - ctx->began_ns + 5000000) / 10000000;

	ctx->wait_failed = true;
	if (hundredths < 100)
		return vbm_fail(err, ETIMEDOUT, "no %s within %d ms", what, (int)hundredths * 10);
	return vbm_fail(err, ETIMEDOUT, "no %s within %d.%d s", what, (int)((hundredths + 5) / 100),
			(int)((hundredths + 5) / 10 % 10));
}

void step_mark_own_timeout(const struct step_ctx *ctx, struct vbm_error *err)
{
	if (err->code == ETIMEDOUT && !ctx->wait_failed)
		err->code = EBUSY;
}

int step_wait_readable(const int *fds, int count, int64_t deadline_ns)
{
	struct pollfd p[4];
	bool longer = false;
	int i, n;

	if (count > (int)ARRAY_SIZE(p))
		return -E2BIG;
	for (i = 0; i < count; i++)
		p[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
	for (;;) {
		n = poll(p, (nfds_t)count, clock_left_ms(deadline_ns));
		if (n < 0 && errno == EINTR)
			continue;
		if (n || longer || !clock_stood_still(&deadline_ns))
			break;
		longer = true;
	}
	if (n < 0)
		return -errno;
	for (i = 0; i < count; i++)
		if (p[i].revents)
			return i;
	return -ETIMEDOUT;
}

int step_await(struct step_ctx *ctx, int fd, const char *what, struct vbm_error *err)
{
	int ret = step_wait_readable(&fd, 1, ctx->deadline_ns);

	if (ret == -ETIMEDOUT)
		return step_wait_failed(ctx, err, what);
	return ret < 0 ? vbm_fail(err, -ret, "waiting for %s %s failed", strchr("aeiou", *what) ? "an" : "a", what) : 0;
}
