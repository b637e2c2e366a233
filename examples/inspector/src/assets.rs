//! The page: its files, inside the binary. Nothing is built from them and nothing is fetched from elsewhere.

use axum::Router;
use axum::http::{HeaderValue, header};
use axum::response::IntoResponse;
use axum::routing::get;

macro_rules! files {
    ($($path:literal = $file:literal, $kind:literal;)+) => {
        /// Where it is served, what it is, and its bytes.
        pub const FILES: &[(&str, &str, &str)] = &[
            $(($path, $kind, include_str!(concat!("../page/", $file))),)+
        ];
    };
}

files! {
    "/" = "index.html", "text/html; charset=utf-8";
    "/style.css" = "style.css", "text/css; charset=utf-8";
    "/parts.css" = "parts.css", "text/css; charset=utf-8";
    "/icon.svg" = "icon.svg", "image/svg+xml";
    "/js/main.js" = "js/main.js", "text/javascript; charset=utf-8";
    "/js/api.js" = "js/api.js", "text/javascript; charset=utf-8";
    "/js/dom.js" = "js/dom.js", "text/javascript; charset=utf-8";
    "/js/words.js" = "js/words.js", "text/javascript; charset=utf-8";
    "/js/live.js" = "js/live.js", "text/javascript; charset=utf-8";
    "/js/notice.js" = "js/notice.js", "text/javascript; charset=utf-8";
    "/js/keys.js" = "js/keys.js", "text/javascript; charset=utf-8";
    "/js/virtual.js" = "js/virtual.js", "text/javascript; charset=utf-8";
    "/js/charts.js" = "js/charts.js", "text/javascript; charset=utf-8";
    "/js/rows.js" = "js/rows.js", "text/javascript; charset=utf-8";
    "/js/detail.js" = "js/detail.js", "text/javascript; charset=utf-8";
    "/js/timeline.js" = "js/timeline.js", "text/javascript; charset=utf-8";
    "/js/memories.js" = "js/memories.js", "text/javascript; charset=utf-8";
    "/js/proposals.js" = "js/proposals.js", "text/javascript; charset=utf-8";
    "/js/past.js" = "js/past.js", "text/javascript; charset=utf-8";
    "/js/chats.js" = "js/chats.js", "text/javascript; charset=utf-8";
    "/js/block.js" = "js/block.js", "text/javascript; charset=utf-8";
    "/js/health.js" = "js/health.js", "text/javascript; charset=utf-8";
    "/js/review.js" = "js/review.js", "text/javascript; charset=utf-8";
    "/js/changes.js" = "js/changes.js", "text/javascript; charset=utf-8";
    "/js/forgotten.js" = "js/forgotten.js", "text/javascript; charset=utf-8";
}

/// Serves them. They hold nobody's data, so they need no token.
pub fn routes() -> Router {
    FILES
        .iter()
        .fold(Router::new(), |router, &(path, kind, text)| {
            let answer = move || async move {
                let kind = HeaderValue::from_static(kind);
                ([(header::CONTENT_TYPE, kind)], text).into_response()
            };
            router.route(path, get(answer))
        })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The rule that keeps every memory text: none of the ways in which a browser reads text as anything else.
    #[test]
    fn no_script_makes_markup_of_text() {
        for (path, _, text) in FILES {
            for way in [
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
                "DOMParser",
                "createContextualFragment",
                "srcdoc",
                "eval(",
                "new Function",
                "javascript:",
                "http://",
                "https://",
                "<style",
                " style=",
                " onclick=",
            ] {
                let is_name = |line: &str| line.contains("http://www.w3.org/2000/svg");
                let found = text
                    .lines()
                    .any(|line| line.contains(way) && !is_name(line));
                assert!(!found, "{path} has {way}");
            }
        }
    }

    /// What the first view needs is asked for at once, and not found out file by file; the rest comes later, and all of
    /// it is there.
    #[test]
    fn what_the_first_view_needs_is_loaded_at_once_and_the_rest_later() {
        let text = |name: &str| {
            let path = format!("/js/{name}");
            FILES.iter().find(|file| file.0 == path).unwrap().2
        };
        let imports = |text: &'static str| {
            text.lines().filter_map(|line| {
                let from = line.strip_prefix("import ")?.split_once(" from './")?.1;
                from.strip_suffix("';")
            })
        };
        let mut needed = BTreeSet::from(["main.js"]);
        let mut waiting = vec!["main.js"];
        while let Some(name) = waiting.pop() {
            waiting.extend(imports(text(name)).filter(|import| needed.insert(import)));
        }
        let page = FILES[0].2;
        // The others are views that `main.js` asks for by name.
        let later = text("main.js").split("import('./").skip(1);
        let later = later.filter_map(|rest| rest.split_once("')"));
        let mut reached: BTreeSet<&str> = later.map(|(name, _)| name).collect();
        for name in reached.clone() {
            reached.extend(imports(text(name)));
        }
        reached.extend(&needed);
        let served = FILES.iter().filter_map(|file| file.0.strip_prefix("/js/"));
        assert_eq!(reached, served.collect::<BTreeSet<_>>());
        let named = page.split('"').filter_map(|part| part.strip_prefix("/js/"));
        assert_eq!(named.collect::<BTreeSet<_>>(), needed);
    }

    #[test]
    fn files_stay_small_and_all_are_served() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/page/js");
        let mut served: Vec<&str> = FILES
            .iter()
            .filter_map(|(path, ..)| path.strip_prefix("/js/"))
            .collect();
        let mut kept: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        served.sort_unstable();
        kept.sort_unstable();
        assert_eq!(served, kept);
        for (path, _, text) in FILES {
            assert!(text.lines().count() <= 300, "{path}");
        }
    }
}
