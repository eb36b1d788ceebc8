/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VERBATIM_ADDRINFO_H
#define VERBATIM_ADDRINFO_H

#include <netdb.h>
#include <rdma/rdma_cma.h>

#include <verbatim/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The calls, in their order:
 *	vbm_getaddrinfo()	a name into addresses, with the codes of rdma_getaddrinfo(3)
 *	vbm_gai_strerror()	a code in words
 *	vbm_freeaddrinfo()	the list, when the program has done with it
 */

/*
 * <netdb.h> defines some of these codes only with a feature macro, and none of them with a
 * strict -std=c99. The program may have included it before this header, so the missing
 * ones are defined here.
 */
#ifndef EAI_BADFLAGS
#define EAI_BADFLAGS (-1)
#endif
#ifndef EAI_NONAME
#define EAI_NONAME (-2)
#endif
#ifndef EAI_AGAIN
#define EAI_AGAIN (-3)
#endif
#ifndef EAI_FAIL
#define EAI_FAIL (-4)
#endif
#ifndef EAI_NODATA
#define EAI_NODATA (-5)
#endif
#ifndef EAI_FAMILY
#define EAI_FAMILY (-6)
#endif
#ifndef EAI_SOCKTYPE
#define EAI_SOCKTYPE (-7)
#endif
#ifndef EAI_SERVICE
#define EAI_SERVICE (-8)
#endif
#ifndef EAI_ADDRFAMILY
#define EAI_ADDRFAMILY (-9)
#endif
#ifndef EAI_MEMORY
#define EAI_MEMORY (-10)
#endif
#ifndef EAI_SYSTEM
#define EAI_SYSTEM (-11)
#endif
#ifndef EAI_INPROGRESS
#define EAI_INPROGRESS (-100)
#endif
#ifndef EAI_CANCELED
#define EAI_CANCELED (-101)
#endif

/*
 * Only rdma_getaddrinfo(3) names this code. A wrong pair of QP type and port space has
 * always been reported with this number.
 */
#ifndef EAI_QPTYPE
#define EAI_QPTYPE EAI_SOCKTYPE
#endif

/*
 * rdma-core 60 and later has these events together with the flags. They are plain numbers
 * here, because an older enum rdma_cm_event_type cannot hold them.
 */
#ifndef RAI_SA
#define RAI_SA 0x00000010
#define RAI_DNS 0x00000020
#define RDMA_CM_EVENT_ADDRINFO_RESOLVED 16
#define RDMA_CM_EVENT_ADDRINFO_ERROR 17
#endif

/*
 * Translate @node and @service, as rdma_getaddrinfo(3) says, into a list of
 * addresses in *@res that vbm_freeaddrinfo() releases. @hints is only read.
 * Needs neither an RDMA device nor any privilege.
 *
 * Returns 0, or with *@res NULL one of
 *	EAI_ADDRFAMILY EAI_AGAIN EAI_BADFLAGS EAI_FAIL EAI_FAMILY EAI_MEMORY
 *	EAI_NODATA EAI_NONAME EAI_QPTYPE EAI_SERVICE EAI_SYSTEM (see errno)
 * or -1 with errno for an error that has no code: EINVAL for @res NULL or a length
 * in @hints that does not fit its pointer, ENOTSUP for RAI_SA, which needs an
 * rdma_cm_id and vbm_resolve_addrinfo(). Where the code EAI_BADFLAGS is also -1, the
 * function sets errno to EINVAL with that code.
 */
VBM_API int vbm_getaddrinfo(const char *node, const char *service,
			    const struct rdma_addrinfo *hints,
			    struct rdma_addrinfo **res);

/*
 * Release a whole list of this library or of librdmacm, and whatever the caller has put
 * into it, which must be from malloc(3). rdma_freeaddrinfo(3) does the same. NULL is
 * allowed.
 */
VBM_API void vbm_freeaddrinfo(struct rdma_addrinfo *res);

/* The meaning of @code, as a static string; never NULL. */
VBM_API const char *vbm_gai_strerror(int code);

#ifdef __cplusplus
}
#endif
#endif
