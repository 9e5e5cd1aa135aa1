use std::process::Command;

#[test]
fn poem() {
    let poem = std::env::var("POEM").unwrap_or("../words/poem.txt".into());
    let out = Command::new(env!("CARGO_BIN_EXE_words")).arg(poem).output().unwrap();
    assert_eq!(out.stdout, b"13\n");
}
