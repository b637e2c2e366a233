//! How the user wants to be served: what is asked of every answer, not of this one.

use super::super::StatementKind::Style;
use super::super::frames::Reading;
use super::super::words::Word;
use super::lasting::works_on;
use super::lists::{longest, starts};
use super::nouns::{MANNER, STYLE};
use super::rewrite::{lowered, turned};

/// Say that a wish is for all answers.
#[rustfmt::skip]
const STANDING: &[&str] = &[
    "always", "never", "ever", "from_now_on", "in_future", "in_the_future", "going_forward", "whenever",
    "every_time", "each_time", "by_default", "when_you_reply", "when_you_answer", "when_you_respond",
    "when_you_talk", "when_you_write", "when_you_explain", "when_you_show", "when_you_give",
    "when_you_suggest", "when_you_recommend", "in_your_answers", "in_your_replies", "in_your_responses",
    "in_your_messages", "your_answers", "your_replies", "your_responses", "your_messages",
    "your_explanations", "with_me", "when_talking_to_me", "when_replying", "when_answering", "when_i_ask",
    "for_all_future", "for_future", "in_general", "any_time", "anytime", "permanently",
];

/// What an assistant does for its user.
#[rustfmt::skip]
const SERVES: &[&str] = &[
    "use", "suggest", "recommend", "give", "show", "skip", "keep", "be", "answer", "reply", "respond",
    "write", "explain", "talk", "speak", "address", "include", "add", "mention", "ask", "start", "end",
    "begin", "put", "format", "make", "stop", "avoid", "leave", "assume", "round", "cite", "send",
    "propose", "tell", "offer", "sugarcoat", "sugar-coat", "repeat", "apologise", "apologize", "praise",
    "lecture", "quote", "link", "provide", "translate", "call", "say", "spell", "convert", "default",
    "stick", "go", "drop", "omit", "limit", "prefer", "check", "double-check", "warn", "remind", "list",
    "flatter", "patronise", "patronize", "correct", "book", "plan", "pick", "schedule", "refer",
];

