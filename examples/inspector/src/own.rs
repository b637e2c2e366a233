//! The few answers that are put together from several: what a page needs and no single request says.

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use keepmind::export::Reader;
use keepmind::{ApproximateTokens, TokenCounter};
use serde_json::{Value, json};

use crate::accounts::Account;
use crate::api::{self, Api, ask};
use crate::problem::Problem;
use crate::route::{Asked, Own};
use crate::{changes, live};

/// How many a list answers when it is not said.
const PAGE: usize = 100;

type Answered = Result<Response, Problem>;

pub(crate) async fn answer(api: &Api, account: &Account, wanted: Own, asked: Asked) -> Answered {
    let limit = asked.fields.get("limit").and_then(Value::as_u64);
    let limit = limit.map_or(PAGE, |limit| usize::try_from(limit).unwrap_or(PAGE));
    let memory = &account.memory;
    match wanted {
        Own::About => about(api, account).await,
        Own::Block => block(api, account).await,
        Own::Events => Ok(live::events(memory.clone(), account.written.subscribe()).await?),
        Own::Changes => {
            let changes = changes::latest(memory, limit).await?;
            Ok(api::json(json!({ "changes": changes }).to_string()))
        }
        Own::Export => Ok(file(
            memory.export().await?,
            "application/x-ndjson",
            "attachment; filename=\"memories.jsonl\"",
        )),
        Own::Markdown => Ok(file(
            memory.markdown(Reader::User).await?,
            "text/markdown; charset=utf-8",
            "attachment; filename=\"memories.md\"",
        )),
    }
}

fn file(text: String, kind: &'static str, name: &'static str) -> Response {
    let kind = (header::CONTENT_TYPE, HeaderValue::from_static(kind));
    let name = (header::CONTENT_DISPOSITION, HeaderValue::from_static(name));
    ([kind, name], text).into_response()
}

/// Whose memory it is, since when there is anything in it, and the names that the policy gives.
async fn about(api: &Api, account: &Account) -> Answered {
    let policy = api.keepmind.policy();
    let first = changes::first(&account.memory).await?;
    let categories: Vec<Value> = policy
        .categories
        .iter()
        .map(|category| {
            json!({
                "name": category.name,
                "title": category.title,
                "budget": category.budget,
                "writable": category.kind.is_writable(),
            })
        })
        .collect();
    let domains: Vec<Value> = policy
        .domains
        .iter()
        .map(|domain| json!({"name": domain.name, "title": domain.title, "opt_in": domain.opt_in}))
        .collect();
    let about = json!({
        "owner": account.memory.owner().as_str(),
        "policy": policy.name,
        "default_category": policy.default_category,
        "categories": categories,
        "domains": domains,
        "since": first,
    });
    Ok(api::json(about.to_string()))
}

/// The block byte for byte, with its size as the engine counted it.
async fn block(api: &Api, account: &Account) -> Answered {
    let request = json!({"user": account.memory.owner().as_str(), "request": "block"});
    let mut block: Value = serde_json::from_str(&ask(api, &request).await?).unwrap_or_default();
    let text = block["text"].as_str().unwrap_or_default();
    block["tokens"] = ApproximateTokens.count(text).into();
    block["budget"] = api.keepmind.policy().block.budget.into();
    Ok(api::json(block.to_string()))
}
