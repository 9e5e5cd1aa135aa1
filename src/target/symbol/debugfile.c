/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/symbol/debugfile.h>

#include <exectrace/base/cleanup.h>
#include <string.h>

static bool same_id(const struct elf *a, const struct elf *b)
{
	const unsigned char *x = NULL, *y = NULL;
	size_t n = elf_build_id(a, &x);

	return n && elf_build_id(b, &y) == n && memcmp(x, y, n) == 0;
}

/* Opens a candidate when it belongs to elf. crc: the checksum it may have, NULL: its build id decides. */
static struct elf *candidate(const struct elf *elf, const char *path, const uint32_t *crc)
{
	struct elf *found = NULL;

	if (elf_open(path, &found))
		return NULL;
	/* A link may name the very file it is in. */
	if (elf_has_symtab(found) && (same_id(elf, found) || (crc && elf_crc(found) == *crc)))
		return found;
	elf_unref(found);
	return NULL;
}

static struct elf *by_id(const struct elf *elf, const char *dir)
{
	cleanup_buf struct buf path = BUF_INIT;
	const unsigned char *id = NULL;
	size_t n = elf_build_id(elf, &id);

	if (n < 2 || buf_printf(&path, "%s/.build-id/%02x/", dir, id[0]))
		return NULL;
	for (size_t i = 1; i < n; i++)
		if (buf_printf(&path, "%02x", id[i]))
			return NULL;
	return buf_puts(&path, ".debug") ? NULL : candidate(elf, path.data, NULL);
}

static struct elf *by_link(const struct elf *elf, const char *path, const char *dir)
{
	uint32_t crc = 0;
	const char *name = elf_debuglink(elf, &crc);
	const char *slash = path ? strrchr(path, '/') : NULL;
	int folder = slash ? (int)(slash - path) : 0;
	struct elf *found = NULL;

	if (!name || !slash)
		return NULL;
	for (int i = 0; i < 3 && !found; i++) {
		cleanup_buf struct buf full = BUF_INIT;

		if (!buf_printf(&full, "%s%.*s/%s%s", i == 2 ? dir : "", folder, path, i == 1 ? ".debug/" : "", name))
			found = candidate(elf, full.data, &crc);
	}
	return found;
}

struct elf *debugfile_find(const struct elf *elf, const char *path, const char *dir)
{
	struct elf *found = by_id(elf, dir);

	return found ? found : by_link(elf, path, dir);
}
