//! The built-in extractor on sentences of our own: by class, what is kept and what is not.

mod kept;
mod languages;
mod left;
mod properties;

use super::{Said, Statement, StatementKind, statements};
use crate::ids::{MessageNumber, MessageOrdinal, SessionId};
use crate::memory::Span;
use crate::message::{Message, MessageOrigin, Role, Utterance};
use crate::text::is_negated;
use crate::timestamp::Timestamp;

fn chat(said: &[(Role, &str)]) -> Vec<Message> {
    said.iter()
        .zip(1..)
        .map(|(&(role, content), number)| Message {
            session: SessionId::new(uuid::Uuid::nil()),
            number: MessageNumber::new(number).unwrap(),
            ordinal: MessageOrdinal::new(number).unwrap(),
            utterance: Utterance::new(role, content, Timestamp::UNIX_EPOCH),
        })
        .collect()
}

fn heard(said: &str) -> Vec<Statement> {
    statements(&chat(&[(Role::User, said)]))
}

fn contents(statements: &[Statement]) -> Vec<&str> {
    statements
        .iter()
        .map(|statement| statement.content.as_str())
        .collect()
}

fn quote<'content>(statement: &Statement, said: &'content str) -> &'content str {
    &said[statement.span.start as usize..statement.span.end as usize]
}

#[test]
fn lasting_statements_are_kept() {
    for (said, expected) in kept::KEPT {
        let found = heard(said);
        assert_eq!(contents(&found), *expected, "{said}");
        for statement in &found {
            let quote = quote(statement, said);
            assert_eq!(is_negated(quote), is_negated(&statement.content), "{said}");
            assert_eq!(
                crate::text::line(&statement.content).as_deref(),
                Ok(&*statement.content)
            );
        }
    }
}

#[test]
fn everything_else_is_left() {
    for said in left::LEFT {
        assert_eq!(contents(&heard(said)), [""; 0], "{said}");
    }
}

#[test]
fn a_language_is_a_table() {
    for (said, expected) in languages::SAID {
        assert_eq!(contents(&heard(said)), *expected, "{said}");
    }
}

#[test]
fn the_tables_are_in_the_form_they_are_looked_up_in() {
    for language in super::languages::ALL {
        for (_, list) in language.cues {
            for word in list.split_whitespace().flat_map(|phrase| phrase.split('_')) {
                assert_eq!(crate::text::fold(word), word);
            }
        }
        for frame in language.frames {
            assert_eq!(crate::text::fold(frame.said), frame.said);
        }
        for (person, _) in language.people {
            assert_eq!(crate::text::fold(person), *person);
        }
    }
}

#[test]
fn a_statement_says_what_it_does_and_what_it_is_about() {
    use Said::{Confirmation, Correction, New};
    use StatementKind::{Preference, Profile, Relationship, Style, Task, Work};
    let table = [
        ("I live in Ghent", New, Profile),
        ("I still live in Ghent", Confirmation, Profile),
        ("actually I live in Ghent", Correction, Profile),
        ("I no longer live in Ghent", Correction, Profile),
        ("I don't eat fish anymore", Correction, Preference),
        ("scratch that, my flight is on 4 March", Correction, Task),
        ("no, my son is 7, not 6", Correction, Relationship),
        ("my aunt lives in Ghent", New, Relationship),
        ("I work at the zoo", New, Work),
        ("always answer in Dutch", New, Style),
        ("I'm saving for a boat", New, Task),
    ];
    for (said, move_, kind) in table {
        let found = heard(said);
        assert_eq!(found.len(), 1, "{said}");
        assert_eq!((found[0].move_, found[0].kind), (move_, kind), "{said}");
    }
}

#[test]
fn what_took_the_place_of_what_ended_is_kept() {
    let found = heard("I'm not a trainee anymore, I'm the head chef");
    assert_eq!(contents(&found), ["User is the head chef"]);
    assert_eq!(found[0].move_, Said::Correction);
    let found = heard("we moved, it's Porto now");
    assert_eq!(contents(&found), ["User lives in Porto"]);
}

