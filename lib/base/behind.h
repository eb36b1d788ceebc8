/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_BASE_BEHIND_H
#define VBM_LIB_BASE_BEHIND_H

/* A library that the preload library stands in front of. */
struct behind_library {
	const char *name;
	void *_Atomic handle;	/* from dlopen(), or NULL; stays open */
};

/*
 * The function @symbol of that library, for the preload library, which defines a function of the
 * same name. A library that a plugin loaded (a module of an interpreter, for example) is not
 * among those that RTLD_NEXT searches, and may be loaded later than the preload library. So
 * each call is looked up when it is first needed, and by the name of its library.
 */
void *vbm_behind(struct behind_library *library, const char *symbol);

#endif
