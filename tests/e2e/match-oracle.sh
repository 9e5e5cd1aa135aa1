#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every exec is seen: the commands that log lists are those that strace sees, in a build of nested makes.
. "$(dirname "$0")/../lib.sh"
needs make strace

prepare()
{
	mkdir -p sub/deep
	cat >Makefile <<-'EOF'
	.RECIPEPREFIX = >
	all: first
	> $(MAKE) -C sub
	> ./script end
	first:
	> prog first
	> prog first > file; cat file
	> -nosuchcommand
	EOF
	cat >sub/Makefile <<-'EOF'
	.RECIPEPREFIX = >
	all: one two three
	> $(MAKE) -C deep
	one two three:
	> prog $@
	> for i in 1 2 3; do prog $@ $$i; done
	EOF
	cat >sub/deep/Makefile <<-'EOF'
	.RECIPEPREFIX = >
	all:
	> echo deep | cat | cat
	> env prog deep | sort | uniq -c
	> bash -c 'exec prog deepest'
	> spawnform spawnp prog spawned
	EOF
	printf '#!/bin/sh\nprog script "$@"\n' >script
	chmod 755 script
}
export PATH="$V:/none:$PATH"

for jobs in 1 4; do
	begin "nested makes, -j$jobs"
	fresh
	strace -f -ff -z -s 4096 -e trace=execve,execveat -o "$S/oracle" make -j$jobs >"$S/plain.out" 2>/dev/null
	cat "$S"/oracle.* | sed -n -E 's/^execve(at)?\([^[]*\[(.*)\], 0x.*= 0$/\2/p' | sed 's/", "/ /g; s/^"//; s/"$//' |
		tr -d "\\\\'\"\$" | sort >"$S/want"
	rm -f "$S"/oracle.*
	fresh
	et --run=log -- make -j$jobs >"$S/out" 2>"$S/err"
	sed -n -E 's/^\[[0-9]+\] parent .*, in [^:]*: //p' "$S/err" | tr -d "\\\\'\"\$" | sort >"$S/got"
	expect "strace saw a tree" test "$(wc -l <"$S/want")" -gt 30
	expect_same "$S/got" "$S/want" "the same commands"
	expect_lines 1 "$S/err" "^exectrace: $(wc -l <"$S/want") of $(wc -l <"$S/want") commands matched$" "the count"
	[ $jobs != 1 ] || expect_same "$S/out" "$S/plain.out" "the same output"
	end
done
finish
