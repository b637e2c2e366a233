//! Queries that nobody means: they find what they can, or say what is wrong, and never fail otherwise.

use keepmind::command::Recall;
use keepmind::{Policy, UserMemory};
use keepmind_tests::host::{each, on_every_store};

use super::{Meanings, contents};

async fn some(alice: &UserMemory) {
    for content in [
        "Likes green tea",
        "ชอบดื่มชา",
        "我喜欢喝绿茶",
        "🍵 is a cup of tea",
        "The Who",
    ] {
        alice.save(content).await.unwrap();
    }
}

#[tokio::test]
async fn odd_queries_find_what_they_can() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        some(&alice).await;
        for (query, first) in [
            ("the who", Some("The Who")),
            ("of and to", None),
            ("😀😀😀", None),
            ("tea 绿茶 ชา", Some("我喜欢喝绿茶")),
            (
                "\" OR 1=1 -- NEAR(tea, 3) AND content:*",
                Some("Likes green tea"),
            ),
            ("(((((", None),
            ("%_%", None),
            ("green-tea", Some("Likes green tea")),
        ] {
            let hits = alice.recall(query).await.unwrap();
            match first {
                Some(first) => assert!(contents(&hits).contains(&first), "{query}: {hits:?}"),
                None => assert!(!contents(&hits).contains(&"Likes green tea"), "{query}"),
            }
        }
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_looked_for_is_refused_with_a_code() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        some(&alice).await;
        for (query, code) in [
            ("", "E_EMPTY"),
            (" \n\t", "E_EMPTY"),
            ("\u{200b}", "E_EMPTY"),
            ("tea\0", "E_CONTROL_CHARS"),
            ("\u{202e}tea", "E_CONTROL_CHARS"),
        ] {
            let refused = alice.recall(query).await.unwrap_err();
            assert_eq!(refused.code(), Some(code), "{query:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_query_of_a_megabyte_and_a_limit_of_a_billion_are_bounded() {
    let embedder = Meanings::new();
    let plugged = |builder: keepmind::KeepmindBuilder| builder.embedder(embedder.clone());
    each(Policy::default(), plugged, async |host| {
        let alice = host.alice();
        some(&alice).await;
        let megabyte = "green tea ".repeat(110_000);
        let hits = alice.recall(megabyte.as_str()).await.unwrap();
        assert!(
            contents(&hits).contains(&"Likes green tea"),
            "{}",
            host.store
        );
        let hits = alice
            .recall(Recall::new("tea").limit(1_000_000_000))
            .await
            .unwrap();
        assert_eq!(hits.len(), 5);
        let refused = alice.recall(Recall::new("tea").limit(0)).await.unwrap_err();
        assert_eq!(refused.code(), Some("E_SCHEMA"));
    })
    .await;
}

#[tokio::test]
async fn requests_in_json_are_read_strictly() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        some(&alice).await;
        let good = r#"{"query":"recall","text":"tea","layer":"fact","source":"user","min_confidence":0.5,
            "since_until":"2100-01-01T00:00:00Z"}"#;
        assert!(alice.request(good).await.unwrap().contains("green tea"));
        for (field, told) in [
            (r#""layer":"message""#, "expected"),
            (r#""source":"me""#, "expected"),
            (r#""tags":"one""#, "a sequence"),
            (r#""min_confidence":"high""#, "f64"),
            (r#""since_from":"yesterday""#, "RFC 3339"),
            (r#""as_of":{"valid":"2026-01-01T00:00:00Z"}"#, "known"),
            (r#""as_of":{"valid":"2026-01-01T00:00:00Z","known":"2026-01-01T00:00:00Z","x":1}"#, "x"),
        ] {
            let json = format!(r#"{{"query":"recall","text":"tea",{field}}}"#);
            let refused = alice.request(&json).await.unwrap_err().to_string();
            assert!(refused.contains(told), "{field}: {refused}");
        }
    })
    .await;
}
