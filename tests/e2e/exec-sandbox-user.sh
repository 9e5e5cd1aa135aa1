#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The same as exec-sandbox, as an ordinary user, who cannot read the filters of others.
if [ "$(id -u)" = 0 ] && setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null; then
	export sandbox_user=nobody
else
	. "$(dirname "$0")/../lib.sh"
	skip "only root can become another user"
fi
. "$(dirname "$0")/exec-sandbox.sh"
