/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/base/fork.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* If a program links only a part of the static library, the others stay NULL. */
static struct {
	void (*take)(void);
	void (*give)(void);
	void (*give_in_child)(void);
} locks[FORK_LOCKS];

static void take_all(void)
{
	for (size_t i = 0; i < FORK_LOCKS; i++)
		if (locks[i].take)
			locks[i].take();
}

static void give_all(void)
{
	for (size_t i = FORK_LOCKS; i-- > 0;)
		if (locks[i].give)
			locks[i].give();
}

static void give_all_in_child(void)
{
	for (size_t i = FORK_LOCKS; i-- > 0;)
		if (locks[i].give_in_child)
			locks[i].give_in_child();
}

void vbm_fork_join(enum fork_lock lock, void (*take)(void), void (*give)(void),
		   void (*give_in_child)(void))
{
	static bool registered;

	locks[lock].take = take;
	locks[lock].give = give;
	locks[lock].give_in_child = give_in_child;
	if (!registered)
		pthread_atfork(take_all, give_all, give_all_in_child);
	registered = true;
}
