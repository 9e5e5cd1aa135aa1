/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What INSIDE_CODE holds: the agent, and a recipe for each call. */
#include "private.h"

#include <errno.h>
#include <string.h>

/* The agent as the linker has laid it out (agent/agent.ld). */
__asm__(".pushsection .rodata\n"
        ".balign 16\n"
        "agent_image:\n"
        ".incbin \"" AGENT_IMAGE "\"\n"
        "agent_image_end:\n"
        ".popsection\n");
extern const unsigned char agent_image[], agent_image_end[];

bool agent_image_masks(const struct inside *inside, uint64_t nr)
{
	const struct recipe *recipes = (const void *)(inside->image.data + INSIDE_RECIPES - INSIDE_CODE);

	return nr < INSIDE_CALLS && recipes[nr].masks;
}

const struct agent_map *agent_image_map(void)
{
	return (const struct agent_map *)agent_image;
}

/*
 * These change what the agent depends on, make threads and programs, end them, change the names of what is open, or
 * open two at once: they always stop.
 */
static const char *const stopping[] = {
	"clone",
	"clone3",
	"fork",
	"vfork",
	"execve",
	"execveat",
	"rt_sigreturn",
	"prctl",
	"seccomp",
	"ptrace",
	"unshare",
	"setns",
	"restart_syscall",
	"chdir",
	"fchdir",
	"chroot",
	"close_range",
	"modify_ldt",
	"iopl",
	"ioperm",
	"userfaultfd",
	"process_vm_writev",
	"set_thread_area",
	"uretprobe",
	"rename",
	"renameat",
	"renameat2",
	"unlink",
	"unlinkat",
	"rmdir",
	"pipe",
	"pipe2",
	"socketpair",
	"mlockall",
	"setrlimit",
	"pivot_root",
	"mount",
	"umount2",
	"move_mount",
};

/* These take an address and a length, and may take the agent away. */
static const char *const mapping[] = {"mmap", "munmap", "mprotect", "pkey_mprotect", "mremap"};

/* These put another mask in place of the thread's while they wait, which the kernel keeps meanwhile: as it has it. */
static const char *const masking[] = {"rt_sigsuspend", "ppoll",        "pselect6",
                                      "epoll_pwait",   "epoll_pwait2", "io_pgetevents"};

/* These change what is mapped, too. */
static const char *const remapping[] = {"remap_file_pages", "shmat", "shmdt"};

static bool is_one_of(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

static enum recipe_class class_of(const struct syscall_desc *desc, const struct call_needs *needs)
{
	if (desc && strcmp(desc->name, "arch_prctl") == 0)
		return RECIPE_ARCH;
	if (!desc || !needs->known || is_one_of(desc->name, stopping, sizeof(stopping) / sizeof(stopping[0])))
		return RECIPE_STOPS;
	if (is_one_of(desc->name, mapping, sizeof(mapping) / sizeof(mapping[0])))
		return RECIPE_MAPS;
	if (strcmp(desc->name, "prlimit64") == 0)
		return RECIPE_LIMIT;
	if (strcmp(desc->name, "rt_sigaction") == 0)
		return RECIPE_SIGNAL;
	if (strcmp(desc->name, "rt_sigprocmask") == 0)
		return RECIPE_MASK;
	if (needs->fcntl)
		return RECIPE_FCNTL;
	if (needs->ioctl)
		return RECIPE_IOCTL;
	return needs->gives_fd ? RECIPE_LINKED : RECIPE_RECORDED;
}

/* Whether afterwards a descriptor refers to something else. */
static bool changes_fds(const struct syscall_desc *desc, enum recipe_class class)
{
	return class == RECIPE_LINKED || class == RECIPE_FCNTL || strcmp(desc->name, "close") == 0;
}

static bool is_shown(uint32_t nr, const struct inside_config *config)
{
	return !config->shown || syscall_filter_has(config->shown, arch_by_name("x86_64"), nr);
}

static bool is_unseen(const struct syscall_desc *desc, enum recipe_class class, const struct inside_config *config,
                      bool shown)
{
	return class != RECIPE_STOPS && !shown && !(config->memory && changes_fds(desc, class));
}

/* The lists of needs, each of which is there once. */
struct needs_pool {
	struct need *list;
	size_t n;
};

#define POOL_MAX ((INSIDE_END - INSIDE_NEEDS) / sizeof(struct need))

static size_t needs_length(const struct need *list)
{
	size_t n = 0;

	while (list[n].kind)
		n++;
	return n + 1;
}

/* Where in the pool this list is; adds it. */
static uint16_t pool_add(struct needs_pool *pool, const struct need *list)
{
	const size_t n = needs_length(list);
	size_t at = 0;

	while (at + n <= pool->n && memcmp(pool->list + at, list, n * sizeof(*list)) != 0)
		at++;
	if (at + n > pool->n) {
		at = pool->n;
		memcpy(pool->list + at, list, n * sizeof(*list));
		pool->n += n;
	}
	return (uint16_t)at;
}

static struct recipe recipe_for(uint32_t nr, const struct inside_config *config, struct needs_pool *pool)
{
	const struct syscall_desc *desc = syscall_by_nr(arch_by_name("x86_64"), nr);
	const bool shown = is_shown(nr, config);
	struct recipe recipe = {.class = RECIPE_STOPS};
	enum recipe_class does;
	struct call_needs needs;

	needs_of(nr, config->string_max, &needs);
	if (!config->memory)
		needs = (struct call_needs){.known = true};
	does = class_of(desc, &needs);
	/* With stacks, what is mapped is known at each call. */
	if (config->stacks && desc &&
	    (does == RECIPE_MAPS || is_one_of(desc->name, remapping, sizeof(remapping) / sizeof(remapping[0]))))
		does = RECIPE_STOPS;
	recipe.class = (uint8_t)does;
	recipe.unseen = is_unseen(desc, does, config, shown);
	recipe.masks = desc && is_one_of(desc->name, masking, sizeof(masking) / sizeof(masking[0]));
	recipe.shown = config->failures && shown;
	if (!config->memory || recipe.class == RECIPE_ARCH || recipe.class == RECIPE_STOPS)
		return recipe; /* the first list is empty */
	if (pool->n + NEEDS_MAX > POOL_MAX)
		recipe.class = RECIPE_STOPS;
	recipe.enter = pool_add(pool, needs.list);
	recipe.exit = pool_add(pool, needs.list + needs.exit);
	return recipe;
}

int agent_image_make(struct buf *image, const struct inside_config *config)
{
	const size_t behind = INSIDE_RECIPES - INSIDE_CODE;
	struct needs_pool pool = {.n = 1};
	struct recipe *recipes;
	int err = buf_reserve(image, INSIDE_CODE_BYTES);

	if (err)
		return err;
	memset(image->data, 0xcc, behind);
	memset(image->data + behind, 0, INSIDE_CODE_BYTES - behind);
	memcpy(image->data, agent_image, (uintptr_t)agent_image_end - (uintptr_t)agent_image);
	recipes = (struct recipe *)(void *)(image->data + behind);
	pool.list = (struct need *)(void *)(image->data + (INSIDE_NEEDS - INSIDE_CODE));
	for (uint32_t nr = 0; nr < INSIDE_CALLS; nr++)
		recipes[nr] = recipe_for(nr, config, &pool);
	image->len = INSIDE_NEEDS - INSIDE_CODE + pool.n * sizeof(*pool.list);
	return 0;
}
