#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Where a failure began, when more than one process failed: the page's chain ends at it.
. "$(dirname "$0")/../lib.sh"
needs perl python3 make

# began STATUS REGEX NAME COMMAND...: the last process of the chain, with how it ended
began()
{
	local status=$1 regex=$2 name=$3

	shift 3
	begin "$name"
	fresh
	et -q --why -- "$@" >"$S/out" 2>"$S/err"
	expect_equal $? "$status" "the status of the command"
	sed -n '/^Why it failed$/,$ { /^  \( *└ \)\?[^ ].* \[[0-9]*\]: /p; /^  \( *└ \)\?[^ ].* \[[0-9]*\]: /!{ /^Why/!q } }' "$S/err" | tail -n 1 >"$S/last"
	expect_lines 1 "$S/last" "^ *(└ )?$regex \[[0-9]+\]: (exit|SIG)" "the end of the chain"
	end
}

cat >"$S/unset.sh" <<'END1'
set -u
ls /no/such/directory || :
echo "deploy to $TARGET_HOST"
END1
began 1 'bash .*/unset.sh' "an error of the script itself, behind a child that failed" bash "$S/unset.sh"
cat >"$S/create.sh" <<'END1'
stat /no/such/file
echo x >out/result
exit 1
END1
began 1 'sh .*/create.sh' "a file that the shell cannot create" sh "$S/create.sh"
cat >"$S/key.py" <<'END1'
import subprocess
subprocess.call(["ls", "/no/such/directory"])
print({"prot": 80}["port"])
END1
began 1 '[^ ]*python3 .*/key.py' "an exception that is not about the child" /usr/bin/python3 "$S/key.py"
cat >"$S/child.py" <<'END1'
import subprocess
subprocess.check_call(["ls", "/no/such/directory"])
END1
began 1 'ls /no/such/directory' "an exception that is about the child" /usr/bin/python3 "$S/child.py"
began 2 "perl -e .*" "its own call failed" perl -e 'system "ls", "/no/such/directory"; open(F, "<", "settings.ini") or die "cannot read settings.ini: $!\n"'
# shellcheck disable=SC2016 # for perl
began 134 'perl -e .*' "a signal of its own" sh -c 'perl -e '\''system "ls", "/no/such/directory"; kill ABRT => $$; sleep 9'\''; exit $?'
printf 'check: ; cat missing.cfg || (echo "check failed, see above"; exit 1)\n' >"$S/makefile"
began 2 'cat missing.cfg' "a subshell that gives up" make -s -f "$S/makefile"
began 1 'cat input.csv' "what a trap cleans up" sh -c 'trap "umount /no/such/directory || :" EXIT; cat input.csv || exit 1'
began 1 'sort .*' "what is shown once something has failed" \
	sh -c 'if ! sort -k x /etc/passwd; then cat /no/such/log; exit 1; fi'
began 1 'grep -q enabled features.conf' "grep that cannot read" sh -c 'grep -q enabled features.conf 2>/dev/null || { echo no; exit 1; }'
began 1 'sh .*' "grep that finds nothing, and is told" sh -c 'grep -q enabled /etc/passwd || { echo "not enabled" >&2; exit 1; }'
mkdir "$S/conf"
printf '#!/bin/sh\n(ls /no/such/first) 2>/dev/null\n(ls /no/such/second) 2>/dev/null\necho "configure: error: ls does not work" >&2\nexit 77\n' >"$S/conf/configure"
chmod +x "$S/conf/configure"
began 77 'ls /no/such/second' "configure: the last one" "$S/conf/configure"
cat >"$S/push" <<'END1'
#!/bin/sh
sh -c 'sh -c "cat hooks/refused; exit 1" pre-receive; exit 0'
echo "refused: pre-receive hook declined" >&2
exit 1
END1
chmod +x "$S/push"
began 1 'cat hooks/refused' "one that ended well hides it" "$S/push"
cat >"$S/runner.py" <<'END1'
import subprocess
subprocess.call(["ls", "/no/such/directory"])
try:
    subprocess.run(["sleep", "60"], timeout=0.5)
except subprocess.TimeoutExpired:
    pass
subprocess.call(["ls", "/no/such/file"])
raise SystemExit(8)
END1
began 8 'sleep 60' "what a runner killed, having waited in vain" /usr/bin/python3 "$S/runner.py"
finish
