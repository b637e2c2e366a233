//! What is written, as it is written: server-sent events from the change feed, of this server's writes at once and
//! of other processes' within a second.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use keepmind::{Result, Revision, UserMemory};
use serde_json::Value;
use tokio::sync::watch;

use crate::changes;

/// How often other processes' writes are looked for.
const EVERY: Duration = Duration::from_secs(1);

struct Following {
    memory: UserMemory,
    written: watch::Receiver<()>,
    from: Revision,
    told: VecDeque<Value>,
}

/// Follows the feed from where it stands now.
pub async fn events(memory: UserMemory, written: watch::Receiver<()>) -> Result<Response> {
    let from = changes::now(&memory).await?;
    let following = Following {
        memory,
        written,
        from,
        told: VecDeque::new(),
    };
    // So that a page knows that nothing from here on is missed.
    let ready = Event::default().event("ready").data(from.count.to_string());
    let events = stream::unfold((following, Some(ready)), |(mut following, first)| async {
        let event = match first {
            Some(ready) => ready,
            None => {
                let change = following.next().await?;
                Event::default().event("change").data(change.to_string())
            }
        };
        Some((Ok::<_, Infallible>(event), (following, None)))
    });
    Ok(Sse::new(events)
        .keep_alive(KeepAlive::default())
        .into_response())
}

impl Following {
    /// The next change; nothing more when the memory was closed or cannot be read: the page asks anew.
    async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(change) = self.told.pop_front() {
                return Some(change);
            }
            let (told, next) = changes::since(&self.memory, self.from).await.ok()?;
            self.told.extend(told);
            self.from = next;
            if self.told.is_empty() {
                tokio::select! {
                    rung = self.written.changed() => rung.ok()?,
                    () = tokio::time::sleep(EVERY) => {}
                }
            }
        }
    }
}
