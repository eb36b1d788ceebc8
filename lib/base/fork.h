/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_BASE_FORK_H
#define VBM_LIB_BASE_FORK_H

/*
 * The library's locks around fork(2). A child must not inherit a lock that a thread of its
 * parent holds, so the locks are taken before a fork. They are taken in the order of this
 * list, which is the order in which the library's calls take one while they hold another.
 * The linker decides in which order constructors run, so that order must not matter.
 */
enum fork_lock {
	FORK_CM,
	FORK_GID_TABLE,
	FORK_DEVICES,
	FORK_LOCKS,
};

/*
 * Call @take before each fork, then @give in the parent and @give_in_child in the child.
 * Only constructors call this function.
 */
void vbm_fork_join(enum fork_lock lock, void (*take)(void), void (*give)(void),
		   void (*give_in_child)(void));

#endif
