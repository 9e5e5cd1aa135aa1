/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attempts.h"

#include <exectrace/action/process.h>
#include <string.h>

bool attempts_first(struct attempts *attempts, pid_t tid)
{
	unsigned char image[16];
	pid_t pid = process_group(tid);
	unsigned at = 0;

	if (!process_image(tid, image))
		return true;
	for (unsigned i = 0; i < ATTEMPTS_MAX; i++) {
		if (attempts->pid[i] == pid && memcmp(attempts->image[i], image, sizeof(image)) == 0)
			return false;
	}
	at = attempts->at++ % ATTEMPTS_MAX;
	attempts->pid[at] = pid;
	memcpy(attempts->image[at], image, sizeof(image));
	return true;
}
