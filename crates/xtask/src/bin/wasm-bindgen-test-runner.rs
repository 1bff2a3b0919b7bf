//! The program that `cargo test --target wasm32-unknown-unknown` hands its modules to.
//!
//! It is wasm-bindgen's own runner, built from the workspace's lock file so that its version cannot
//! differ from the wasm-bindgen that the tests were compiled with, and so that nothing has to be
//! installed. It holds no logic of ours.

fn main() -> anyhow::Result<()> {
    wasm_bindgen_cli::wasm_bindgen_test_runner::run_cli_with_args(std::env::args_os())
}
