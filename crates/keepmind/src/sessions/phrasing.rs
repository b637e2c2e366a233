//! Whether a reply tells what the user said, or presumes what they think.

use crate::error::Result;
use crate::govern::{Phrasing, check_phrasing};
use crate::message::Role;
use crate::sessions::SessionHandle;

/// How many messages a reply may repeat the user's words from.
const LOOKED_BACK: usize = 500;

impl SessionHandle {
    /// Finds where a reply of the assistant's presumes what the user thinks, feels or is; see
    /// [`check_phrasing`]. What the user wrote lately in this chat may be repeated.
    pub async fn check_phrasing(&self, reply: impl AsRef<str> + Send) -> Result<Vec<Phrasing>> {
        let reply = reply.as_ref();
        // Most replies presume nothing, whatever was said.
        if check_phrasing(reply, &[]).is_empty() {
            return Ok(Vec::new());
        }
        let messages = self.recent_messages(LOOKED_BACK).await?;
        let users = messages
            .iter()
            .map(|message| &message.utterance)
            .filter(|utterance| utterance.role == Role::User);
        let said: Vec<&str> = users.map(|utterance| utterance.content.as_str()).collect();
        Ok(check_phrasing(reply, &said))
    }
}
