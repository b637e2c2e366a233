//! What is found and what is not, and what holds for any text.

use proptest::prelude::*;

use super::*;

fn found(reply: &str) -> Vec<(&str, PhrasingKind)> {
    let all = check_phrasing(reply, &[]);
    all.iter()
        .map(|one| {
            let span = one.span.start as usize..one.span.end as usize;
            (&reply[span], one.kind)
        })
        .collect()
}

#[test]
fn the_forms_of_the_document_are_found_with_what_to_say_instead() {
    for (reply, form, suggestion) in [
        (
            "You believe in early starts.",
            "You believe",
            "You mentioned that",
        ),
        (
            "You think that meetings waste time.",
            "You think that",
            "You previously told me that",
        ),
        (
            "You are the type of person who plans ahead.",
            "You are the type of person who",
            "You previously told me that you",
        ),
        (
            "Your personality suggests a quiet flat.",
            "Your personality suggests",
            "Based on your preference for",
        ),
        (
            "I booked it because you believe in rail.",
            "you believe",
            "you mentioned that",
        ),
        (
            "Deep down you feel that it is over.",
            "Deep down you feel that",
            "I remember you said that",
        ),
    ] {
        let all = check_phrasing(reply, &[]);
        let [one] = &all[..] else {
            panic!("{reply}: {all:?}");
        };
        assert_eq!(&reply[one.span.start as usize..one.span.end as usize], form);
        assert_eq!(one.suggestion, suggestion);
    }
}

