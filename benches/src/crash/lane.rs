//! One task of the child: asks, waits for the answer, says it, and asks the next.

use std::sync::Arc;

use keepmind::command::Update;
use keepmind::{
    Error, ErrorKind, Outcome, Push, SessionHandle, SessionId, UndoToken, UserMemory, Verdict,
};

use crate::crash::lines::{Answered, Asked};
use crate::crash::plan::{FactState, LastWrite, Next, OwnFact, Plan};
use crate::crash::voice::Voice;

/// A chat of a lane's.
#[derive(Debug)]
pub struct OwnChat {
    id: SessionId,
    handle: Option<SessionHandle>,
    is_trashed: bool,
    is_gone: bool,
}

impl OwnChat {
    /// A chat that was there before.
    pub fn found(id: SessionId, is_trashed: bool) -> Self {
        OwnChat {
            id,
            handle: None,
            is_trashed,
            is_gone: false,
        }
    }

    fn can_be_talked_in(&self) -> bool {
        !self.is_trashed && !self.is_gone
    }
}

#[derive(Debug)]
pub struct Lane {
    memory: UserMemory,
    plan: Plan,
    voice: Arc<Voice>,
    facts: Vec<OwnFact>,
    chats: Vec<OwnChat>,
}

type Answer = Result<Answered, Error>;

impl Lane {
    pub fn new(
        memory: UserMemory,
        plan: Plan,
        voice: Arc<Voice>,
        facts: Vec<OwnFact>,
        chats: Vec<OwnChat>,
    ) -> Self {
        Lane {
            memory,
            plan,
            voice,
            facts,
            chats,
        }
    }

    /// Goes on until the process is killed.
    pub async fn run(mut self) {
        loop {
            match self.plan.next() {
                Next::Save => self.save().await,
                Next::Open => self.open().await,
                next @ (Next::Update
                | Next::Forget
                | Next::Trash
                | Next::Restore
                | Next::Purge
                | Next::Undo
                | Next::Redo) => self.write(next).await,
                next => self.talk(next).await,
            }
        }
    }

    async fn save(&mut self) {
        let content = self.plan.sentence();
        let asked = Asked::Save {
            content: content.clone(),
        };
        let number = self.voice.announce(self.memory.owner().as_str(), &asked);
        let answer = self.memory.save(content).await.and_then(written);
        if let Ok(Answered::Written { number, token, .. }) = &answer {
            self.facts.push(OwnFact {
                number: *number,
                state: FactState::Live,
                last: token.map(|token| LastWrite {
                    token,
                    is_undone: false,
                    other: FactState::Out,
                }),
            });
        }
        self.acknowledge(number, answer);
    }

    async fn open(&mut self) {
        let number = self
            .voice
            .announce(self.memory.owner().as_str(), &Asked::Open);
        let opened = self.memory.open_session().await;
        let answer = opened.map(|handle| {
            let session = handle.id();
            self.chats.push(OwnChat {
                handle: Some(handle),
                ..OwnChat::found(session, false)
            });
            Answered::Opened { session }
        });
        self.acknowledge(number, answer);
    }

    /// Writes to a fact that it may be written to, where there is one.
    async fn write(&mut self, next: Next) {
        let fits = |fact: &OwnFact| match next {
            Next::Restore => fact.state == FactState::Aside,
            Next::Purge => fact.state != FactState::Out,
            Next::Undo => fact.last.is_some_and(|last| !last.is_undone),
            Next::Redo => fact.last.is_some_and(|last| last.is_undone),
            _ => fact.state == FactState::Live,
        };
        let Some(place) = self.plan.pick(&self.facts, fits) else {
            return;
        };
        let content = self.plan.sentence();
        let fact = &mut self.facts[place];
        let number = fact.number;
        let asked = match (next, fact.last) {
            (Next::Undo, Some(LastWrite { token, .. })) => Asked::Undo { number, token },
            (Next::Redo, Some(LastWrite { token, .. })) => Asked::Redo { number, token },
            (Next::Forget, _) => Asked::Forget { number },
            (Next::Trash, _) => Asked::Trash { number },
            (Next::Restore, _) => Asked::Restore { number },
            (Next::Purge, _) => Asked::Purge { number },
            _ => Asked::Update { number, content },
        };
        let announced = self.voice.announce(self.memory.owner().as_str(), &asked);
        let memory = &self.memory;
        let outcome = match &asked {
            Asked::Undo { token, .. } => memory.undo(*token).await,
            Asked::Redo { token, .. } => memory.redo(*token).await,
            Asked::Forget { .. } => memory.forget(number).await,
            Asked::Trash { .. } => memory.trash(number).await,
            Asked::Restore { .. } => memory.restore(number).await,
            Asked::Purge { .. } => memory.purge(number).await,
            Asked::Update { content, .. } => {
                memory.update(Update::new(number, content.clone())).await
            }
            _ => return,
        };
        let answer = outcome.and_then(written);
        if let Ok(Answered::Written { token, .. }) = &answer {
            fact.follow(next, *token);
        }
        self.acknowledge(announced, answer);
    }

