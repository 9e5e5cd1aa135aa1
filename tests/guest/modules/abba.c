/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /dev/abba: ABBA_FLUSH takes the device's mutex and, for the counters, the statistics' mutex. A kernel thread that
 * collects the statistics each 200 ms takes them in the other order. Both wait a moment in between, as one does for a
 * device: sooner or later neither comes on.
 */
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/kthread.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>

#include "abba.h"

static DEFINE_MUTEX(abba_device_lock);
static DEFINE_MUTEX(abba_stats_lock);
static unsigned long flushes, collected;

static noinline void abba_count_flush(void)
{
	mutex_lock(&abba_stats_lock);
	flushes++;
	mutex_unlock(&abba_stats_lock);
}

static noinline int abba_flush(void)
{
	mutex_lock(&abba_device_lock);
	msleep(40);
	abba_count_flush();
	mutex_unlock(&abba_device_lock);
	return 0;
}

static noinline void abba_read_device(void)
{
	mutex_lock(&abba_device_lock);
	collected++;
	mutex_unlock(&abba_device_lock);
}

static noinline void abba_collect(void)
{
	mutex_lock(&abba_stats_lock);
	msleep(40);
	abba_read_device();
	mutex_unlock(&abba_stats_lock);
}

static int abba_collector(void *data)
{
	while (!kthread_should_stop()) {
		abba_collect();
		msleep(200);
	}
	return 0;
}

static long abba_ioctl(struct file *file, unsigned int request, unsigned long argument)
{
	return request == ABBA_FLUSH ? abba_flush() : -ENOTTY;
}

static const struct file_operations abba_fops = {.owner = THIS_MODULE, .unlocked_ioctl = abba_ioctl};
static struct miscdevice abba_misc = {.minor = MISC_DYNAMIC_MINOR, .name = "abba", .fops = &abba_fops};

static int __init abba_init(void)
{
	struct task_struct *thread;
	int rc = misc_register(&abba_misc);

	if (rc)
		return rc;
	thread = kthread_run(abba_collector, NULL, "abba_collector");
	if (IS_ERR(thread)) {
		misc_deregister(&abba_misc);
		return PTR_ERR(thread);
	}
	return 0;
}

module_init(abba_init);
MODULE_DESCRIPTION("two mutexes that are taken in both orders");
MODULE_LICENSE("GPL");
