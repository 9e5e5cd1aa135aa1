/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of src/export/html/, as the Makefile makes them numbers. */
#include <exectrace/answer/html/html_page.h>

const char html_head[] = {
#include "html_head.inc"
};
const size_t html_head_size = sizeof(html_head);

const char html_tail[] = {
#include "html_tail.inc"
};
const size_t html_tail_size = sizeof(html_tail);
