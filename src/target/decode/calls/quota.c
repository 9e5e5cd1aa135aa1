/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quotactl(2): the command says whether there is an id, and what the address is of. */
#include <exectrace/target/decode/calls/calls.h>

enum quota_id { ID_NONE, ID_USER, ID_FORMAT };
enum quota_addr { ADDR_NONE, ADDR_PATH, ADDR_IN, ADDR_OUT, ADDR_OUT_FORMAT, ADDR_IN_FLAGS, ADDR_IN_TYPES };

static const struct command {
	uint32_t command; /* without the type of the quota */
	uint8_t id, addr;
	uint16_t structure;
} commands[] = {
	{0x800001, ID_NONE, ADDR_NONE, 0}, /* Q_SYNC */
	{0x800002, ID_FORMAT, ADDR_PATH, 0},
	{0x800003, ID_NONE, ADDR_NONE, 0},
	{0x800004, ID_NONE, ADDR_OUT_FORMAT, 0},
	{0x800005, ID_NONE, ADDR_OUT, STRUCT_u_if_dqinfo},
	{0x800006, ID_NONE, ADDR_IN, STRUCT_u_if_dqinfo},
	{0x800007, ID_USER, ADDR_OUT, STRUCT_u_if_dqblk},
	{0x800008, ID_USER, ADDR_IN, STRUCT_u_if_dqblk},
	{0x800009, ID_USER, ADDR_OUT, STRUCT_u_if_nextdqblk},
	{0x5801, ID_NONE, ADDR_IN_FLAGS, 0}, /* Q_XQUOTAON */
	{0x5802, ID_NONE, ADDR_IN_FLAGS, 0},
	{0x5803, ID_USER, ADDR_OUT, STRUCT_u_fs_disk_quota},
	{0x5804, ID_USER, ADDR_IN, STRUCT_u_fs_disk_quota},
	{0x5805, ID_NONE, ADDR_OUT, STRUCT_u_fs_quota_stat},
	{0x5806, ID_NONE, ADDR_IN_TYPES, 0},
	{0x5807, ID_NONE, ADDR_NONE, 0},
	{0x5808, ID_NONE, ADDR_OUT, STRUCT_u_fs_quota_statv},
	{0x5809, ID_USER, ADDR_OUT, STRUCT_u_fs_disk_quota},
};

/* The command is in register 0 of quotactl, in register 1 of quotactl_fd. */
static const struct command *command_of(const struct printer *p)
{
	static const struct command unknown = {0, ID_USER, ADDR_IN, 0};
	bool by_fd = p->state->call && strcmp(p->state->call->name, "quotactl_fd") == 0;
	uint32_t command = (uint32_t)call_arg(p, by_fd) >> 8;

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (commands[i].command == command)
			return &commands[i];
	return &unknown;
}

bool quota_is_late(const struct printer *p)
{
	const struct command *command = command_of(p);

	return command->addr == ADDR_OUT || command->addr == ADDR_OUT_FORMAT;
}

void print_quota_id(struct printer *p, uint64_t value, unsigned aux)
{
	const struct command *command = command_of(p);

	(void)aux;
	if (command->id == ID_FORMAT)
		put_enum(p, (uint32_t)value, SET_u_qfmt);
	else if (command->id == ID_USER)
		print_uid(p, value, 0);
}

/* flags: the set of its names; 0: it is a format. */
static void put_word(struct printer *p, uint64_t addr, unsigned flags)
{
	uint64_t word;

	if (!peek_number(p, addr, 4, &word)) {
		put_addr(p, addr);
		return;
	}
	put_text(p, "[");
	if (flags)
		put_flags(p, word, flags);
	else
		put_enum(p, word, SET_u_qfmt);
	put_text(p, "]");
}

void print_quota_addr(struct printer *p, uint64_t value, unsigned aux)
{
	const struct command *command = command_of(p);

	(void)aux;
	if (command->addr == ADDR_NONE)
		return;
	if (command->addr == ADDR_PATH)
		print_path(p, value, 0);
	else if (command->addr == ADDR_IN_FLAGS || command->addr == ADDR_IN_TYPES)
		put_word(p, value, command->addr == ADDR_IN_FLAGS ? SET_u_fs_quota : SET_u_fs_quota_rm);
	else if (!command->structure && command->addr != ADDR_OUT_FORMAT)
		put_addr(p, value);
	else if (command->addr == ADDR_IN || call_succeeded(p)) {
		if (command->structure)
			put_struct(p, value, command->structure);
		else
			put_word(p, value, 0);
	} else
		put_addr(p, value);
}
