//! Learning memories from a chat: what the model proposes, code verifies. Pure functions from a chat, an
//! answer and what is known to what may be kept, each with its fate.

#![cfg_attr(
    not(test),
    expect(
        dead_code,
        reason = "a close does not ask for memories yet: it takes these steps in with the pipeline's last"
    )
)]

mod ground;
mod reply;
mod spoken;
