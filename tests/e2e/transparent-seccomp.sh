#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Seccomp filters that the tree installs itself act as without exectrace.
. "$(dirname "$0")/../lib.sh"

for mode in errno trap kill other tsync; do
	both "a filter: $mode" -- "$V/filters" $mode "$V/prog" x
	both "a filter in a grandchild: $mode" -- sh -c "$V/filters $mode $V/prog x; echo \$?"
done
both -e "notify:strict mode cannot be entered by a process that has a filter" "strict mode" -- "$V/filters" strict "$V/prog" x
if command -v unshare >/dev/null && command -v setpriv >/dev/null; then
	both "no_new_privs set by the tree" -- setpriv --no-new-privs "$V/state" prctl
fi
finish
