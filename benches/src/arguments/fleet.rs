//! What follows `fleet`.

use std::path::PathBuf;

use super::{Command, list, number, positive, value_of};

/// Below that there is nobody to pick from.
const FEWEST: usize = 50;

#[derive(Debug, PartialEq, Eq)]
pub struct FleetOptions {
    /// How many owners there are in the end.
    pub owners: usize,
    /// How many servers the owners are spread over; a fleet for each number.
    pub clusters: Vec<usize>,
    pub seed: u64,
    pub repeat: usize,
    pub json: Option<PathBuf>,
    pub directory: PathBuf,
}

pub fn read(mut arguments: impl Iterator<Item = String>) -> Result<Command, String> {
    let mut options = FleetOptions {
        owners: 100_000,
        clusters: vec![1, 2, 4],
        seed: 1,
        repeat: 3,
        json: None,
        directory: std::env::temp_dir(),
    };
    while let Some(argument) = arguments.next() {
        if matches!(argument.as_str(), "--help" | "-h") {
            return Ok(Command::Help);
        }
        let (name, value) = value_of(argument, &mut arguments)?;
        match name.as_str() {
            "--owners" => options.owners = positive(&name, &value)?,
            "--clusters" => options.clusters = list(&value)?,
            "--seed" => options.seed = number(&name, &value)?,
            "--repeat" => options.repeat = positive(&name, &value)?,
            "--json" => options.json = Some(PathBuf::from(value)),
            "--directory" => options.directory = PathBuf::from(value),
            _ => return Err(format!("fleet knows no {name}")),
        }
    }
    if options.owners < FEWEST {
        return Err(format!("--owners: at least {FEWEST}, to pick from"));
    }
    if !options
        .clusters
        .iter()
        .all(|count| (1..=64).contains(count))
    {
        return Err("--clusters: how many servers, 1 to 64 each, such as 1,2,4".to_owned());
    }
    Ok(Command::Fleet(options))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(line: &str) -> Result<Command, String> {
        super::super::read(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn a_fleet_is_read_or_refused() {
        let options = FleetOptions {
            owners: 2_000,
            clusters: vec![1, 2],
            seed: 7,
            repeat: 1,
            json: None,
            directory: PathBuf::from("disk"),
        };
        assert_eq!(
            command("fleet --owners 2000 --clusters 1,2 --seed=7 --repeat 1 --directory disk"),
            Ok(Command::Fleet(options))
        );
        assert_eq!(command("fleet -h"), Ok(Command::Help));
        for wrong in [
            "fleet --owners 10",
            "fleet --owners x",
            "fleet --clusters 0",
            "fleet --clusters 1,x",
            "fleet --clusters",
            "fleet --rows 5",
        ] {
            assert!(command(wrong).is_err(), "{wrong}");
        }
    }
}
