/* SPDX-License-Identifier: BSD-2-Clause */
/* three is shown here */
