/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/guest/linux/hostfile.h>

#include <elf.h>
#include <errno.h>
#include <exectrace/base/buf.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/file.h>
#include <exectrace/base/grow.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEBUG_DIR "/usr/lib/debug"
#define TEXT_MAX (256u << 20) /* bytes of a System.map */
#define NAMES_MAX (96u << 20) /* bytes of all names */

static bool read_fd(void *user, uint64_t offset, void *to, size_t n)
{
	return offset <= INT64_MAX && pread(*(int *)user, to, n, (off_t)offset) == (ssize_t)n;
}

/* Opens a regular file; anything else could block. */
static int open_regular(const char *path, struct stat *st)
{
	int fd = file_open_regular(AT_FDCWD, path, 0), e = fd == -EMEDIUMTYPE ? -EBADMSG : fd < 0 ? fd : 0;

	if (!e && fstat(fd, st))
		e = -errno;
	if (!e)
		return fd;
	fd_close(&fd);
	return e;
}

/* --- Programs ----------------------------------------------------------------------------------------------------- */

static bool read_image(struct elfimage *image, const char *path, uint64_t *size)
{
	struct stat st = {0};
	int fd = open_regular(path, &st);
	const struct elf_source file = {read_fd, &fd};
	bool ok = fd >= 0 && elfimage_read(image, &file);

	*size = (uint64_t)st.st_size;
	fd_close(&fd);
	return ok;
}

static void take_symbols(struct elfimage *to, struct elfimage *from)
{
	if (from->symbols.n > to->symbols.n) {
		symbols_release(&to->symbols);
		to->symbols = from->symbols;
		to->whole = from->whole;
		from->symbols = (struct symbols){0};
	}
	symbols_release(&from->symbols);
}

/* True for the file of the guest, of that size there. */
static bool is_file(const struct elfimage *image, uint64_t size, const struct elfimage *here, uint64_t here_size)
{
	return image->id.n && here->id.n ? elfimage_same(&image->id, &here->id) : here_size == size;
}

/* Where a file of the guest is below a directory. 0; -EINVAL: it would be elsewhere; -ENOMEM. */
static int put_path(struct buf *to, const char *root, const char *path)
{
	return strstr(path, "/../") ? -EINVAL : buf_printf(to, "%s%s", root, path);
}

/* The file of that path. */
static bool take_file(struct elfimage *image, bool known, const char *root, const char *path, uint64_t size)
{
	cleanup_buf struct buf name = BUF_INIT;
	struct elfimage here;
	uint64_t here_size = 0;

	if (put_path(&name, root, path) || !read_image(&here, name.data, &here_size))
		return known;
	if (!is_file(image, size, &here, here_size)) {
		symbols_release(&here.symbols);
		return known;
	}
	if (!known) {
		*image = here;
		return true;
	}
	take_symbols(image, &here);
	return true;
}

/* Where the debug file is below a directory (gdb's manual, "Debugging Information in Separate Files"). */
static int put_debug_path(struct buf *to, const char *root, const struct elf_id *id)
{
	int rc = buf_printf(to, "%s" DEBUG_DIR "/.build-id/%02x/", root, id->bytes[0]);

	for (unsigned i = 1; i < id->n && !rc; i++)
		rc = buf_printf(to, "%02x", id->bytes[i]);
	return rc ? rc : buf_puts(to, ".debug");
}

static void take_debug(struct elfimage *image, const char *root)
{
	cleanup_buf struct buf path = BUF_INIT;
	struct elfimage here;
	uint64_t size = 0;

	if (put_debug_path(&path, root, &image->id) || !read_image(&here, path.data, &size))
		return;
	if (elfimage_same(&image->id, &here.id))
		take_symbols(image, &here);
	else
		symbols_release(&here.symbols);
}

bool hostfile_program(struct elfimage *image, bool known, const char *root, const char *path, uint64_t size)
{
	if (known && image->whole)
		return true;
	known = take_file(image, known, root, path, size);
	if (known && !image->whole && image->id.n > 1)
		take_debug(image, root);
	if (known && !image->whole && image->id.n > 1)
		take_debug(image, "");
	return known;
}

/* --- Debug information of programs -------------------------------------------------------------------------------- */

/* The debug information of a file, when it is that of the image. size: of the guest's; NULL: it is a debug file. */
static struct debuginfo *open_debuginfo(const char *path, const struct elfimage *image, const uint64_t *size)
{
	struct stat st = {0};
	int fd = open_regular(path, &st);
	const struct elf_source file = {read_fd, &fd};
	struct elfimage here = {0};
	struct debuginfo *d = NULL;

	if (fd >= 0 && elfimage_read_headers(&here, &file) &&
	    (size ? is_file(image, *size, &here, (uint64_t)st.st_size) : elfimage_same(&image->id, &here.id)) &&
	    debuginfo_open(&d, &file))
		d = NULL;
	fd_close(&fd);
	return d;
}

/* The file with what several have in common: its path is the host's when it is absolute, below root or not, else it
 * begins at the directory of the file that needs it. */
