/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/base/fail.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <verbatim/addrinfo.h>
#include <verbatim/log.h>
#include <verbatim/resolve.h>

static void (*log_to)(void *context, int code, const char *message);
static void *log_context;
static unsigned long long failures;

void vbm_set_log(void (*log)(void *context, int code, const char *message), void *context)
{
	log_to = log;
	log_context = context;
}

unsigned long long vbm_count_failures(void)
{
	return __atomic_load_n(&failures, __ATOMIC_RELAXED);
}

static void __attribute__((format(printf, 3, 0))) fill_err(struct vbm_error *err, int code, const char *fmt, va_list ap)
{
	err->code = code;
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
}

/* A caller may look at errno after the failure. */
static void log_error(const struct vbm_error *err)
{
	int before = errno;

	log_to(log_context, err->code, err->msg);
	errno = before;
}

int vbm_fail(struct vbm_error *err, int code, const char *fmt, ...)
{
	struct vbm_error own;
	va_list ap;

	__atomic_add_fetch(&failures, 1, __ATOMIC_RELAXED);
	if (!err && log_to)
		err = &own;
	if (err) {
		va_start(ap, fmt);
		fill_err(err, code, fmt, ap);
		va_end(ap);
	}
	if (log_to)
		log_error(err);
	return -code;
}

int vbm_note(struct vbm_error *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (err) {
		va_start(ap, fmt);
		fill_err(err, code, fmt, ap);
		va_end(ap);
	}
	return -code;
}

int vbm_wrap(struct vbm_error *err, const char *fmt, ...)
{
	struct vbm_error inner;
	va_list ap;
	size_t room;
	int n;

	if (!err)
		return -EIO;
	inner = *err;
	va_start(ap, fmt);
	n = vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	room = n >= 0 && (size_t)n < sizeof(err->msg) ? sizeof(err->msg) - (size_t)n : 0;
	if (room > 3) {
		memcpy(err->msg + n, ": ", 2);
		inner.msg[room - 3] = '\0';
		memcpy(err->msg + n + 2, inner.msg, strlen(inner.msg) + 1);
	}
	return -err->code;
}

static const struct {
	int code, error;	/* @error: the errno value, for calls that can return nothing else */
	const char *text;
} texts[] = {
	{0, 0, "Success"},
	{EAI_ADDRFAMILY, EADDRNOTAVAIL, "The host has no address in the requested family"},
	{EAI_AGAIN, EAGAIN, "Temporary failure in name resolution"},
	{EAI_BADFLAGS, EINVAL, "Invalid flags, or an invalid argument (see errno)"},
	{EAI_FAIL, EREMOTEIO, "Permanent failure in name resolution"},
	{EAI_FAMILY, EAFNOSUPPORT, "Address family not supported"},
	{EAI_MEMORY, ENOMEM, "Out of memory"},
	{EAI_NODATA, ENODATA, "The host has no address"},
	{EAI_NONAME, ENOENT, "Node or service not known"},
	{EAI_SERVICE, EPROTONOSUPPORT, "Service not available for this queue pair type"},
	{EAI_QPTYPE, EPROTOTYPE, "Queue pair type and port space not supported together"},
	{EAI_SYSTEM, 0, "System error (see errno)"},
	{EAI_INPROGRESS, EINPROGRESS, "Request under way"},
	{EAI_CANCELED, ECANCELED, "Request cancelled"},
};

const char *vbm_gai_strerror(int code)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].code == code)
			return texts[i].text;
	return "Unknown error";
}

int vbm_gai_errno(int code, int error)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].code == code && texts[i].error)
			return texts[i].error;
	return error > 0 ? error : EIO;
}

/*
 * Each index is a plain number, because an older enum rdma_cm_event_type lacks the last
 * events.
 */
static const char *const events[] = {
#define EVENT(name) [RDMA_CM_EVENT_##name] = "RDMA_CM_EVENT_" #name
	EVENT(ADDR_RESOLVED),
	EVENT(ADDR_ERROR),
	EVENT(ROUTE_RESOLVED),
	EVENT(ROUTE_ERROR),
	EVENT(CONNECT_REQUEST),
	EVENT(CONNECT_RESPONSE),
	EVENT(CONNECT_ERROR),
	EVENT(UNREACHABLE),
	EVENT(REJECTED),
	EVENT(ESTABLISHED),
	EVENT(DISCONNECTED),
	EVENT(DEVICE_REMOVAL),
	EVENT(MULTICAST_JOIN),
	EVENT(MULTICAST_ERROR),
	EVENT(ADDR_CHANGE),
	EVENT(TIMEWAIT_EXIT),
	EVENT(ADDRINFO_RESOLVED),
	EVENT(ADDRINFO_ERROR),
#undef EVENT
	[18] = "RDMA_CM_EVENT_USER",
	[19] = "RDMA_CM_EVENT_INTERNAL",
};

const char *vbm_event_str(enum rdma_cm_event_type event)
{
	size_t number = (size_t)event;

	return number < sizeof(events) / sizeof(events[0]) ? events[number] : "UNKNOWN EVENT";
}
