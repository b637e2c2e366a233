//! What went wrong, as HTTP says it: a status, and a body that says how to do it right.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use keepmind::{Error, ErrorKind};
use serde_json::json;

/// An answer that is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The status.
    pub status: StatusCode,
    /// What kind, for programs.
    pub kind: String,
    /// The stable name of the rule that objected, where one did.
    pub code: Option<String>,
    /// What was wrong and what to do. Never holds anybody's words.
    pub message: String,
}

impl Problem {
    /// The input is wrong.
    pub fn invalid(message: impl Into<String>) -> Self {
        Problem::new(StatusCode::BAD_REQUEST, "invalid", message)
    }

    /// There is no such thing.
    pub fn not_found(message: impl Into<String>) -> Self {
        Problem::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    /// With that status.
    pub fn new(status: StatusCode, kind: &str, message: impl Into<String>) -> Self {
        Problem {
            status,
            kind: kind.to_owned(),
            code: None,
            message: message.into(),
        }
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let (status, kind) = match error.kind() {
            ErrorKind::Invalid => (StatusCode::BAD_REQUEST, "invalid"),
            ErrorKind::NotFound => (StatusCode::NOT_FOUND, "not_found"),
            ErrorKind::Conflict => (StatusCode::CONFLICT, "conflict"),
            ErrorKind::Refused => (StatusCode::UNPROCESSABLE_ENTITY, "refused"),
            ErrorKind::Busy => (StatusCode::SERVICE_UNAVAILABLE, "busy"),
            ErrorKind::Full => (StatusCode::INSUFFICIENT_STORAGE, "full"),
            _ => (StatusCode::INTERNAL_SERVER_ERROR, "failed"),
        };
        Problem {
            code: error.code().map(str::to_owned),
            ..Problem::new(status, kind, error.message())
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut error = json!({"kind": self.kind, "message": self.message});
        if let Some(code) = self.code {
            error["code"] = code.into();
        }
        let body = json!({ "error": error }).to_string();
        let mut response = (self.status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        );
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
