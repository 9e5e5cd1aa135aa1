/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The formats. */
#ifndef EXECTRACE_SRC_ANSWER_EXPORT_PRIVATE_H
#define EXECTRACE_SRC_ANSWER_EXPORT_PRIVATE_H

#include <exectrace/answer/export/exporter/exporter.h>

extern const struct exporter_ops exporter_json, exporter_csv, exporter_folded, exporter_callgrind, exporter_chrome,
	exporter_html, exporter_otlp, exporter_perfetto, exporter_sqlite, exporter_uftrace;

#endif
