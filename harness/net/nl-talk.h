/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_NET_NL_TALK_H
#define VBM_NET_NL_TALK_H

/* Between the nl*.c files only. */
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include <verbatim/error.h>

#include "net/nl.h"

enum nl_family {
	NL_ROUTE,
	NL_RDMA,
};

typedef void (*nl_reply_fn)(struct nlmsghdr *hdr, void *arg);

/*
 * Send @msg (consumed), call @reply for each message of the answer, return
 * what the kernel answered: 0 or its negative errno with the words in @err,
 * which begin with @what. A NULL @msg, or one whose attributes did not fit,
 * is -ENOMEM.
 */
int nl_talk(struct netlink *nl, enum nl_family family, struct nl_msg *msg,
	    nl_reply_fn reply, void *arg, struct vbm_error *err, const char *what, ...)
	__attribute__((format(printf, 7, 8)));

/* A socket that gets the announcements of one RTNLGRP_*. Owned by the caller. */
int nl_subscribe(struct netlink *nl, int group, int *fd, struct vbm_error *err);

/* 0 when something was announced there, -ETIMEDOUT otherwise. */
int nl_await_change(int fd, int64_t deadline_ns);

/* A request with @size bytes of fixed header at @fixed. */
struct nl_msg *nl_request(int type, int flags, const void *fixed, size_t size);

/* Put a prefix's address, when it has one. */
void nl_put_ip(struct nl_msg *msg, int attr, const struct ip_prefix *ip);

/* Read one of @family and @len bits; false when it is not of that size. */
bool nl_get_ip(const struct nlattr *attr, int family, int len, struct ip_prefix *ip);

#endif
