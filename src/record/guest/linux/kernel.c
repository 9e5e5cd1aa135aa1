/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/guest/linux/kernel.h>

#include <errno.h>
#include <exectrace/record/guest/core/say.h>
#include <exectrace/record/guest/linux/hostfile.h>
#include <string.h>

/* Symbols are at most this far from the code that runs first. */
#define BELOW (64u << 20)
#define ABOVE (96u << 20)
#define SAMPLES 2000            /* functions that are compared with those of a file */
#define SLIDE_MAX (1ull << 30)  /* the kernel's image is somewhere within 1 GiB (KERNEL_IMAGE_SIZE), ... */
#define SLIDE_STEP (2ull << 20) /* ... at a multiple of that (CONFIG_PHYSICAL_ALIGN) */

struct kernel_image {
	const struct ram *ram;
	uintptr_t host; /* of offset 0 */
};

static bool read_image(void *user, uint64_t offset, void *to, size_t n)
{
	const struct kernel_image *image = user;

	return ram_read(image->ram, image->host + offset, to, n);
}

static uint64_t address_of(const struct kernel *k, const char *name)
{
	const struct kallsym *symbol = kallsyms_find(&k->table, name);

	return symbol ? symbol->address : 0;
}

/* --- A file with symbols ------------------------------------------------------------------------------------------ */

/* True when the functions in memory are those of the file. */
static bool same_functions(const struct kernel *k, const struct kernel_file *f, uint64_t slide)
{
	size_t asked = 0, right = 0;

	for (size_t i = 0; i < k->table.n && asked < SAMPLES; i += k->table.n / SAMPLES + 1) {
		const struct kallsym *symbol = &k->table.items[i];

		if (symbol->type != 'T' || !kernel_address(symbol->address))
			continue;
		asked++;
		right += kallsyms_at(&f->table, symbol->address - slide, kallsyms_name(&k->table, symbol)) != NULL;
	}
	return asked && right >= asked - asked / 20;
}

/* True when the kernel in memory begins as the file says, were it moved by that much. */
static bool fits(const struct kernel *k, const struct ram *ram, const struct kernel_file *f, uint64_t banner,
                 uint64_t slide)
{
	static const char text[] = "Linux version ";
	unsigned char here[ELF_BUILD_ID_MAX];
	uint64_t address = (f->id.n ? f->id.address : banner) + slide;
	size_t n = f->id.n ? f->id.n : sizeof(text) - 1;

	return ram_read(ram, (uintptr_t)(address + (uint64_t)k->host), here, n) &&
	       memcmp(here, f->id.n ? f->id.bytes : (const unsigned char *)text, n) == 0;
}

/* How far the kernel in memory is from where the file has it. False: it is another kernel. */
static bool find_slide(const struct kernel *k, const struct ram *ram, const struct kernel_file *f, uint64_t *slide)
{
	const struct kallsym *text = kallsyms_find(&f->table, "_text"), *banner;

	if (!text)
		return false;
	if (k->table.n) {
		*slide = address_of(k, "_text") - text->address;
		return same_functions(k, f, *slide);
	}
	banner = kallsyms_find(&f->table, "linux_banner");
	for (*slide = 0; *slide < SLIDE_MAX && (banner || f->id.n); *slide += SLIDE_STEP) {
		if (fits(k, ram, f, banner ? banner->address : 0, *slide))
			return true;
	}
	return false;
}

