//! The child's stdout: whole lines, each out of the process before the next thing is done.

use std::io::{Write as _, stdout};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::crash::lines::{Answered, Asked, Line};

/// Numbers what is asked, and says so.
#[derive(Debug, Default)]
pub struct Voice(AtomicU64);

impl Voice {
    pub fn ready(&self) {
        say(&Line::Ready { ready: true });
    }

    /// Says what is about to be done. Returns its number.
    pub fn announce(&self, user: &str, asked: &Asked) -> u64 {
        let number = self.0.fetch_add(1, Ordering::Relaxed);
        say(&Line::Announced {
            announce: number,
            user: user.to_owned(),
            asked: asked.clone(),
        });
        number
    }

    /// Says what the library answered.
    pub fn acknowledge(&self, number: u64, answer: Result<Answered, String>) {
        say(&match answer {
            Ok(answered) => Line::Acknowledged {
                ack: number,
                answered,
            },
            Err(message) => Line::Failed {
                fail: number,
                message,
            },
        });
    }
}

fn say(line: &Line) {
    let said = serde_json::to_string(line).map(|text| text + "\n");
    let mut out = stdout().lock();
    let is_heard = said.is_ok_and(|text| {
        out.write_all(text.as_bytes())
            .and_then(|()| out.flush())
            .is_ok()
    });
    if !is_heard {
        // Nobody listens: whoever should have killed this process is gone.
        std::process::exit(1);
    }
}
