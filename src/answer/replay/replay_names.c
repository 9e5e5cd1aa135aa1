/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of the guest. */
#include <exectrace/answer/replay/replay_state.h>

#include <exectrace/base/grow.h>
#include <exectrace/base/path.h>
#include <exectrace/target/symbol/demangle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The pool's copy of a text, up to a NUL in it. */
static int keep(struct replay *p, struct data_text text, const char **ret)
{
	return pool_text(&p->recording->texts, text.n ? text.bytes : "", text.n ? strnlen(text.bytes, text.n) : 0, ret,
	                 NULL);
}

static int define_file(struct replay *p, const struct data_file *file)
{
	const char *path;
	int rc = keep(p, file->path, &path);

	if (rc)
		return rc;
	return idmap_put(&p->files, file->id, 0, (char *)(uintptr_t)path_name(path));
}

/* Room for an identifier in the table. */
static int widen(struct replay *p, uint64_t id)
{
	return widen_array((void **)&p->dense, &p->n_dense, (size_t)id, sizeof(*p->dense));
}

static int readable(struct replay *p, struct data_text text, const char **ret)
{
	struct buf mangled = BUF_INIT, name = BUF_INIT;
	int rc = buf_append(&mangled, text.n ? text.bytes : "", text.n);

	if (!rc)
		rc = demangle(&name, mangled.data ? mangled.data : "");
	if (!rc)
		rc = pool_text(&p->recording->texts, name.len ? name.data : "", name.len, ret, NULL);
	buf_release(&mangled);
	buf_release(&name);
	return rc;
}

/* A function without a name, as those of a stripped program have none, goes by its address. */
static int name_by_address(struct replay *p, const struct data_function *function, const char **ret)
{
	char name[32];
	int n = snprintf(name, sizeof(name), "@%llx", (unsigned long long)function->address);

	return pool_text(&p->recording->texts, name, (size_t)n, ret, NULL);
}

static int define_function(struct replay *p, const struct data_function *function)
{
	const char *module = idmap_get(&p->files, function->file, 0);
	struct replay_function f = {.number = (uint32_t)p->n_functions,
	                            .address = function->address,
	                            .size = function->size,
	                            .module = module ? module : ""};
	int rc = 0;

	if (function->id < REPLAY_DENSE && function->id >= p->n_dense)
		rc = widen(p, function->id);
	if (!rc)
		rc = readable(p, function->name, &f.name);
	if (!rc && !*f.name && f.address)
		rc = name_by_address(p, function, &f.name);
	if (!rc)
		rc = grow_array((void **)&p->functions, p->n_functions, &p->cap_functions, sizeof(f));
	if (!rc && function->id >= REPLAY_DENSE)
		rc = idmap_put(&p->sparse, function->id, 0, (char *)(uintptr_t)f.number);
	else if (!rc)
		p->dense[function->id] = f.number;
	if (!rc)
		p->functions[p->n_functions++] = f;
	return rc;
}

int replay_define(struct replay *p, const struct data_event *event)
{
	return event->type == DATA_FILE ? define_file(p, &event->file) : define_function(p, &event->function);
}

int replay_names_init(struct replay *p)
{
	int rc = grow_array((void **)&p->functions, 0, &p->cap_functions, sizeof(*p->functions));

	if (rc)
		return rc;
	p->functions[REPLAY_UNKNOWN] = (struct replay_function){.name = "[unknown]", .module = ""};
	p->n_functions = 1;
	return 0;
}

void replay_names_release(struct replay *p)
{
	for (size_t i = 0; i < p->n_functions; i++)
		free((void *)p->functions[i].signature);
	free(p->functions);
	free(p->dense);
	idmap_release(&p->sparse);
	idmap_release(&p->files);
	p->functions = NULL;
	p->dense = NULL;
	p->n_functions = p->cap_functions = p->n_dense = 0;
}

size_t replay_functions(const struct replay *p)
{
	return p->n_functions;
}

const struct replay_function *replay_function(const struct replay *p, uint32_t number)
{
	return &p->functions[number < p->n_functions ? number : REPLAY_UNKNOWN];
}

bool replay_in_module(const struct replay_function *f)
{
	static const char *const others[] = {"[kernel]", "[firmware]", "[loader]", "[vdso]", "[user]"};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strcmp(f->module, others[i]) == 0)
			return false;
	return *f->module == '[';
}
