/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VERBATIM_LOG_H
#define VERBATIM_LOG_H

#include <verbatim/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The calls, in their order:
 *	vbm_set_log()		before other calls of the library
 *	vbm_count_failures()	at any time
 *
 * The library never prints. A program that wants to see what fails inside gives it a
 * function, which hears of failures that the library itself overcomes, too, such as an
 * address that did not work before the next one did.
 */

/*
 * Give @log (NULL: none any more) and its @context. Meanwhile no other thread may be in a
 * call of the library, and no negotiator may have a thread. Never fails.
 *
 * The function gets the message of each failure that has one, with its errno value as a
 * positive @code. It hears of a failure once, where it happens; the struct vbm_error of the
 * call may say more, such as the address. A wait in whose time nothing has come is no
 * failure. The calls that say why in errno or in their result alone have no message.
 *
 * @message is one line without newline, and valid during the call only. The function runs
 * in the thread that has failed, perhaps in several at the same time, perhaps in that of a
 * negotiator. It must not call the library. It may change errno.
 */
VBM_API void vbm_set_log(void (*log)(void *context, int code, const char *message), void *context);

/*
 * The number of these failures since the process began, whether there is a function or not.
 * Any thread may call it.
 */
VBM_API unsigned long long vbm_count_failures(void);

#ifdef __cplusplus
}
#endif
#endif
