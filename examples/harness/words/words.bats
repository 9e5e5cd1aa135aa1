@test "empty" {
	[ "$(./words /dev/null)" = 0 ]
}

@test "poem" {
	run ./words "${POEM:-poem.txt}"
	[ "$output" = 13 ]
}