static void take_file(struct kernel *k, const struct ram *ram)
{
	struct kernel_file f;
	uint64_t slide = 0;
	int rc = kernel_file_read(&f, k->file);

	if (rc) {
		plugin_say("%s: %s: not used", k->file,
		           rc == -EBADMSG ? "neither a vmlinux with symbols nor a System.map" : strerror(-rc));
		k->file = NULL;
		return;
	}
	if (find_slide(k, ram, &f, &slide)) {
		(void)kallsyms_merge(&k->table, &f.table, kallsyms_find(&f.table, "_text")->address, slide);
		k->file = NULL;
	} else if (k->table.n || k->tries == 0) {
		plugin_say("%s: is of another kernel than the guest's: not used", k->file);
		k->file = NULL;
	}
	kernel_file_release(&f);
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

/* Where the kernel's image is. False: the block at `address` is not in it, but in a module: the image is elsewhere. */
static bool find_image(struct kernel *k, uint64_t address)
{
	k->start = address_of(k, "_text");
	k->end = address_of(k, "_end");
	if (k->end <= k->start) /* it is the name of data */
		k->end = k->start + ABOVE;
	k->entry_start = address_of(k, "__entry_text_start");
	k->entry_end = address_of(k, "__entry_text_end");
	k->has_fork_asm = address_of(k, "ret_from_fork_asm") != 0;
	return address >= k->start && address < k->end;
}

/* Reads the symbols that lie between two offsets into the memory. True: they are of a kernel with code at `address`. */
static bool search(struct kernel *k, const struct ram *ram, uint64_t from, uint64_t to, uint64_t address)
{
	struct kernel_image image = {.ram = ram, .host = ram->base + from};
	struct kallsyms_memory memory = {.size = to - from,
	                                 .address = image.host - (uint64_t)k->host,
	                                 .user = &image,
	                                 .read = read_image};

	if (kallsyms_read(&memory, &k->table))
		return false;
	if (find_image(k, address))
		return true;
	kallsyms_release(&k->table);
	return false;
}

/*
 * Looks around the code that runs first: behind it, where a kernel has its symbols, before it looks ahead, where those
 * of a kernel that ran before the guest booted again may still be.
 */
static void find_symbols(struct kernel *k, const struct ram *ram, uint64_t at, uint64_t address)
{
	uint64_t here = at & ~4095ull, start = at > BELOW ? (at - BELOW) & ~4095ull : 0;
	uint64_t end = at + ABOVE < ram->size ? at + ABOVE : ram->size;

	if (!search(k, ram, here, end, address))
		(void)search(k, ram, start, end, address);
}

bool kernel_find(struct kernel *k, const struct ram *ram, uint64_t address, const void *host)
{
	if (k->table.n || !k->tries || !kernel_address(address) || !ram_holds(ram, (uintptr_t)host, 1))
		return false;
	k->tries--;
	k->host = (int64_t)((uintptr_t)host - address);
	find_symbols(k, ram, (uintptr_t)host - ram->base, address);
	if (k->file)
		take_file(k, ram);
	if (k->table.n)
		return find_image(k, address);
	if (!k->tries)
		plugin_say(
			"the guest's kernel is no Linux, or has no symbols in its memory (CONFIG_KALLSYMS): calls are "
			"told by their addresses, see symbols=FILE");
	return false;
}

/* Mostly not, and this is asked for each block of code: without a call. */
static inline bool begins(const char *text, const char *prefix)
{
	while (*prefix && *text == *prefix) {
		text++;
		prefix++;
	}
	return !*prefix;
}

/* Code that is jumped to, or leaves its own return address to somebody else. */
static bool is_label(const struct kernel *k, const char *name)
{
	static const char *const labels[] = {"__x86_",     "error_entry", "paranoid_entry",    "early_idt_handler",
	                                     "retbleed_",  "srso_",       "ret_from_fork_asm", "its_return_thunk",
	                                     "call_depth_"};

	if (begins(name, "__pi_")) /* another name of the same code */
		name += strlen("__pi_");
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		if (begins(name, labels[i]))
			return true;
	}
	return !k->has_fork_asm && strcmp(name, "ret_from_fork") == 0;
}

/* Among the code that is entered otherwise: a function. Those that run something on another stack are of Linux 5.8
 * to 5.11.
 */
static bool is_called(const char *name)
{
	return strcmp(name, "__switch_to_asm") == 0 || strcmp(name, "asm_load_gs_index") == 0 ||
	       begins(name, "asm_call_");
}

bool kernel_padding(const char *name)
{
	return begins(name, "__pfx_") || begins(name, "__cfi_");
}

/* The function that begins where code at an address is the first of it; NULL: none. */
static const struct kallsym *beginning(const struct kernel *k, uint64_t address)
{
	const struct kallsym *symbol = kallsyms_function(&k->table, address);
	uint64_t end = symbol ? kallsyms_end(&k->table, symbol) : 0;

	if (symbol && end - address <= KERNEL_PADDING && kernel_padding(kallsyms_name(&k->table, symbol))) {
		symbol = kallsyms_function(&k->table, end);
		address = end;
	}
	return symbol && symbol->address == address ? symbol : NULL;
}

/* Documentation/arch/x86/kernel-stacks.rst */
static bool is_apart(const char *name)
{
	static const char *const names[] = {"nmi", "debug", "double_fault", "machine_check", "vmm_communication"};
	static const char prefix[] = "asm_exc_";

	for (size_t i = 0; begins(name, prefix) && i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name + sizeof(prefix) - 1, names[i]) == 0)
			return true;
	}
	return false;
}

enum kernel_entry kernel_look(const struct kernel *k, uint64_t address, struct function *function)
{
	const struct kallsym *symbol = beginning(k, address);
	const char *name = symbol ? kallsyms_name(&k->table, symbol) : NULL;

	if (!symbol || is_label(k, name))
		return KERNEL_NOTHING;
	address = symbol->address;
	*function = (struct function){
		.origin = k->origin,
		.address = address,
		.size = kallsyms_end(&k->table, symbol) - address,
		.name = name,
	};
	if (address < k->entry_start || address >= k->entry_end)
		return KERNEL_FUNCTION;
	if (is_called(name))
		return KERNEL_FUNCTION;
	if (is_apart(name))
		return KERNEL_APART;
	return begins(name, "asm_") ? KERNEL_INTERRUPT : KERNEL_NOTHING;
}
