/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "call/numbering.h"
#include "call/step-util.h"
#include "names/consts.h"

static int mr_release(struct object *o)
{
	return o->target->dereg_mr(o->mr);
}

static void mr_discard(struct object *o)
{
	struct mr_object *m = (struct mr_object *)o;

	munmap(m->buffer, m->mapped);
}

/*
 * A user-mode kernel needs a mapping of its host for each run of pages that lie one behind the other.
 * The host has 65530 of these. Less memory than this may consist of single pages, and a gibibyte
 * then takes four times as many.
 */
#define THIN_BYTES ((size_t)64 << 20)

/* Maps the same THIN_BYTES of memory again and again, over all @bytes from @p on. */
static int make_thin(char *p, size_t bytes)
{
	auto_close int fd = memfd_create("thin", MFD_CLOEXEC);
	size_t at, part;

	if (fd < 0 || ftruncate(fd, THIN_BYTES) < 0)
		return -1;
	for (at = 0; at < bytes; at += part) {
		part = bytes - at < THIN_BYTES ? bytes - at : THIN_BYTES;
		if (mmap(p + at, part, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
			return -1;
	}
	return 0;
}

/* The bytes at the start of the buffer that do not share their memory with later addresses. */
static size_t own_bytes(const struct mr_object *o, bool thin)
{
	return thin && o->length > THIN_BYTES ? THIN_BYTES : o->length;
}

static struct mr_object *make_buffer(struct step_ctx *ctx, size_t length, bool thin,
				     struct vbm_error *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t mapped = (length + page - 1) / page * page + page;
	void *p = numbering_map(ctx->numbering, mapped);
	struct mr_object *o;

	if (p == MAP_FAILED || (thin && make_thin(p, mapped) < 0)) {
		vbm_fail(err, errno, "there is no memory for a buffer of %zu bytes", length);
		return NULL;
	}
	o = xcalloc(1, sizeof(*o));
	o->buffer = p;
	o->length = length;
	o->mapped = mapped;
	o->base.release = mr_release;
	o->base.discard = mr_discard;
	return o;
}

static void put_mr(struct value *result, const struct ibv_mr *mr, const struct ibv_pd *pd)
{
	value_set_int(result, "addr", (int64_t)(uintptr_t)mr->addr);
	value_set_int(result, "length", (int64_t)mr->length);
	value_set_int(result, "lkey", mr->lkey);
	value_set_int(result, "rkey", mr->rkey);
	value_set_bool(result, "same_pd", mr->pd == pd);
}

static int fill_with(const struct value *args, const char *fallback, unsigned char *at, size_t len,
		     struct vbm_error *err)
{
	auto_value struct value *usual = value_string(fallback);
	const struct value *fill = value_get(args, "fill");

	return bytes_pattern_fill(at, len, fill ? fill : usual, err);
}

/* Registers the buffer, with or without an address of the caller's choice. */
static struct ibv_mr *call_reg(struct step_ctx *ctx, const struct value *args, struct ibv_pd *pd,
			       const struct mr_object *o)
{
	uint64_t at = (uint64_t)value_get_int(args, "addr", (int64_t)(uintptr_t)o->buffer);
	int access = (int)value_get_int(args, "access", IBV_ACCESS_LOCAL_WRITE);
	void *addr = (void *)(uintptr_t)at;

	call_begins(ctx);
	if (arg_given(args, "iova"))
		return ctx->target->reg_mr_iova(pd, addr, o->length,
						(uint64_t)value_get_int(args, "iova", 0), access);
	return ctx->target->reg_mr(pd, addr, o->length, access);
}

STEP(run_reg_mr)
{
	struct ibv_pd *pd = arg_handle(ctx, args, "pd", OBJECT_PD, err);
	bool thin = value_get_bool(args, "thin", false);
	struct mr_object *o;
	int ret;

	if (!pd)
		return -err->code;
	o = make_buffer(ctx, (size_t)value_get_int(args, "length", 65536), thin, err);
	if (!o)
		return -err->code;
	ret = fill_with(args, "zero", o->buffer, own_bytes(o, thin), err);
	if (ret == 0 && value_get_bool(args, "read_only", false) &&
	    mprotect(o->buffer, o->mapped, PROT_READ) < 0)
		ret = vbm_fail(err, errno, "cannot make the buffer read-only: %s", strerror(errno));
	if (ret == 0) {
		numbering_before_mr(ctx, pd);
		o->base.mr = call_reg(ctx, args, pd, o);
		put_pointer(result, o->base.mr);
	}
	if (!o->base.mr) {
		numbering_failed(ctx->numbering, NUMBER_MR);
		mr_discard(&o->base);
		free(o);
		return ret;
	}
	numbering_made(ctx->numbering, NUMBER_MR, o->base.mr->lkey >> 8);
	put_mr(result, o->base.mr, pd);
	step_keep_object(ctx, &o->base, OBJECT_MR);
	return 0;
}

/* A region with CHANGE_TRANSLATION gets a new buffer. The bytes of the old one are lost. */
STEP(run_rereg_mr)
{
	struct mr_object *m = (struct mr_object *)arg_object(ctx, args, "mr", OBJECT_MR, err);
	int flags = (int)value_get_int(args, "flags", 0), ret;
	struct mr_object *fresh = NULL;
	struct object *p;

	if (!m || arg_object_opt(ctx, args, "pd", OBJECT_PD, &p, err) < 0)
		return -err->code;
	if (flags & IBV_REREG_MR_CHANGE_TRANSLATION) {
		fresh = make_buffer(ctx, (size_t)value_get_int(args, "length", 65536), false, err);
		if (!fresh)
			return -err->code;
	}
	call_begins(ctx);
	ret = ctx->target->rereg_mr(m->base.mr, flags, p ? p->pd : NULL,
				    fresh ? fresh->buffer : NULL, fresh ? fresh->length : 0,
				    (int)value_get_int(args, "access", 0));
	put_minus1(result, ret);
	if (fresh && ret == 0) {
		munmap(m->buffer, m->mapped);
		m->buffer = fresh->buffer;
		m->length = fresh->length;
		m->mapped = fresh->mapped;
	} else if (fresh) {
		munmap(fresh->buffer, fresh->mapped);
	}
	free(fresh);
	if (ret == 0)
		put_mr(result, m->base.mr, p ? p->pd : m->base.mr->pd);
	return 0;
}

/* The part of the region that "offset" and "length" select. */
static int part_of(const struct mr_object *m, const struct value *args, unsigned char **at,
		   size_t *len, struct vbm_error *err)
{
	int64_t offset = value_get_int(args, "offset", 0), length;

	if (offset < 0 || offset > (int64_t)m->length)
		return vbm_fail(err, ERANGE, "offset %lld is not within the %zu bytes of '%s'",
				(long long)offset, m->length, m->base.name);
	length = value_get_int(args, "length", (int64_t)m->length - offset);
	if (length < 0 || length > (int64_t)m->length - offset)
		return vbm_fail(err, ERANGE, "offset %lld and length %lld are not within the %zu bytes of '%s'",
				(long long)offset, (long long)length, m->length, m->base.name);
	*at = m->buffer + offset;
	*len = (size_t)length;
	return 0;
}

STEP(run_fill_buffer)
{
	struct object *o = arg_object(ctx, args, "mr", OBJECT_MR, err);
	unsigned char *at;
	size_t len;
	int ret;

	if (!o)
		return -err->code;
	ret = part_of((struct mr_object *)o, args, &at, &len, err);
	if (ret == 0)
		ret = fill_with(args, "counter", at, len, err);
	if (ret == 0)
		value_set_int(result, "return", 0);
	return ret;
}

STEP(run_discard_buffer)
{
	struct object *o = arg_object(ctx, args, "mr", OBJECT_MR, err);
	unsigned char *at;
	size_t len;

	if (!o || part_of((struct mr_object *)o, args, &at, &len, err) < 0)
		return -err->code;
	errno = 0;
	put_minus1(result, madvise(at, len, MADV_DONTNEED));
	return 0;
}

/* Names the bytes before and after the part; "other" when the two differ. */
static char *name_around(const struct mr_object *m, const unsigned char *at, size_t len)
{
	size_t before = (size_t)(at - m->buffer), after = m->length - before - len;
	char *first = bytes_pattern_name(m->buffer, before);
	auto_free char *second = bytes_pattern_name(at + len, after);

	if (after && !before) {
		free(first);
		return xstrdup(second);
	}
	if (after && strcmp(first, second) != 0) {
		free(first);
		return xstrdup("other");
	}
	return first;
}

STEP(run_check_buffer)
{
	struct object *o = arg_object(ctx, args, "mr", OBJECT_MR, err);
	unsigned char *at;
	uint64_t word = 0;
	size_t len, i;
	int ret;

	if (!o)
		return -err->code;
	ret = part_of((struct mr_object *)o, args, &at, &len, err);
	if (ret < 0)
		return ret;
	for (i = 0; i < 8 && i < len; i++)
		word |= (uint64_t)at[i] << 8 * i;
	value_set_int(result, "return", 0);
	put_data(result, at, len);
	value_set(result, "around",
		  value_string_take(name_around((struct mr_object *)o, at, len)));
	value_set_int(result, "word", (int64_t)word);
	return 0;
}

#define P_MR P_OBJECT("mr", OBJECT_MR, "the memory region; default: mr, or the only one")
#define P_FILL(d) P_BYTES("fill", 0, "counter, zero, the value of a byte (0x5a) or {hex: BYTES} repeated; default " d)
#define P_OFFSET P_INT("offset", 0, INT64_MAX, "first byte; default 0")
#define P_LENGTH P_INT("length", 0, INT64_MAX, "how many bytes; default: all up to the end")

#define P_REG                                                                 \
	P_OBJECT("pd", OBJECT_PD, "the protection domain; default: pd, or the only one"), \
	P_INT("length", 0, INT64_C(1) << 32, "bytes of the new buffer; default 65536"), \
	P_FLAGS("access", &const_access, "the access rights; default [LOCAL_WRITE]"), \
	P_U64("addr", "address to register instead of the buffer's"),         \
	P_BOOL("thin", "true uses one mebibyte of memory for the whole buffer, mapped repeatedly; default false"), \
	P_BOOL("read_only", "true makes the buffer read-only for the process after it was filled; default false"), \
	P_FILL("zero")
#define F_MR                                                                  \
	F_U64("addr", "address of the region"), F_INT("length", "its length in bytes"), \
	F_INT("lkey", "local key"), F_INT("rkey", "remote key"),              \
	F_BOOL("same_pd", "whether the region points to the domain that it was registered in")

static const struct param reg_params[] = {P_REG, {NULL}};
static const struct param iova_params[] = {
	P_REG,
	{.name = "iova", .type = PARAM_INT, .u64 = true, .required = true,
	 .doc = "the address of the region for its keys"},
	{NULL},
};
static const struct field reg_fields[] = {F_POINTER, F_MR, {NULL}};
static const struct param rereg_params[] = {
	P_MR,
	P_FLAGS("flags", &const_rereg, "what changes; default []"),
	P_OBJECT("pd", OBJECT_PD, "the new protection domain; default: NULL"),
	P_INT("length", 0, INT64_C(1) << 32, "bytes of the new buffer, with CHANGE_TRANSLATION; default 65536"),
	P_FLAGS("access", &const_access, "the new rights; default []"),
	{NULL},
};
static const struct field rereg_fields[] = {
	F_CONST("return", &const_rereg_error, "0, or the kind of failure"), F_ERRNO, F_MR, {NULL},
};
static const struct param mr_params[] = {P_MR, {NULL}};
static const struct param fill_params[] = {P_MR, P_FILL("counter"), P_OFFSET, P_LENGTH, {NULL}};
static const struct param discard_params[] = {P_MR, P_OFFSET, P_LENGTH, {NULL}};
static const struct param check_params[] = {P_MR, P_OFFSET, P_LENGTH, {NULL}};
static const struct field check_fields[] = {
	F_INT("return", "always 0"),
	F_DATA,
	F_STRING("around", "the content of the other bytes of the region, before and after these"),
	F_U64("word", "the first eight bytes as a little-endian number"),
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "reg_mr", .call = "ibv_reg_mr(3)",
	 .doc = "Register a new buffer as a memory region.", .params = reg_params,
	 .fields = reg_fields, .makes = OBJECT_MR, .ok = 1,
	 .deadline_ms = DEADLINE_MEMORY_MS, .run = run_reg_mr},
	{.name = "reg_mr_iova", .call = "ibv_reg_mr_iova(3)",
	 .doc = "Register a new buffer with an address that the caller chooses.",
	 .params = iova_params, .fields = reg_fields, .makes = OBJECT_MR, .ok = 1,
	 .deadline_ms = DEADLINE_MEMORY_MS, .run = run_reg_mr},
	{.name = "rereg_mr", .call = "ibv_rereg_mr(3)", .doc = "Change a memory region.",
	 .params = rereg_params, .fields = rereg_fields,
	 .deadline_ms = DEADLINE_MEMORY_MS, .run = run_rereg_mr},
	{.name = "dereg_mr", .call = "ibv_dereg_mr(3)", .doc = "Deregister a memory region.",
	 .params = mr_params, .fields = step_errval_fields,
	 .deadline_ms = DEADLINE_MEMORY_MS, .run = step_destroy},
	{.name = "fill_buffer", .call = "memset(3)", .doc = "Fill a part of a region's buffer.",
	 .params = fill_params, .fields = step_zero_fields,
	 .deadline_ms = DEADLINE_MEMORY_MS, .run = run_fill_buffer},
	{.name = "discard_buffer", .call = "madvise(2)",
	 .doc = "Return whole pages of a region's buffer to the kernel; they are zero afterwards.",
	 .params = discard_params, .fields = step_minus1_fields, .run = run_discard_buffer},
	{.name = "check_buffer", .call = "memcmp(3)",
	 .doc = "Read a part of a region's buffer and name its content.", .params = check_params,
	 .fields = check_fields, .query = true,
	 .deadline_ms = DEADLINE_MEMORY_MS, .run = run_check_buffer},
	{NULL},
};

const struct step_family family_mr = {"mr", "Memory regions and their buffers.", steps, .only_objects = true};
