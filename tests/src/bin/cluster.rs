//! `cluster COMMAND...` runs a command beside a PostgreSQL server of its own, whose URL is in
//! `KEEPMIND_POSTGRES_URL`, and ends as the command does. Without PostgreSQL's binaries the variable is not set.

use std::process::{Command, ExitCode};

use keepmind_tests::cluster;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let program = arguments.next().expect("usage: cluster COMMAND...");
    let mut command = Command::new(program);
    command.args(arguments).env_remove("KEEPMIND_POSTGRES_URL");
    let server = cluster::Cluster::start("");
    if let Some(server) = &server {
        command.env("KEEPMIND_POSTGRES_URL", server.url());
    }
    let ended = command.status().expect("the command runs");
    drop(server);
    u8::try_from(ended.code().unwrap_or(1)).map_or(ExitCode::FAILURE, ExitCode::from)
}
