#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What exectrace starts for itself is reaped by itself: in a container, process 1 may reap nobody.
. "$(dirname "$0")/../lib.sh"
needs perl

# prctl(PR_SET_CHILD_SUBREAPER): whatever COMMAND leaves behind becomes a child, whose name is printed.
cat >"$S/reaper.pl" <<'END'
syscall(157, 36, 1, 0, 0, 0) == 0 or die "prctl: $!\n";
my $first = fork // die;
exec @ARGV if !$first;
waitpid $first, 0;
my $status = $? >> 8;
open F, "/proc/$$/task/$$/children";
for (split / /, <F> // "") { open C, "/proc/$_/comm" or next; print "left: ", <C> }
1 while wait > 0;
exit $status;
END

# reaps NAME ARG...: nothing is left of exectrace with those arguments
reaps()
{
	local name=$1

	shift
	fresh
	perl "$S/reaper.pl" "$EXECTRACE" --engine="$ENGINE" -q "$@" >"$S/out" 2>"$S/err" </dev/null
	expect_equal "$? $(grep -c left: "$S/out")" "3 0" "$name"
}

begin "nothing is left behind"
reaps "where nothing is picked" "${NOTHING[@]}" -- sh -c '/bin/true; exit 3'
reaps "a log" --run=log --cmd=true -- sh -c '/bin/true; exit 3'
reaps "strace" --run='strace -o /dev/null' --cmd=true -- sh -c '/bin/true; exit 3'
reaps "why" --why -- sh -c '/bin/true; exit 3'
end

finish
