/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attempts.h"

#include <exectrace/pick/action/process.h>
#include <string.h>

static bool find(const struct attempts *attempts, pid_t pid, const unsigned char image[16])
{
	for (unsigned i = 0; i < ATTEMPTS_MAX; i++) {
		if (attempts->pid[i] == pid && memcmp(attempts->image[i], image, 16) == 0)
			return true;
	}
	return false;
}

bool attempts_known(const struct attempts *attempts, pid_t tid)
{
	unsigned char image[16];

	return process_image(tid, image) && find(attempts, process_group(tid), image);
}

void attempts_note(struct attempts *attempts, pid_t tid)
{
	unsigned char image[16];
	pid_t pid = process_group(tid);
	unsigned at = attempts->at % ATTEMPTS_MAX;

	if (!process_image(tid, image) || find(attempts, pid, image))
		return;
	attempts->pid[at] = pid;
	memcpy(attempts->image[at], image, sizeof(image));
	attempts->at++;
}
