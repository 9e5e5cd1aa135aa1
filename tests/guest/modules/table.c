/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table that is read by writing to the parameter `look`, under a semaphore that a kernel thread has to write it. That
 * thread waits for a device while it has it, which never is ready.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/rwsem.h>

static DECLARE_RWSEM(table_lock);
static DECLARE_COMPLETION(table_taken);
static struct task_struct *table_writer;
static bool ready;

static int table_write(void *data)
{
	down_write(&table_lock);
	complete(&table_taken);
	while (!READ_ONCE(ready) && !kthread_should_stop())
		msleep(100);
	up_write(&table_lock);
	return 0;
}

static noinline int table_look(const char *value, const struct kernel_param *param)
{
	down_read(&table_lock);
	pr_info("table: looked\n");
	up_read(&table_lock);
	return 0;
}

static const struct kernel_param_ops table_look_ops = {.set = table_look};

module_param_cb(look, &table_look_ops, NULL, 0200);

static int __init table_init(void)
{
	table_writer = kthread_run(table_write, NULL, "table_writer");
	if (IS_ERR(table_writer))
		return PTR_ERR(table_writer);
	wait_for_completion(&table_taken);
	return 0;
}

module_init(table_init);
MODULE_DESCRIPTION("a semaphore whose writer waits for a device");
MODULE_LICENSE("GPL");
