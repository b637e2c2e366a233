//! The OpenAPI document, written from the table of routes.

use serde_json::{Map, Value, json};

use crate::route::{Answers, Field, Route, Verb};
use crate::routes::ROUTES;

/// The document.
pub fn document() -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for route in ROUTES {
        let path = paths
            .entry(route.path)
            .or_insert_with(|| Value::Object(Map::new()));
        path[method(route.method)] = operation(route);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "keepmind inspector",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "One user's memory. What each answer holds is in docs/REQUESTS.md.",
            "license": {"name": "MIT OR Apache-2.0"},
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Outcome": outcome(), "Problem": problem()},
        },
    })
}

fn method(verb: Verb) -> &'static str {
    match verb {
        Verb::Get => "get",
        Verb::Post => "post",
        Verb::Patch => "patch",
        Verb::Delete => "delete",
    }
}

fn operation(route: &Route) -> Value {
    let mut parameters = Vec::new();
    if route.path.contains("{id}") {
        let about = "a memory's number or the id of a row, a proposal or a chat";
        let mut id = json!({
            "name": "id", "in": "path", "required": true, "description": about,
            "schema": {"type": "string", "minLength": 1},
        });
        if route.path.starts_with("/api/memory/") {
            id["example"] = "1".into();
        }
        parameters.push(id);
    }
    let mut operation = json!({
        "operationId": route.id,
        "summary": route.summary,
        "responses": responses(route),
    });
    if route.method.has_body() {
        operation["requestBody"] = body(route.takes);
    } else {
        parameters.extend(route.takes.iter().map(parameter));
    }
    operation["parameters"] = parameters.into();
    operation
}

fn parameter(field: &Field) -> Value {
    json!({
        "name": field.name,
        "in": "query",
        "required": field.is_needed,
        "description": field.about,
        "schema": field.kind.schema(),
    })
}

fn body(takes: &[Field]) -> Value {
    let properties: Map<String, Value> = takes
        .iter()
        .map(|field| {
            let mut schema = field.kind.schema();
            schema["description"] = field.about.into();
            (field.name.to_owned(), schema)
        })
        .collect();
    let needed: Vec<&str> = takes
        .iter()
        .filter(|field| field.is_needed)
        .map(|field| field.name)
        .collect();
    let schema = json!({
        "type": "object",
        "properties": properties,
        "required": needed,
        "additionalProperties": false,
    });
    json!({"required": !needed.is_empty(), "content": {"application/json": {"schema": schema}}})
}

fn responses(route: &Route) -> Value {
    let (kind, schema) = match route.answers {
        Answers::Outcome => (
            "application/json",
            json!({"$ref": "#/components/schemas/Outcome"}),
        ),
        Answers::Json(fields) => (
            "application/json",
            json!({"type": "object", "required": fields}),
        ),
        Answers::Text(kind) => (kind, json!({"type": "string"})),
    };
    let mut all = json!({"200": {"description": "done", "content": {kind: {"schema": schema}}}});
    let mut told = vec![
        ("400", "the input is wrong"),
        ("401", "no token, or an unknown one"),
        ("403", "another site asks"),
        ("421", "another name than this machine's"),
    ];
    if route.path.contains("{id}") || route.method != Verb::Get {
        told.push(("404", "there is no such thing"));
    }
    if route.method != Verb::Get {
        told.push(("409", "it changed meanwhile"));
        told.push(("422", "a rule says no"));
    }
    if route.method.has_body() {
        told.push(("413", "the body is too large"));
        told.push(("415", "the body is not JSON"));
    }
    for (status, description) in told {
        let schema = json!({"$ref": "#/components/schemas/Problem"});
        all[status] = json!({
            "description": description,
            "content": {"application/json": {"schema": schema}},
        });
    }
    all
}

fn outcome() -> Value {
    json!({
        "type": "object",
        "description": "what became of a command",
        "required": ["verdict", "line"],
        "properties": {
            "verdict": {"enum": ["done", "unchanged", "proposed"]},
            "line": {"type": "string"},
            "number": {"type": "integer"},
            "event": {"type": "object", "properties": {"line": {"type": "string"}, "undo": {"type": "string"}}},
        },
    })
}

fn problem() -> Value {
    json!({
        "type": "object",
        "required": ["error"],
        "properties": {"error": {
            "type": "object",
            "required": ["kind", "message"],
            "properties": {
                "kind": {"type": "string"},
                "code": {"type": "string", "description": "the stable name of the rule that objected"},
                "message": {"type": "string", "description": "what was wrong and what to do"},
            },
        }},
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn it_holds_every_operation_once() {
        let document = document();
        let paths = document["paths"].as_object().unwrap();
        let operations = paths.values().flat_map(|path| path.as_object().unwrap());
        let ids: BTreeSet<&str> = operations
            .map(|(_, operation)| operation["operationId"].as_str().unwrap())
            .collect();
        assert_eq!(ids.len(), ROUTES.len());
        for path in [
            "/api/memory",
            "/api/memory/{id}",
            "/api/memory/{id}/confirm",
        ] {
            assert!(paths.contains_key(path), "{path}");
        }
    }
}
