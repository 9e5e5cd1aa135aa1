/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In libFuzzer's place: gives the fuzzer each kept input of a directory once; TAP. A fault ends the program. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define INPUT_MAX (1u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int give(const char *dir, const char *name)
{
	char path[4096];
	uint8_t *all = malloc(INPUT_MAX), *input = NULL;
	FILE *file = NULL;
	size_t n = 0;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "re");
	if (all && file)
		n = fread(all, 1, INPUT_MAX, file);
	/* As large as the input, so that a sanitizer sees what reads behind it. */
	input = malloc(n ? n : 1);
	if (input && file) {
		for (size_t i = 0; i < n; i++)
			input[i] = all[i];
		LLVMFuzzerTestOneInput(input, n);
	}
	if (file)
		fclose(file);
	free(all);
	free(input);
	return input && file ? 0 : -1;
}

int main(int argc, char **argv)
{
	DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;
	const struct dirent *entry;
	unsigned n = 0, bad = 0;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.') {
			n++;
			bad += give(argv[1], entry->d_name) != 0;
		}
	if (dir)
		closedir(dir);
	printf("%s 1 - %u kept inputs\n1..1\n", n && !bad ? "ok" : "not ok", n);
	return !n || bad;
}
