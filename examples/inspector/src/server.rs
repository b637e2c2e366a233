//! The server: the page, the API and its document behind one guard, on loopback only.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::http::StatusCode;
use axum::routing::get;
use axum::{Router, middleware};
use tokio::net::TcpListener;

use crate::api::{self, Api};
use crate::guard::guard;
use crate::problem::Problem;
use crate::{assets, openapi};

/// Everything that is served.
pub fn router(api: Arc<Api>) -> Router {
    let document = openapi::document().to_string();
    let document = move || async move { api::json(document) };
    Router::new()
        .merge(assets::routes())
        .merge(api::routes(api))
        .route("/openapi.json", get(document))
        .fallback(|| async {
            Problem::not_found("there is nothing here; /openapi.json says what there is")
        })
        .method_not_allowed_fallback(|| async {
            let message = "it is not asked like that; /openapi.json says how";
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method", message)
        })
        .layer(middleware::from_fn(guard))
}

/// Listens on this machine alone.
pub async fn listen(port: u16) -> io::Result<TcpListener> {
    TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], port))).await
}

/// Serves until it is told to stop, or cannot.
pub async fn serve(
    listener: TcpListener,
    api: Arc<Api>,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let served = axum::serve(listener, router(api));
    tokio::select! {
        served = served => served,
        // Pages that follow the feed never end by themselves: nobody waits for them.
        () = stop => Ok(()),
    }
}
