//! A chat for tests, on a store in memory and with a clock that stands still until it is moved.

use std::sync::Arc;
use std::time::Duration;

use keepmind::{Clock, CountingIds, InMemoryStore, Keepmind, ManualClock, Timestamp};

use crate::chat::Chat;
use crate::policy::policy;
use crate::screen::Style;

/// Runs a test in a chat that was just opened.
pub(crate) fn run(test: impl AsyncFnOnce(&mut Chat, &ManualClock)) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let start = Timestamp::parse("2026-03-02T09:00:00Z").unwrap();
        let clock = Arc::new(ManualClock::new(start));
        let keepmind = Keepmind::builder(Arc::new(InMemoryStore::new()))
            .policy(policy())
            .clock(clock.clone())
            .ids(CountingIds::default())
            .build()
            .unwrap();
        let (mut chat, _) = Chat::open(&keepmind, "ann", Style::default())
            .await
            .unwrap();
        test(&mut chat, &clock).await;
        chat.leave().await.unwrap();
    });
}

/// What a line is answered with.
pub(crate) async fn shown(chat: &mut Chat, line: &str) -> String {
    chat.take(line).await.text
}

/// That many days go by.
pub(crate) fn days_later(clock: &ManualClock, days: u64) {
    clock.set(
        clock
            .now()
            .saturating_add(Duration::from_secs(days * 86_400)),
    );
}
