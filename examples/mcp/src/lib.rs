//! keepmind as a server of the Model Context Protocol, over stdio and streamable HTTP: the memory tools, memories
//! as resources in Markdown, the block as a prompt, and a word to every client when something has changed.
//!
//! No rule lives here. `host` is one user's memory as their clients share it; `server` answers one client from it;
//! `http` lets in whoever has a token; `reference` reads the file of the protocol's reference memory server.

pub mod arguments;
pub mod host;
pub mod http;
pub mod reference;
pub mod resources;
pub mod server;
