# shellcheck shell=bash
# dash, the installed one. Its source has no tests: it runs those of bash, whose results have to be the same, right or wrong.
. "$here/bash.sh"
shell=/bin/dash
picked=(--exe="$shell" --cmd='^\S*dash \./[a-z0-9-]*\.(tests|sub)$')
