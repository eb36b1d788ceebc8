/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Used together with shortage.c: replaces the calls that make descriptors and threads.
 * Each of them may fail, with the kernel's code for a shortage.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include "shortage.h"

#if SHORTAGE_WORKS
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static bool refuses(int error)
{
	if (!shortage_refuses())
		return false;
	errno = error;
	return true;
}

/* These names must replace the C library's in the whole program, so they must not be hidden. */
#pragma GCC visibility push(default)
int eventfd(unsigned int count, int flags)
{
	return refuses(EMFILE) ? -1 : REAL(eventfd)(count, flags);
}

int epoll_create1(int flags)
{
	return refuses(EMFILE) ? -1 : REAL(epoll_create1)(flags);
}

int timerfd_create(clockid_t clock, int flags)
{
	return refuses(EMFILE) ? -1 : REAL(timerfd_create)(clock, flags);
}

int socket(int domain, int type, int protocol)
{
	return refuses(EMFILE) ? -1 : REAL(socket)(domain, type, protocol);
}

int accept4(int fd, struct sockaddr *address, socklen_t *len, int flags)
{
	return refuses(EMFILE) ? -1 : REAL(accept4)(fd, address, len, flags);
}

/* Only adding a descriptor needs memory. */
int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
	if (op != EPOLL_CTL_ADD || !shortage_refuses_watch())
		return REAL(epoll_ctl)(epfd, op, fd, event);
	errno = ENOMEM;
	return -1;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	return shortage_refuses() ? EAGAIN : REAL(pthread_create)(thread, attr, start, arg);
}
#pragma GCC visibility pop
#endif
