/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A watchdog: from the first write to /dev/dog on the guest is reset when there is none for three seconds. */
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/reboot.h>
#include <linux/timer.h>

static noinline void dog_bites(struct timer_list *timer)
{
	pr_crit("dog: nobody has fed it\n");
	emergency_restart();
	pr_crit("dog: the guest runs on\n"); /* so that the call above is no jump */
}

static DEFINE_TIMER(dog_timer, dog_bites);

static noinline void dog_eats(void)
{
	mod_timer(&dog_timer, jiffies + 3 * HZ);
}

static ssize_t dog_write(struct file *file, const char __user *bytes, size_t n, loff_t *at)
{
	dog_eats();
	return n;
}

static const struct file_operations dog_operations = {
	.owner = THIS_MODULE,
	.write = dog_write,
};

static struct miscdevice dog_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "dog",
	.fops = &dog_operations,
};

static int __init dog_init(void)
{
	return misc_register(&dog_device);
}

module_init(dog_init);
MODULE_DESCRIPTION("a watchdog");
MODULE_LICENSE("GPL");
