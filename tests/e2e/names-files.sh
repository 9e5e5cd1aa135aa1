#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Names of processes in file names, options and shells: {comm} is harmless whatever a process calls itself.
. "$(dirname "$0")/../lib.sh"

# call NAME...: executes true once under each name
cat >"$S/call" <<'END'
#!/bin/bash
for name in "$@"; do
	(exec -a "$name" true)
done
END
chmod 755 "$S/call"

names=('|id >pwned #' '!id >pwned' '$(id >pwned)' '`id >pwned`' 'a;id >pwned;' "a'\$(id >pwned)'" -o --help .. . ''
	'../../../pwned' $'two\nlines' $'\033[31m' $'\377\376' 'a b' "$(printf '%300s' '' | tr ' ' x)")

harmless()
{
	expect_equal "$(find "$S" -name pwned | wc -l)" 0 "no command was run"
	expect_equal "$(find . -mindepth 1 -printf '%f\n' | LC_ALL=C grep -cvE '^[A-Za-z0-9_+=@][A-Za-z0-9._+=@-]*$')" 0 "the names of the files"
	expect_equal "$(find . -type f | wc -l)" ${#names[@]} "as many files as processes"
}

if command -v strace >/dev/null; then
	begin "strace -o {comm}"
	fresh
	et --run='strace -o {comm}-{n}.strace' --exe=true -- "$S/call" "${names[@]}" >"$S/out" 2>"$S/err"
	expect_equal "$?" 0 "exit status"
	harmless
	end
	begin "attach: {comm} in the words of a shell"
	fresh
	et --run="attach sh -c 'exec strace -p {pid} -o x{comm} 2>{comm}.{n}.log'" --exe=true -- "$S/call" "${names[@]}" \
		>"$S/out" 2>"$S/err"
	expect_equal "$?" 0 "exit status"
	expect_equal "$(find "$S" -name pwned | wc -l)" 0 "no command was run"
	expect_equal "$(find . -name '*.log' | wc -l)" ${#names[@]} "as many files as processes"
	end
else
	skip_case "strace -o {comm}" "strace is not installed"
fi

begin "log --output={comm}"
fresh
et --run='log --output={comm}.{n}' --exe=true -- "$S/call" "${names[@]}" >"$S/out" 2>"$S/err"
expect_equal "$?" 0 "exit status"
harmless
end

begin "trace -o {comm}"
fresh
et --run='trace -o {comm}.{n}' --exe=true -- "$S/call" "${names[@]}" >"$S/out" 2>"$S/err"
expect_equal "$?" 0 "exit status"
harmless
end
finish