    /// Does something with a chat with which it may be done, where there is one.
    async fn talk(&mut self, next: Next) {
        let fits = |chat: &OwnChat| match next {
            Next::TrashOrRestoreSession | Next::PurgeSession => !chat.is_gone,
            _ => chat.can_be_talked_in(),
        };
        let Some(place) = self.plan.pick(&self.chats, fits) else {
            return;
        };
        let is_trashed = self.chats[place].is_trashed;
        let Some((session, handle)) = self.handle(place).await else {
            return;
        };
        match next {
            Next::Push => self.push(&handle).await,
            Next::Close => close(&handle, &self.voice).await,
            Next::CloseWhilePushing => {
                // Announced before anything is said, so that whoever checks knows what overlapped.
                let number = announce_close(&handle, &self.voice);
                let closing = tokio::spawn({
                    let (handle, voice) = (handle.clone(), Arc::clone(&self.voice));
                    async move { finish_close(&handle, &voice, number).await }
                });
                for _ in 0..1 + self.plan.below(2) {
                    self.push(&handle).await;
                }
                if closing.await.is_err() {
                    std::process::exit(1);
                }
            }
            Next::Resume => {
                let number = self.announce(&Asked::Resume { session });
                let answer = handle.resume().await.map(|_| Answered::Done);
                self.acknowledge(number, answer);
            }
            Next::TrashOrRestoreSession if is_trashed => {
                let number = self.announce(&Asked::RestoreSession { session });
                let answer = done_or_missing(handle.restore().await);
                self.chats[place].is_gone = matches!(answer, Ok(Answered::Missing));
                self.chats[place].is_trashed = false;
                self.acknowledge(number, answer);
            }
            Next::TrashOrRestoreSession => {
                let number = self.announce(&Asked::TrashSession { session });
                let answer = handle.trash().await.map(|()| Answered::Done);
                self.chats[place].is_trashed = true;
                self.acknowledge(number, answer);
            }
            _ => {
                let number = self.announce(&Asked::PurgeSession { session });
                let answer = done_or_missing(handle.purge().await);
                self.chats[place].is_gone = true;
                self.acknowledge(number, answer);
            }
        }
    }

    async fn push(&mut self, handle: &SessionHandle) {
        let content = self.plan.sentence();
        let session = handle.id();
        let push = match self.plan.below(2) {
            0 => Push::user(content.clone()),
            _ => Push::assistant(content.clone()),
        };
        let number = self.announce(&Asked::Push { session, content });
        let pushed = handle.push(push).await;
        let answer = pushed.map(|pushed| Answered::Pushed {
            session,
            number: pushed.number.get(),
        });
        self.acknowledge(number, answer);
    }

    /// The handle of a chat; nothing where the sweep has emptied the trash meanwhile.
    async fn handle(&mut self, place: usize) -> Option<(SessionId, SessionHandle)> {
        let chat = &mut self.chats[place];
        if chat.handle.is_none() {
            chat.handle = self.memory.session(chat.id).await.ok();
            chat.is_gone = chat.handle.is_none();
        }
        Some((chat.id, chat.handle.clone()?))
    }

    fn announce(&self, asked: &Asked) -> u64 {
        self.voice.announce(self.memory.owner().as_str(), asked)
    }

    fn acknowledge(&self, number: u64, answer: Answer) {
        let answer = answer.map_err(|error| error.to_string());
        self.voice.acknowledge(number, answer);
    }
}

impl OwnFact {
    /// What the fact is after a write.
    fn follow(&mut self, next: Next, token: Option<UndoToken>) {
        if let (Next::Undo | Next::Redo, Some(last)) = (next, &mut self.last) {
            last.is_undone = next == Next::Undo;
            std::mem::swap(&mut last.other, &mut self.state);
            return;
        }
        let before = self.state;
        self.state = match next {
            Next::Forget | Next::Trash => FactState::Aside,
            Next::Purge => FactState::Out,
            _ => FactState::Live,
        };
        self.last = token.map(|token| LastWrite {
            token,
            is_undone: false,
            other: before,
        });
    }
}

fn announce_close(handle: &SessionHandle, voice: &Voice) -> u64 {
    let session = handle.id();
    voice.announce(handle.memory().owner().as_str(), &Asked::Close { session })
}

async fn close(handle: &SessionHandle, voice: &Voice) {
    let number = announce_close(handle, voice);
    finish_close(handle, voice, number).await;
}

async fn finish_close(handle: &SessionHandle, voice: &Voice, number: u64) {
    let answer = match handle.close().await {
        Ok(closed) => handle.record().await.map(|record| Answered::Closed {
            session: handle.id(),
            closing: closed.closing.into(),
            through: record.extracted_through.map_or(0, |last| last.get()),
        }),
        Err(error) => Err(error),
    };
    voice.acknowledge(number, answer.map_err(|error| error.to_string()));
}

/// What a write left of its fact.
fn written(outcome: Outcome) -> Answer {
    let number = outcome.number.filter(|_| outcome.verdict == Verdict::Done);
    let (Some(number), Some(event)) = (number, outcome.event) else {
        let message = format!("nothing was written: {}", outcome.line);
        return Err(Error::new(ErrorKind::Refused, "crash", message));
    };
    Ok(Answered::Written {
        number,
        content: event.after.map(|row| row.body.claim.content),
        token: event.undo,
    })
}

/// A chat in the trash may be swept away at any time.
fn done_or_missing(done: Result<(), Error>) -> Answer {
    match done {
        Ok(()) => Ok(Answered::Done),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Refused) => {
            Ok(Answered::Missing)
        }
        Err(error) => Err(error),
    }
}