/// What an instruction asks of every answer. `condition` is a clause before it: "when you show me code".
pub(in crate::extract::spoken) fn style(
    words: &[Word<'_>],
    condition: Option<&[Word<'_>]>,
    remember: bool,
) -> Option<Reading> {
    let all = || words.iter();
    if all().any(|word| {
        word.is(&[
            "this",
            "these",
            "it",
            "list",
            "following",
            "yet",
            "now",
            "here",
            "there",
            "today",
            "first",
        ])
    }) && !(starts_anywhere(words, &["from_now_on"])
        || remember && !words.iter().any(|word| word.is(&["this", "these", "list"])))
    {
        return None;
    }
    if works_on(words) && !starts_anywhere(words, &["from_now_on", "in_future", "going_forward"]) {
        return None;
    }
    let condition = condition.filter(|condition| {
        starts(
            condition,
            &[
                "when_you",
                "whenever_you",
                "if_you",
                "every_time_you",
                "when_i_ask",
                "whenever_i_ask",
                "when_answering",
                "when_replying",
            ],
        )
    });
    let standing = starts_anywhere(words, STANDING)
        || condition.is_some_and(|words| !starts(words, &["if_you"]))
        || remember;
    let mut at = 0;
    const OPENINGS: &[&str] = &[
        "please", "pls", "plz", "just", "always", "and", "also", "you_can", "kindly", "so", "then",
    ];
    loop {
        match longest(&words[at..], OPENINGS) {
            0 => break,
            taken => at += taken,
        }
    }
    let from = [
        ("from_now_on", 3),
        ("in_future", 2),
        ("going_forward", 2),
        ("in_the_future", 3),
        ("i_want_you_to", 4),
        ("i_would_like_you_to", 5),
        ("i_need_you_to", 4),
        ("feel_free_to", 3),
    ];
    if let Some((_, length)) = from
        .iter()
        .find(|(opening, _)| starts(&words[at..], &[opening]))
    {
        at += length;
        while starts(&words[at..], &["please", "always", "just"]) {
            at += 1;
        }
    }
    let rest = &words[at..];
    let first = rest.first()?;
    let always = words[..at].iter().any(|word| word.form == "always");
    // "never suggest", "don't ever suggest", "stop suggesting".
    let (wish, body) = if first.form == "never" {
        ("never wants the assistant to", &rest[1..])
    } else if first.form == "do" && rest.get(1).is_some_and(|word| word.form == "not") {
        let ever = usize::from(rest.get(2).is_some_and(|word| word.form == "ever"));
        ("doesn't want the assistant to", &rest[2 + ever..])
    } else if first.form == "no"
        && rest.len() <= 4
        && rest.get(1).is_some_and(|word| word.is(STYLE))
    {
        return made(words, format!("User wants {}", lowered(rest)));
    } else if starts(rest, &["i_would_like", "i_would_prefer", "i_want"])
        && rest.len() <= 8
        && rest.iter().any(|word| word.is(STYLE))
        && standing_noun(rest)
    {
        let skipped = if rest[1].form == "would" { 3 } else { 2 };
        return made(words, format!("User wants {}", turned(&rest[skipped..])));
    } else if starts(rest, &["i_do_not_want", "i_do_not_need"])
        && standing
        && rest.iter().any(|word| word.is(STYLE))
    {
        return made(words, format!("User doesn't want {}", turned(&rest[4..])));
    } else if first.is(MANNER)
        && rest.len() <= 4
        && standing_noun(rest)
        && (standing || words.len() > rest.len())
    {
        return made(words, format!("User wants {}", lowered(rest)));
    } else if always {
        ("always wants the assistant to", rest)
    } else {
        ("wants the assistant to", rest)
    };
    let verb = body.first().filter(|verb| verb.is(SERVES))?;
    if body.len() < 2 {
        return None;
    }
    let by_nature = body.iter().any(|word| word.is(STYLE))
        && verb.is(&[
            "use", "skip", "avoid", "stop", "keep", "go", "drop", "omit", "stick", "include",
            "limit", "leave", "cut", "add", "default",
        ])
        || verb.form == "be" && body.get(1).is_some_and(|word| word.is(MANNER))
        || starts(
            body,
            &[
                "be_more",
                "be_less",
                "talk_to_me",
                "speak_to_me",
                "sugarcoat_things",
                "speak_plainly",
                "address_me",
            ],
        )
        || verb.is(&["answer", "reply", "respond"])
            && starts(
                &body[1..],
                &[
                    "in",
                    "me_in",
                    "to_me_in",
                    "briefly",
                    "with_bullet",
                    "only_in",
                ],
            )
            && body.len() <= 6;
    let stops = verb.form == "stop"
        && body[1].is(&[
            "apologising",
            "apologizing",
            "lecturing",
            "repeating",
            "asking",
            "suggesting",
            "recommending",
            "using",
            "adding",
            "praising",
            "flattering",
            "calling",
            "saying",
            "ending",
            "starting",
            "giving",
            "telling",
            "being",
        ]);
    let by_nature = by_nature || stops || starts(body, &["use_the_word", "say_the_word"]);
    if !(standing || by_nature) {
        return None;
    }
    // "Go easy on the jargon": few of them.
    if starts(body, &["go_easy_on", "go_light_on"]) && body.len() > 3 {
        let rest = &body[3 + usize::from(body[3].form == "the")..];
        return made(words, format!("User wants few {}", lowered(rest)));
    }
    let mut content = format!("User {wish} {}", lowered(body));
    if let Some(condition) = condition {
        content.push(' ');
        content.push_str(&lowered(condition));
    }
    made(words, content)
}

fn standing_noun(words: &[Word<'_>]) -> bool {
    words.iter().any(|word| {
        word.is(&[
            "answers",
            "replies",
            "responses",
            "explanations",
            "metric",
            "celsius",
            "emojis",
            "bullet",
            "messages",
        ])
    })
}

/// Whether words say that a wish is for all answers, and nothing else.
pub(in crate::extract::spoken) fn is_standing(words: &[Word<'_>]) -> bool {
    starts(
        words,
        &[
            "always",
            "from_now_on",
            "in_future",
            "going_forward",
            "every_time",
            "ever",
            "by_default",
            "in_the_future",
            "in_general",
        ],
    )
}

fn made(words: &[Word<'_>], content: String) -> Option<Reading> {
    Some(Reading {
        length: words.len(),
        content,
        kind: Style,
    })
}

fn starts_anywhere(words: &[Word<'_>], list: &[&str]) -> bool {
    (0..words.len()).any(|at| starts(&words[at..], list))
}