#[test]
fn natural_variants_are_found() {
    use PhrasingKind::{Belief, Feeling, Personality, Thought, Type};
    let mut missed = Vec::new();
    for (reply, kind) in [
        ("You really believe that fish is bad for you.", Belief),
        ("You've always believed in index funds.", Belief),
        ("You seem to believe that it will rain.", Belief),
        ("You don't believe in horoscopes.", Belief),
        ("You no longer believe in it being cheap.", Belief),
        ("You're convinced that Rex is a good dog.", Belief),
        ("You are firmly of the opinion that tea is better.", Belief),
        ("You hold the view that less is more.", Belief),
        ("My notes say that you believe in fate.", Belief),
        (
            "Since you believe that mornings are best, I moved it.",
            Belief,
        ),
        ("I know you believe in it, so I left it.", Belief),
        ("You think meetings after four are a waste.", Thought),
        ("You don't think the bank is honest.", Thought),
        ("You used to think that Ghent was dull.", Thought),
        ("Apparently you think that your boss dislikes you.", Thought),
        ("You are thinking that it costs too much.", Thought),
        ("You feel that nobody listens.", Feeling),
        ("You feel strongly about animals.", Feeling),
        ("Deep down, you want to move.", Feeling),
        ("Deep down you feel lonely.", Feeling),
        ("In your heart, you know the answer.", Feeling),
        ("You secretly enjoy the attention.", Feeling),
        ("You’re the kind of person who never gives up.", Type),
        ("You're exactly the sort of person that forgets keys.", Type),
        ("You are someone who needs order.", Type),
        ("You seem to be the type of person who likes quiet.", Type),
        ("You strike me as careful with money.", Type),
        ("You come across as a careful reader.", Type),
        ("You sound like someone who needs a break.", Type),
        ("You're one of those people who plan.", Type),
        ("At heart, you are a teacher.", Type),
        (
            "Your personality type means that you avoid risk.",
            Personality,
        ),
        ("Your temperament suggests slow travel.", Personality),
        (
            "Given your personality, I would skip the party.",
            Personality,
        ),
        ("Based on your personality, funds fit.", Personality),
        ("*You* **believe** in early starts.", Belief),
        ("Noted.\n\n- You believe in rail\n", Belief),
        ("Du glaubst, dass Tee besser ist.", Belief),
        ("Du bist der Typ Mensch, der plant.", Type),
        ("Offenbar denkst du, dass es teuer ist.", Thought),
        ("Deine Persönlichkeit deutet auf Ruhe hin.", Personality),
        ("Crees que el té es mejor.", Belief),
        ("Tú piensas que es caro.", Thought),
        ("Eres el tipo de persona que planifica.", Type),
        ("Tu personalidad sugiere calma.", Personality),
        ("En el fondo quieres mudarte.", Feeling),
        ("Tu crois que le thé est meilleur.", Belief),
        ("Vous pensez que c'est cher.", Thought),
        ("Tu es le genre de personne qui planifie.", Type),
        ("Ta personnalité suggère le calme.", Personality),
    ] {
        let all = found(reply);
        if !matches!(&all[..], [(_, of)] if *of == kind) {
            missed.push((reply, all));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn what_was_said_asked_or_quoted_is_no_finding() {
    for reply in [
        // What the document allows.
        "You previously told me that you prefer tea.",
        "Based on your preference for trains, I looked at rail.",
        "You mentioned that you believe in early starts.",
        "I remember you said you think meetings are a waste.",
        "As you told me, you believe in rail.",
        "You've told me you feel that nobody listens.",
        "In your own words, you believe in luck.",
        // Questions.
        "Do you think that works?",
        "What do you believe?",
        "You think so?",
        "Don't you think that it is late?",
        "Are you the type of person who plans?",
        "Would you believe it is already May?",
        "You believe in ghosts?",
        // Conditions, wishes, idioms.
        "If you think about it, it is cheap.",
        "If you believe that it is wrong, tell me.",
        "You would think so.",
        "You'd think that trains are slow.",
        "You might think that it is expensive.",
        "You won't believe the price.",
        "Whenever you feel like it, write.",
        "Let me know what you think.",
        "Tell me how you feel.",
        "Take all the time you need to think.",
        "I think you should rest.",
        "I believe you.",
        "I think you can do it.",
        "Pick the one you think fits best.",
        "Choose whichever you believe is right.",
        "Do as you think best.",
        "Glad you think so!",
        "I'm happy you feel that way.",
        "You can think of it as a loan.",
        "You think about moving sometimes.",
        "Feel free to ask.",
        "Once you feel ready, go.",
        "If you're the type of person who plans, start early.",
        "Your personality matters to me.",
        "You are a member of the choir.",
        "You kind of asked for it.",
        "It is easier than you think.",
        "More people agree than you think.",
        "It depends on whether you believe the news.",
        // Not the reply's own words.
        "You wrote: \"you believe in ghosts\".",
        "She says “you think that I am wrong” a lot.",
        "The song goes 'you believe in love'.",
        "> You believe in ghosts.\n\nWas that yours?",
        "```\nYou believe in ghosts.\n```",
        "Run `you believe that` in a shell.",
        // Other languages.
        "Du hast mir erzählt, dass du glaubst, dass Tee besser ist.",
        "Was denkst du darüber?",
        "Glaubst du, dass es regnet?",
        "Wenn du glaubst, dass es regnet, bleib hier.",
        "¿Crees que lloverá?",
        "Si crees que es caro, dímelo.",
        "Me dijiste que crees en la suerte.",
        "Mencionaste que piensas que es caro.",
        "Tu m'as dit que tu crois que le thé est meilleur.",
        "Si tu penses que c'est cher, dis-le.",
        "Qu'est-ce que tu penses que je dois faire ?",
    ] {
        assert_eq!(found(reply), [], "{reply}");
    }
}

#[test]
fn what_the_user_wrote_may_be_repeated() {
    let reply = "The chorus is: you believe in magic and more.";
    assert_eq!(check_phrasing(reply, &[]).len(), 1);
    assert!(check_phrasing(reply, &["I wrote a song: You believe in Magic!"]).is_empty());
    // What they say of themselves is not what is said of them.
    let reply = "You believe in magic.";
    assert_eq!(check_phrasing(reply, &["I believe in magic."]).len(), 1);
}

#[test]
fn several_are_told_in_order() {
    let reply = "You believe in rail. Fine. You're the kind of person who plans, and you think that it pays.";
    let kinds: Vec<PhrasingKind> = found(reply).into_iter().map(|(_, kind)| kind).collect();
    use PhrasingKind::{Belief, Thought, Type};
    assert_eq!(kinds, [Belief, Type, Thought]);
}

#[test]
fn a_reply_that_goes_on_and_on_is_read_like_any_other() {
    // A stack that ran over, or time that grew with the square of it, would not come to an end.
    for word in ["really ", "are ", "have ", "be "] {
        let reply = format!("you {}", word.repeat(20_000));
        assert!(check_phrasing(&reply, &[]).is_empty());
    }
    let many = "You believe in it. ".repeat(5_000);
    let said = ["I like tea"; 500];
    assert!((100..110).contains(&check_phrasing(&many, &said).len()));
    let end = format!("{}é You believe in it.", "x".repeat(LONGEST_REPLY - 1));
    assert!(check_phrasing(&end, &[]).is_empty());
}

#[test]
fn forms_are_written_as_tables_are_read() {
    for table in [
        &english::TABLE,
        &german::TABLE,
        &spanish::TABLE,
        &french::TABLE,
    ] {
        for (kind, form) in table.forms {
            assert!(!table.suggestion(*kind).is_empty(), "{form}");
            assert_eq!(form.to_lowercase(), *form);
            assert!(form.split(' ').all(|part| !part.is_empty()), "{form}");
        }
    }
}

proptest! {
    #[test]
    fn any_text_is_read_and_places_are_in_it(
        parts in prop::collection::vec(
            prop_oneof![
                Just("You".to_owned()), Just("you're".to_owned()), Just("believe".to_owned()),
                Just("think that".to_owned()), Just("the type of person who".to_owned()),
                Just("\"".to_owned()), Just("“".to_owned()), Just("```".to_owned()), Just("\n".to_owned()),
                Just("> ".to_owned()), Just("'".to_owned()), Just("?".to_owned()), Just(", ".to_owned()),
                Just("crees que".to_owned()), Just("Persönlichkeit".to_owned()), "\\PC{0,6}",
            ],
            0..24,
        ),
        said in "\\PC{0,40}",
    ) {
        let reply = parts.join(" ");
        let mut end = 0;
        for one in check_phrasing(&reply, &[&said]) {
            let (start, stop) = (one.span.start as usize, one.span.end as usize);
            prop_assert!(end <= start && start < stop && stop <= reply.len());
            prop_assert!(reply.is_char_boundary(start) && reply.is_char_boundary(stop));
            prop_assert!(!one.suggestion.is_empty());
            end = stop;
        }
    }

    #[test]
    fn any_bytes_are_read(reply in "(?s).{0,200}") {
        check_phrasing(&reply, &[&reply]);
    }
}
