//! The real table of WordLlama, where KEEPMIND_WORDLLAMA names the folder that scripts/weights.sh fetches.

use std::env;

use keepmind::Embedder;
use keepmind_embed::StaticEmbedder;

fn cosine(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(one, other)| one * other).sum()
}

#[tokio::test]
#[ignore = "needs KEEPMIND_WORDLLAMA"]
async fn what_means_the_same_is_near() {
    let folder = env::var_os("KEEPMIND_WORDLLAMA").expect("KEEPMIND_WORDLLAMA names a folder");
    let embedder = StaticEmbedder::load(&folder).expect("the weights load");
    assert_eq!(embedder.dimensions(), 256);
    // A text, one about the same in other words, and one about something else. English: the table hardly reaches
    // from one language to another.
    let cases = [
        (
            "My dog loves long walks",
            "The puppy enjoys hiking",
            "The invoice is overdue",
        ),
        (
            "I am allergic to peanuts",
            "Nuts make her ill",
            "Trains leave at noon",
        ),
        (
            "He works as a doctor",
            "Her job at the hospital",
            "Paint the fence green",
        ),
        (
            "We moved to Berlin in May",
            "They live in Germany now",
            "Tennis lessons cost too much",
        ),
        (
            "She plays the violin",
            "Practises music every evening",
            "Fixed a leaking tap",
        ),
    ];
    for (text, same, other) in cases {
        let vectors = embedder.embed(&[text, same, other]).await.expect("vectors");
        for vector in &vectors {
            assert_eq!(vector.len(), 256);
            assert!((cosine(vector, vector) - 1.0).abs() < 1e-4, "{text}");
        }
        let [near, far] = [1, 2].map(|place| cosine(&vectors[0], &vectors[place]));
        assert!(
            near > far + 0.15,
            "{text:?}: {near} to {same:?}, {far} to {other:?}"
        );
    }
    // The same bits, whatever else is asked for at once.
    let alone = embedder.vector(cases[0].0).expect("a vector");
    let together = embedder.embed(&[cases[1].0, cases[0].0]).await;
    assert_eq!(together.expect("vectors")[1], alone);
}
