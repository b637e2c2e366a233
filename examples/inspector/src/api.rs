//! Answering an operation of the table: who asks, what is asked, what keepmind says to it.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{RawPathParams, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, on};
use keepmind::Keepmind;
use serde_json::Value;

use crate::accounts::{Account, Accounts};
use crate::own;
use crate::problem::Problem;
use crate::route::{Asked, Route, Run, Verb};
use crate::routes::ROUTES;

/// The most bytes of a body: more than any memory may be.
const LARGEST_BODY: usize = 256 << 10;

/// What every answer is made from.
#[derive(Debug)]
pub struct Api {
    /// The memory.
    pub keepmind: Keepmind,
    /// Who may ask.
    pub accounts: Accounts,
}

/// Every operation of the table.
pub fn routes(api: Arc<Api>) -> Router {
    let router =
        ROUTES.iter().fold(Router::new(), |router, route| {
            let method = match route.method {
                Verb::Get => MethodFilter::GET,
                Verb::Post => MethodFilter::POST,
                Verb::Patch => MethodFilter::PATCH,
                Verb::Delete => MethodFilter::DELETE,
            };
            let answer = move |State(api): State<Arc<Api>>,
                               path: RawPathParams,
                               request: Request| async move {
                let id = path.iter().next().map(|(_, id)| id.to_owned());
                let answered = answer(&api, route, id.unwrap_or_default(), request).await;
                answered.unwrap_or_else(Problem::into_response)
            };
            router.route(route.path, on(method, answer))
        });
    router.with_state(api)
}

async fn answer(
    api: &Api,
    route: &Route,
    id: String,
    request: Request,
) -> Result<Response, Problem> {
    let (head, body) = request.into_parts();
    // Always read, so that the connection can be used again whatever is answered.
    let body = whole(body).await?;
    let account = who(api, &head.headers)?;
    let mut fields = route.read_query(head.uri.query().unwrap_or_default())?;
    if route.method.has_body() {
        says_json(&head.headers, &body)?;
        fields = route.read_body(&body)?;
    }
    let asked = Asked { id, fields };
    match route.run {
        Run::Own(wanted) => own::answer(api, &account, wanted, asked).await,
        Run::Request(in_words) => {
            let mut request = in_words(asked)?;
            request["user"] = account.memory.owner().as_str().into();
            let answered = ask(api, &request).await?;
            if route.method != Verb::Get {
                account.written.send_replace(());
            }
            Ok(json(answered))
        }
    }
}

/// Asks keepmind, for the user that the request names.
pub(crate) async fn ask(api: &Api, request: &Value) -> Result<String, Problem> {
    Ok(api.keepmind.request(&request.to_string()).await?)
}

/// An answer that is JSON already.
pub(crate) fn json(text: impl Into<Body>) -> Response {
    let kind = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, kind)], text.into()).into_response()
}

fn who(api: &Api, headers: &HeaderMap) -> Result<Arc<Account>, Problem> {
    let given = headers.get(header::AUTHORIZATION);
    let given = given.and_then(|value| value.to_str().ok()).unwrap_or("");
    let token = match given.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim(),
        _ => "",
    };
    api.accounts.of(token).ok_or_else(|| {
        let message =
            "send `Authorization: Bearer …` with the token that the server showed when it started";
        Problem::new(StatusCode::UNAUTHORIZED, "unauthorised", message)
    })
}

async fn whole(body: Body) -> Result<Bytes, Problem> {
    to_bytes(body, LARGEST_BODY).await.map_err(|_| {
        let message = format!("a body has at most {LARGEST_BODY} bytes");
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
    })
}

/// A body says that it is JSON: a form of another site cannot.
fn says_json(headers: &HeaderMap, body: &[u8]) -> Result<(), Problem> {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|value| value.to_str().ok()).unwrap_or("");
    let kind = kind.split(';').next().unwrap_or("").trim();
    if body.is_empty() || kind.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let message = "send the body as `Content-Type: application/json`";
    let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
    Err(Problem::new(status, "not_json", message))
}
