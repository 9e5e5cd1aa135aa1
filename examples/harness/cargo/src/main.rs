fn main() -> std::io::Result<()> {
    let file = std::env::args().nth(1).unwrap_or_default();
    println!("{}", words::count(&file)?);
    Ok(())
}
