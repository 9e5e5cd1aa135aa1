/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /dev/rules: each write adds a rule. A rule is looked for among all that there are before it is added: each write
 * takes longer than the one before.
 */
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#define RULE_LENGTH 48

struct rule {
	struct list_head list;
	char text[RULE_LENGTH];
};

static LIST_HEAD(rules);
static DEFINE_MUTEX(rules_lock);

static noinline bool rule_equal(const struct rule *rule, const char *text)
{
	return strcmp(rule->text, text) == 0;
}

static noinline struct rule *rule_find(const char *text)
{
	for (struct list_head *at = rules.next; at != &rules; at = at->next)
		if (rule_equal(list_entry(at, struct rule, list), text))
			return list_entry(at, struct rule, list);
	return NULL;
}

static noinline int rule_add(const char *text)
{
	struct rule *rule;

	if (rule_find(text))
		return -EEXIST;
	rule = kzalloc(sizeof(*rule), GFP_KERNEL);
	if (!rule)
		return -ENOMEM;
	strscpy(rule->text, text, sizeof(rule->text));
	list_add_tail(&rule->list, &rules);
	return 0;
}

static ssize_t rules_write(struct file *file, const char __user *from, size_t size, loff_t *at)
{
	char text[RULE_LENGTH] = "";
	int rc;

	if (size >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, from, size))
		return -EFAULT;
	mutex_lock(&rules_lock);
	rc = rule_add(text);
	mutex_unlock(&rules_lock);
	return rc ? rc : (ssize_t)size;
}

static const struct file_operations rules_fops = {.owner = THIS_MODULE, .write = rules_write};
static struct miscdevice rules_misc = {.minor = MISC_DYNAMIC_MINOR, .name = "rules", .fops = &rules_fops};

static int __init rules_init(void)
{
	return misc_register(&rules_misc);
}

module_init(rules_init);
MODULE_DESCRIPTION("a list of rules that are all different");
MODULE_LICENSE("GPL");
