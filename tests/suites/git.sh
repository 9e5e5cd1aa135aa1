# shellcheck shell=bash
# git, built from source: interactive rebase (t3404), and filters that are long-running processes (t0021).
limit=1500
picked=(--exe='*/git' --cmd='^\S*git (rev-parse|diff-index|cat-file) ')
alone="20 40 60"

build_suite()
{
	make -s -j"$(nproc)" CC="${CC:-gcc}" CFLAGS=-O1 NO_CURL=1 NO_EXPAT=1 NO_TCLTK=1 NO_GETTEXT=1 NO_PYTHON=1 NO_OPENSSL=1 all
}

suite()
{
	local file

	cd t || return 1
	for file in t3404-*.sh t0021-*.sh; do
		echo "# $file"
		"./$file"
	done
}

results()
{
	awk '/^# t[0-9]/ { test = substr($2, 1, 5) }
		/^(not )?ok [0-9]+/ { n = $0; sub(/^(not )?ok /, "", n); sub(/ .*/, "", n)
			print test "-" n, (/^not/ ? "FAIL" : / # [Ss][Kk][Ii][Pp]/ ? "SKIP" : "ok") }' "$1"
}
