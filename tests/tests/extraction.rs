//! What a close learns from a chat: nothing invented, nothing lost, everything told.

#[path = "extraction/echo.rs"]
mod echo;
#[path = "extraction/failing.rs"]
mod failing;
#[path = "extraction/forgotten.rs"]
mod forgotten;
#[path = "extraction/gates.rs"]
mod gates;
#[path = "extraction/grounds.rs"]
mod grounds;
#[path = "extraction/kept.rs"]
mod kept;
#[path = "extraction/peers.rs"]
mod peers;
#[path = "extraction/without_model.rs"]
mod without_model;
