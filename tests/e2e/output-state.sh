#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What programs begin with: what -o records of it, against what the programs themselves see in /proc.
. "$(dirname "$0")/../lib.sh"

# state NAME: the lines of the program that was called so, sorted
state()
{
	jq -r --arg name "$1" 'select(.argv[0] == $name) | .state[]' d/execs.jsonl | sort
}

# record COMMAND...: with another environment than that of the test, so that it is known
record()
{
	et -q -o d --run=ignore -- "$@" >"$S/out" 2>"$S/err"
}

# A program that says what it began with.
cat >"$S/begun" <<'END'
#!/bin/sh
exec 2>/dev/null
umask
ulimit -n
grep -E '^Sig(Ign|Blk)' /proc/self/status
tr '\0' '\n' </proc/$$/environ | sort
END
chmod 755 "$S/begun"

begin "nothing is otherwise"
fresh
record "$V/prog" a
expect_equal "$(state "$V/prog" | grep -v '^ns ')" "" "no lines"
end

begin "environment, mask, limits, signals"
fresh
record sh -c "export A='x y' B=; umask 077; ulimit -S -n 99; trap '' USR1; exec env -u HOME C='
d' $V/prog a"
state "$V/prog" | grep -v '^ns ' >"$S/got"
printf '%s\n' 'd' 'env A=x y' 'env B=' 'env C=' 'ignored USR1' "limit NOFILE 99 $(ulimit -H -n)" 'umask 0077' >"$S/want"
[ -z "${HOME-}" ] || echo 'unset HOME' >>"$S/want"
sort -o "$S/want" "$S/want"
expect_same "$S/got" "$S/want" "the lines"
end

begin "the program sees the same"
fresh
record sh -c "umask 027; ulimit -S -n 77; trap '' USR2; Z=1 exec $S/begun"
expect_lines 1 "$S/out" '^0?027$' "its mask"
expect_lines 1 "$S/out" '^77$' "its limit"
expect_lines 1 "$S/out" '^Z=1$' "its environment"
expect_equal "$(jq -r --arg name "$S/begun" 'select(.argv[0] == $name) | .state[]' d/execs.jsonl | grep -cE '^(umask 0027|limit NOFILE 77 .*|ignored USR2|env Z=1)$')" 4 \
	"the lines"
end

begin "descriptors: those that stay open"
fresh
echo x >file
record sh -c "exec 5<file 7>&1 </dev/null; exec 0<&-; exec $V/prog a"
expect_equal "$(state "$V/prog" | grep -E '^(fd [05]|closed 0)')" "closed 0
fd 5 $(pwd -P)/file" "opened and closed"
end

begin "tree --state: against the parent"
fresh
record sh -c "export A=1; sh -c 'export B=2; $V/prog a; unset A; $V/prog b'; true"
"$EXECTRACE" tree --state d >"$S/out" 2>"$S/err"
expect_equal "$(grep -cE '^ +\+ env A=1$' "$S/out")" 1 "only where it begins"
expect_equal "$(grep -cE '^ +\+ env B=2$' "$S/out")" 2 "of both children"
expect_equal "$(grep -cE '^ +- env A=1$' "$S/out")" 1 "what one has not"
end

if engine_can notify "why: the command line has the environment" "it does not see what a process executes that it has let go"; then
	begin "why: the command line has the environment"
	fresh
	printf '#!/bin/sh\n[ "$ZONE" = UTC ] || { echo "bad zone" >&2; exit 2; }\n' >t
	chmod 755 t
	et -q --why -o d -- sh -c 'export ZONE=Mars; sh -c "ulimit -S -n 50; ./t"' >"$S/out" 2>"$S/err"
	expect_lines 1 "$S/err" '^  run it: +cd .*/run && prlimit --nofile=50: env ZONE=Mars ./t$' "to copy"
	expect_lines 1 "$S/err" '^  it began with: .*limit NOFILE 50 ' "the rest"
	end
fi

finish
