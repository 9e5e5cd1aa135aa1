/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sensor whose probe polls it until it is ready, which it is four seconds after its reset: whoever loads the module
 * sleeps as long.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/platform_device.h>

#define TSENS_READY 1u

struct tsens {
	unsigned long ready_at; /* jiffies */
};

static struct platform_device *tsens_device;

/* Stands for a register of the device. */
static noinline u32 tsens_read_status(struct tsens *t)
{
	return time_after(jiffies, t->ready_at) ? TSENS_READY : 0;
}

static noinline int tsens_wait_ready(struct tsens *t)
{
	for (int i = 0; i < 400; i++) {
		if (tsens_read_status(t) & TSENS_READY)
			return 0;
		msleep(25);
	}
	return -ETIMEDOUT;
}

static int tsens_probe(struct platform_device *pdev)
{
	struct tsens *t = devm_kzalloc(&pdev->dev, sizeof(*t), GFP_KERNEL);

	if (!t)
		return -ENOMEM;
	t->ready_at = jiffies + 4 * HZ;
	return tsens_wait_ready(t);
}

static struct platform_driver tsens_driver = {
	.probe = tsens_probe,
	.driver = {.name = "tsens"},
};

static int __init tsens_init(void)
{
	tsens_device = platform_device_register_simple("tsens", -1, NULL, 0);
	if (IS_ERR(tsens_device))
		return PTR_ERR(tsens_device);
	return platform_driver_register(&tsens_driver);
}

module_init(tsens_init);
MODULE_DESCRIPTION("a sensor that is ready late");
MODULE_LICENSE("GPL");
