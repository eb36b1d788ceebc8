/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/xalloc.h"
#include "lib/base/fail.h"

#if defined(__x86_64__)
#define OWN_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCH AUDIT_ARCH_AARCH64
#endif

#ifndef __NR_fchmodat2
#define __NR_fchmodat2 452
#endif

#define NO_ARGUMENT (-1)

/* A call that is refused: always, or if this argument has a set-ID bit. */
struct refused {
	int number;
	int mode;	/* number of the argument, or NO_ARGUMENT */
};

static const struct refused modes[] = {
#ifdef __NR_chmod
	{__NR_chmod, 1}, {__NR_creat, 1}, {__NR_open, 2}, {__NR_mknod, 1},
#endif
	{__NR_fchmod, 1}, {__NR_fchmodat, 2}, {__NR_fchmodat2, 2}, {__NR_openat, 3}, {__NR_mknodat, 2},
};

/* These calls change attributes, for which Landlock has no rule. */
static const struct refused attributes[] = {
#ifdef __NR_chmod
	{__NR_chmod, NO_ARGUMENT}, {__NR_chown, NO_ARGUMENT}, {__NR_lchown, NO_ARGUMENT},
	{__NR_utime, NO_ARGUMENT}, {__NR_utimes, NO_ARGUMENT}, {__NR_futimesat, NO_ARGUMENT},
#endif
	{__NR_fchmod, NO_ARGUMENT}, {__NR_fchmodat, NO_ARGUMENT}, {__NR_fchmodat2, NO_ARGUMENT},
	{__NR_fchown, NO_ARGUMENT}, {__NR_fchownat, NO_ARGUMENT}, {__NR_utimensat, NO_ARGUMENT},
	{__NR_setxattr, NO_ARGUMENT}, {__NR_lsetxattr, NO_ARGUMENT}, {__NR_fsetxattr, NO_ARGUMENT},
	{__NR_removexattr, NO_ARGUMENT}, {__NR_lremovexattr, NO_ARGUMENT},
	{__NR_fremovexattr, NO_ARGUMENT},
};

#define REFUSE(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned int)offsetof(struct seccomp_data, field))

struct confine_calls_program {
	struct sock_filter line[128];
	unsigned short count;
};

static void add_filter(struct confine_calls_program *p, struct sock_filter line)
{
	p->line[p->count++] = line;
}

/* Before and after this, the accumulator has the call's number. */
static void refuse_call(struct confine_calls_program *p, const struct refused *r)
{
	unsigned int n = (unsigned int)r->number;

	if (r->mode == NO_ARGUMENT) {
		add_filter(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, n, 0, 1));
		add_filter(p, (struct sock_filter)REFUSE(EPERM));
		return;
	}
	add_filter(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, n, 0, 4));
	add_filter(p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						   (unsigned int)(offsetof(struct seccomp_data, args) +
								  8 * (unsigned int)r->mode)));
	add_filter(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, S_ISUID | S_ISGID, 0, 1));
	add_filter(p, (struct sock_filter)REFUSE(EPERM));
	add_filter(p, (struct sock_filter)ALLOW);
}

int confine_calls(bool mounted, struct vbm_error *err)
{
#ifdef OWN_ARCH
	const struct refused *list = mounted ? modes : attributes;
	size_t i, count = mounted ? ARRAY_SIZE(modes) : ARRAY_SIZE(attributes);
	struct confine_calls_program p = {.count = 0};
	struct sock_fprog prog = {.filter = p.line};

	/*
	 * Programs of another architecture have other numbers of calls; a guest needs
	 * none, so refuse them.
	 */
	add_filter(&p, (struct sock_filter)LOAD(arch));
	add_filter(&p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCH, 1, 0));
	add_filter(&p, (struct sock_filter)REFUSE(ENOSYS));
	add_filter(&p, (struct sock_filter)LOAD(nr));
	/* The numbers of x32 have this bit. */
	add_filter(&p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x40000000, 0, 1));
	add_filter(&p, (struct sock_filter)REFUSE(ENOSYS));
	/* The arguments of these calls are in memory, which a filter cannot see. */
	add_filter(&p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_openat2, 1, 0));
	add_filter(&p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_io_uring_setup, 0, 1));
	add_filter(&p, (struct sock_filter)REFUSE(ENOSYS));
	for (i = 0; i < count; i++)
		refuse_call(&p, &list[i]);
	for (i = 0; !mounted && i < ARRAY_SIZE(modes); i++)
		if (modes[i].mode >= 0)
			refuse_call(&p, &modes[i]);
	add_filter(&p, (struct sock_filter)ALLOW);
	prog.len = p.count;
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog, 0, 0) < 0 && (!mounted || errno != EINVAL))
		return vbm_fail(err, errno, "cannot filter system calls: %m");
#else
	(void)mounted;
	(void)err;
#endif
	return 0;
}
