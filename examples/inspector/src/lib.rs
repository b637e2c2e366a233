//! The Memory page in a browser, on loopback, with a REST API under it.
//!
//! No rule of memory lives here. [`routes`] is one table: each entry says what it takes and which request of
//! keepmind it becomes, and both the router and the OpenAPI document are made from it. The page itself is plain
//! files under `page/`, inside the binary.
//!
//! To put the API into a host of your own, copy `routes`, `route`, `words`, `api` and `problem`, and answer in
//! `accounts` who is asking.

pub mod accounts;
pub mod api;
pub mod arguments;
pub mod assets;
pub mod changes;
pub mod demo;
pub mod guard;
pub mod live;
pub mod openapi;
pub mod own;
pub mod problem;
pub mod route;
pub mod routes;
pub mod server;
pub mod words;
