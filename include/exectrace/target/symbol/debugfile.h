/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Separate debug files (gdb's manual, "Debugging Information in Separate Files"). */
#ifndef EXECTRACE_TARGET_SYMBOL_DEBUGFILE_H
#define EXECTRACE_TARGET_SYMBOL_DEBUGFILE_H

#include <exectrace/target/symbol/elf.h>

#define DEBUGFILE_DIR "/usr/lib/debug"

/*
 * Finds and opens the debug file of elf, which lies at path (NULL: unknown): DIR/.build-id/xx/yyyy.debug, then the name
 * in .gnu_debuglink beside it, in .debug beside it, and below DIR. Its build id must be the same, or its checksum that
 * of the link. The caller's reference, NULL when there is none.
 */
struct elf *debugfile_find(const struct elf *elf, const char *path, const char *dir);

#endif
