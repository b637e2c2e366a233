//! Starting the child, listening to it, and killing it at a moment drawn from the seed.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::Result;
use crate::crash::lines::Line;
use crate::workload::Random;

/// No child takes as long to open its file.
const LONGEST_OPENING: Duration = Duration::from_secs(30);
/// A child that says little is killed by then.
const LONGEST_WORK: Duration = Duration::from_millis(350);

/// When the child is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    /// So long after it was started: while it opens the file, and recovers what the last one left.
    Opening(Duration),
    /// So long after it began to work.
    Working(Duration),
    /// As soon as it announces so many things: with luck, while that is being committed.
    Announced(usize),
    /// As soon as so many things are acknowledged.
    Acknowledged(usize),
}

impl Moment {
    fn draw(random: &mut Random) -> Self {
        match random.below(20) {
            0 | 1 => Moment::Opening(Duration::from_micros(random.below(30_000) as u64)),
            2..=9 => Moment::Working(Duration::from_millis(10 + random.below(220) as u64)),
            10..=16 => Moment::Announced(1 + random.below(60)),
            _ => Moment::Acknowledged(1 + random.below(50)),
        }
    }
}

/// What a child said before it was killed.
#[derive(Debug)]
pub struct Heard {
    pub lines: Vec<Line>,
    /// False where it ended by itself, which it never should.
    pub was_killed: bool,
}

/// Runs one child until its moment has come.
pub fn run(file: &Path, seed: u64, cycle: u64) -> Result<Heard> {
    let moment = Moment::draw(&mut Random::of(&[seed, cycle, 6]));
    let mut child = Command::new(std::env::current_exe()?)
        .args(["crash", "--child"])
        .arg(file)
        .args(["--seed", &seed.to_string(), "--cycle", &cycle.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let lines = listen(&mut child)?;
    let mut heard = Vec::new();
    let is_there = wait(moment, &lines, &mut heard);
    child.kill()?;
    let status = child.wait()?;
    // What it said before it died stands.
    heard.extend(lines.iter());
    let lines: Result<Vec<Line>> = heard.iter().map(|text| read(text)).collect();
    Ok(Heard {
        lines: lines?,
        was_killed: is_there && was_killed(status),
    })
}

/// The child's whole lines, as they come. One that was cut off was never said.
fn listen(child: &mut Child) -> Result<Receiver<String>> {
    let output = child.stdout.take().ok_or("the child has no stdout")?;
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        let mut output = BufReader::new(output);
        let mut line = String::new();
        while output.read_line(&mut line).is_ok_and(|length| length > 0) && line.ends_with('\n') {
            if sender.send(std::mem::take(&mut line)).is_err() {
                break;
            }
        }
    });
    Ok(lines)
}

/// Waits until the moment has come. False where the child ended before.
fn wait(moment: Moment, lines: &Receiver<String>, heard: &mut Vec<String>) -> bool {
    let mut deadline = Instant::now();
    deadline += match moment {
        Moment::Opening(after) => after,
        _ => LONGEST_OPENING,
    };
    let (mut announced, mut acknowledged) = (0, 0);
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let line = match lines.recv_timeout(left) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        };
        // Only the beginning is looked at: reading all of it would take time in which it goes on.
        let is_announced = line.starts_with("{\"announce\"");
        announced += usize::from(is_announced);
        acknowledged += usize::from(line.starts_with("{\"ack\""));
        let is_ready = line.starts_with("{\"ready\"");
        heard.push(line);
        match moment {
            Moment::Announced(most) if is_announced && announced >= most => return true,
            Moment::Acknowledged(most) if !is_announced && acknowledged >= most => return true,
            Moment::Working(after) if is_ready => deadline = Instant::now() + after,
            Moment::Announced(_) | Moment::Acknowledged(_) if is_ready => {
                deadline = Instant::now() + LONGEST_WORK;
            }
            _ => {}
        }
    }
}

fn read(text: &str) -> Result<Line> {
    serde_json::from_str(text).map_err(|error| format!("the child said {text:?}: {error}").into())
}

#[cfg(unix)]
fn was_killed(status: ExitStatus) -> bool {
    const SIGKILL: i32 = 9;
    std::os::unix::process::ExitStatusExt::signal(&status) == Some(SIGKILL)
}

#[cfg(not(unix))]
fn was_killed(status: ExitStatus) -> bool {
    !status.success()
}
