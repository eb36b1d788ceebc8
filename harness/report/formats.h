/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_REPORT_FORMATS_H
#define VBM_REPORT_FORMATS_H

/* A format is one file and one line each here and in report-table.c. */
extern const struct report_ops report_pretty, report_tap, report_junit, report_json;

#endif