#[test]
fn a_correction_may_say_only_what_is_other() {
    let messages = chat(&[
        (
            Role::User,
            "My deadline is on 3 May. I fly from Basel on 5 May",
        ),
        (Role::User, "sorry, it's Zurich, not Basel"),
    ]);
    let found = statements(&messages);
    assert_eq!(
        contents(&found).last(),
        Some(&"User flies from Zurich on 5 May")
    );
    assert_eq!(found.last().map(|last| last.move_), Some(Said::Correction));
}

#[test]
fn remembering_is_asked_and_so_is_forgetting() {
    let found = heard("Remember that I park on level 3");
    assert!(found[0].remembered && !found[0].wants_forgotten);
    assert_eq!(contents(&found), ["User parks on level 3"]);
    let said = "please forget my old address";
    let found = heard(said);
    assert!(found[0].wants_forgotten);
    assert_eq!(quote(&found[0], said), "please forget my old address");
    assert!(heard("remember that my pin is 9911").is_empty());
    assert!(heard("forget it").is_empty() && heard("remember to call mum").is_empty());
}

#[test]
fn a_short_answer_answers_what_was_asked() {
    let answered = |asked: &str, answer: &str| {
        let found = statements(&chat(&[(Role::Assistant, asked), (Role::User, answer)]));
        contents(&found).join(" | ")
    };
    assert_eq!(
        answered("Where do you live?", "Ghent"),
        "User lives in Ghent"
    );
    assert_eq!(
        answered("What's your name?", "Mirela"),
        "User's name is Mirela"
    );
    assert_eq!(
        answered("Great. How old are you?", "41"),
        "User is 41 years old"
    );
    assert_eq!(answered("So you live in Ghent, right?", "yes"), "");
    assert_eq!(answered("Where do you live? What do you do?", "Ghent"), "");
    assert_eq!(answered("Shall I go on?", "Ghent"), "");
    assert_eq!(answered("Where do you live?", "why?"), "");
}

#[test]
fn only_typed_words_of_the_user_count() {
    let said = "I live in Ghent";
    for role in [Role::System, Role::Assistant, Role::Tool] {
        assert!(statements(&chat(&[(role, said)])).is_empty());
    }
    let mut messages = chat(&[(Role::User, said)]);
    messages[0].utterance.origin = MessageOrigin::Prefill;
    assert!(statements(&messages).is_empty());
    let mut messages = chat(&[
        (Role::User, "see"),
        (Role::User, "I run a bakery. I live in Ghent."),
    ]);
    messages[0].utterance.hidden = Some(said.to_owned());
    messages[1].utterance.untrusted = vec![Span { start: 16, end: 32 }];
    assert_eq!(contents(&statements(&messages)), ["User runs a bakery"]);
}

#[test]
fn what_is_pasted_or_quoted_is_left() {
    for said in [
        "```\nI live in Rome\n```",
        "what does `I live in Rome` parse to",
        "he wrote “I live in Rome and I love it”",
        "> I live in Rome\n> I love it",
        "Anna: I live in Rome\nTom: I love Rome",
        "Can you look at it?\nDear Sir,\nI live in Rome and I am a tailor.\nKind regards,\nJo",
        "correct this:\nI live in Rome",
        "here's the ad: I am a tailor",
    ] {
        assert!(heard(said).is_empty(), "{said}");
    }
    assert_eq!(
        contents(&heard("my favourite film is \"Paris, Texas\"")).len(),
        1
    );
}

#[test]
fn a_play_lasts_until_it_is_ended() {
    let said = [
        "let's role play, you are my guard",
        "I live in a tower",
        "ok stop pretending",
        "I live in Ghent",
    ];
    let said: Vec<_> = said.map(|said| (Role::User, said)).to_vec();
    assert_eq!(contents(&statements(&chat(&said))), ["User lives in Ghent"]);
}
