//! Who may ask at all: this machine's own browser on this page, and no other site through it.
//!
//! A page elsewhere can make a browser send requests here. It cannot read a token, but nothing shall rest on that
//! alone: a request is answered only under a name of this machine (a site whose name was pointed here, DNS
//! rebinding, has another), and only for a page of this server.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::problem::Problem;

/// Nothing but this server's own files; no inline script or style, no frame, no form, no HTML made from text.
const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
     require-trusted-types-for 'script'; trusted-types 'none'";

const HEADERS: &[(&str, &str)] = &[
    ("content-security-policy", CONTENT_POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cache-control", "no-store"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    (
        "permissions-policy",
        "camera=(), geolocation=(), microphone=()",
    ),
];

/// Turns away what comes from elsewhere, and says with every answer what a browser may do with it.
pub async fn guard(request: Request, next: Next) -> Response {
    let mut response = match refusal(request.headers()) {
        None => next.run(request).await,
        Some(problem) => problem.into_response(),
    };
    for (name, value) in HEADERS {
        let (name, value) = (
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
        response.headers_mut().insert(name, value);
    }
    response
}

fn refusal(headers: &HeaderMap) -> Option<Problem> {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or(""));
    let host = text(header::HOST).unwrap_or_default();
    if !is_this_machine(host) {
        let message = "ask under the address that the server showed when it started";
        let status = StatusCode::MISDIRECTED_REQUEST;
        return Some(Problem::new(status, "wrong_host", message));
    }
    let is_own_origin =
        text(header::ORIGIN).is_none_or(|origin| origin.strip_prefix("http://") == Some(host));
    let is_own_page = text(HeaderName::from_static("sec-fetch-site"))
        .is_none_or(|site| matches!(site, "same-origin" | "none"));
    if !is_own_origin || !is_own_page {
        let message = "only a page of this server may ask";
        return Some(Problem::new(StatusCode::FORBIDDEN, "cross_site", message));
    }
    None
}

/// The names that lead nowhere but here, with any port: which one it is does not matter, since nobody else can
/// have it.
fn is_this_machine(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port))
            if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            name
        }
        _ => host,
    };
    ["127.0.0.1", "localhost", "[::1]"]
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(headers: &[(&'static str, &'static str)]) -> Option<u16> {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| {
                (
                    HeaderName::from_static(name),
                    HeaderValue::from_static(value),
                )
            })
            .collect();
        refusal(&headers).map(|problem| problem.status.as_u16())
    }

    #[test]
    fn only_names_of_this_machine_are_answered() {
        for host in ["127.0.0.1:7341", "localhost:80", "LOCALHOST", "[::1]:7341"] {
            assert_eq!(status(&[("host", host)]), None, "{host}");
        }
        for host in [
            "",
            "evil.example",
            "evil.example:7341",
            "127.0.0.1.evil.example:7341",
            "localhost:7341:1",
            "127.0.0.1@evil.example",
            "127.0.0.1:x",
        ] {
            assert_eq!(status(&[("host", host)]), Some(421), "{host}");
        }
        assert_eq!(status(&[]), Some(421));
    }

    #[test]
    fn no_other_site_asks_through_a_browser() {
        let host = ("host", "127.0.0.1:7341");
        assert_eq!(status(&[host, ("origin", "http://127.0.0.1:7341")]), None);
        assert_eq!(status(&[host, ("sec-fetch-site", "same-origin")]), None);
        assert_eq!(status(&[host, ("sec-fetch-site", "none")]), None);
        for other in [
            ("origin", "http://evil.example"),
            ("origin", "null"),
            ("origin", "http://127.0.0.1:7342"),
            ("origin", "https://127.0.0.1:7341"),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
        ] {
            assert_eq!(status(&[host, other]), Some(403), "{other:?}");
        }
    }
}