static void find_link(struct debuginfo *d, const char *root, const char *path)
{
	const struct debuginfo_link *link = debuginfo_link(d);
	struct elfimage image = {0};
	struct debuginfo *other = NULL;
	const char *slash = strrchr(path, '/');

	if (!link || !slash || link->n > sizeof(image.id.bytes))
		return;
	memcpy(image.id.bytes, link->id, link->n);
	image.id.n = (unsigned)link->n;
	for (int i = 0; i < 2 && !other; i++) {
		cleanup_buf struct buf full = BUF_INIT;
		int rc;

		if (*link->path == '/')
			rc = buf_printf(&full, "%s%s", i ? "" : root, link->path);
		else
			rc = buf_printf(&full, "%.*s/%s", (int)(slash - path), path, link->path);
		other = rc ? NULL : open_debuginfo(full.data, &image, NULL);
	}
	if (other)
		debuginfo_set_link(d, other);
}

struct debuginfo *hostfile_debuginfo(const struct elfimage *image, const char *root, const char *path, uint64_t size)
{
	struct debuginfo *d = NULL;

	for (int i = 0; i < 3 && !d && (i == 0 || image->id.n > 1); i++) {
		cleanup_buf struct buf name = BUF_INIT;
		int rc = i ? put_debug_path(&name, i == 1 ? root : "", &image->id) : put_path(&name, root, path);

		d = rc ? NULL : open_debuginfo(name.data, image, i ? NULL : &size);
		if (d)
			find_link(d, root, name.data);
	}
	return d;
}

/* --- Kernels ------------------------------------------------------------------------------------------------------ */

/* A table that is being made. */
struct maker {
	struct kallsyms table;
	size_t cap;
	struct buf names;
};

/* 0; -ENOMEM; -EBADMSG: there are too many. */
static int add(struct maker *m, uint64_t address, char type, const char *name)
{
	if (m->table.n == KALLSYMS_MAX || m->names.len > NAMES_MAX)
		return -EBADMSG;
	if (grow_array((void **)&m->table.items, m->table.n, &m->cap, sizeof(*m->table.items)))
		return -ENOMEM;
	m->table.items[m->table.n++] = (struct kallsym){address, (uint32_t)m->names.len, type, false};
	return buf_append(&m->names, name, strlen(name) + 1);
}

/* The letter of nm(1), as far as it matters: code, data, or neither. */
static char type_of(const struct elf_table *table, const struct elf_entry *symbol)
{
	bool local = ELF64_ST_BIND(symbol->info) == STB_LOCAL;

	if (symbol->section >= table->n_sections)
		return local ? 'a' : 'A';
	if (table->sections[symbol->section].flags & SHF_EXECINSTR)
		return local ? 't' : 'T';
	return local ? 'd' : 'D';
}

/* Adds the symbols of a table. 0; -ENOMEM; -EBADMSG: there are none. */
static int take_table(struct maker *m, const struct elf_table *table)
{
	int rc = 0;

	for (size_t i = 0; i < table->n && !rc; i++) {
		struct elf_entry symbol;
		const char *name = symbols_entry(table, i, &symbol);
		unsigned type = ELF64_ST_TYPE(symbol.info);

		if (name && type != STT_SECTION && type != STT_FILE && symbol.section != SHN_UNDEF)
			rc = add(m, symbol.value, type_of(table, &symbol), name);
	}
	return !rc && !m->table.n ? -EBADMSG : rc;
}

static int read_vmlinux(struct kernel_file *f, int fd)
{
	const struct elf_source file = {read_fd, &fd};
	struct maker m = {.names = BUF_INIT};
	struct elfimage image;
	struct elf_table table;
	int rc = elfimage_table(&table, &file, SHT_SYMTAB) ? take_table(&m, &table) : -EBADMSG;

	elfimage_release(&table);
	f->table = m.table;
	f->table.names_size = m.names.len;
	f->table.names = buf_steal(&m.names);
	if (rc) {
		kallsyms_release(&f->table);
		return rc;
	}
	kallsyms_sort(&f->table);
	if (elfimage_read(&image, &file)) {
		f->id = image.id;
		symbols_release(&image.symbols);
	}
	return 0;
}

static int read_map(struct kallsyms *table, int fd)
{
	cleanup_buf struct buf text = BUF_INIT;
	int rc = file_read_all(fd, TEXT_MAX, &text);

	return rc ? rc : kallsyms_parse(text.data, text.len, table);
}

int kernel_file_read(struct kernel_file *f, const char *path)
{
	char magic[SELFMAG] = "";
	struct stat st;
	int fd = open_regular(path, &st), rc = fd < 0 ? fd : 0;

	*f = (struct kernel_file){0};
	if (!rc && read_fd(&fd, 0, magic, sizeof(magic)) && memcmp(magic, ELFMAG, SELFMAG) == 0)
		rc = read_vmlinux(f, fd);
	else if (!rc)
		rc = read_map(&f->table, fd);
	fd_close(&fd);
	return rc;
}

void kernel_file_release(struct kernel_file *f)
{
	kallsyms_release(&f->table);
}
