//! English.

use crate::govern::phrasing::PhrasingKind::{Belief, Feeling, Personality, Thought, Type};
use crate::govern::phrasing::forms::Table;

#[rustfmt::skip]
pub(super) static TABLE: Table = Table {
    contractions: &[
        ("you're", "you are"), ("youre", "you are"), ("you've", "you have"), ("you'd", "you would"),
        ("you'll", "you will"), ("don't", "do not"), ("didn't", "did not"), ("doesn't", "does not"),
        ("i'm", "i am"), ("i've", "i have"), ("i'd", "i would"), ("that's", "that is"), ("it's", "it is"),
        ("haven't", "have not"), ("aren't", "are not"),
    ],
    adverbs: "really truly clearly obviously actually probably also still always often generally firmly \
        strongly genuinely certainly definitely apparently evidently just simply usually mostly largely \
        kind sort basically fundamentally essentially surely likely seemingly honestly seem appear tend \
        to do did not never no longer have had long already quite very much now used more be are were \
        exactly precisely rather typically naturally deeply both",
    forms: &[
        (Belief, "you ~ believe|believed|believing ?that"),
        (Belief, "you ~ are ~ convinced|persuaded ?that"),
        (Belief, "you ~ are ~ of the ?firm opinion|belief|view|conviction"),
        (Belief, "you ~ hold|have|share the|a|an ~ ?strong|?firm belief|view|opinion|conviction"),
        (Belief, "your ?deep|?core|?firm belief|conviction that|is"),
        (Thought, "you ~ think|thought|reckon|suppose|assume|presume ?that"),
        (Thought, "you ~ are ~ thinking ?that"),
        (Thought, "in your mind ?, you"),
        (Feeling, "you ~ feel|felt|sense that"),
        (Feeling, "you ~ feel|felt ~ strongly|deeply"),
        (Feeling, "deep down ?, ?inside ?, you ~ ?feel|?believe|?think|?know|?want|?are|?fear|?wish ?that"),
        (Feeling, "deep inside ?, you ~ ?feel|?believe|?think|?know|?want|?are|?fear|?wish ?that"),
        (Feeling, "in your heart ?, you"),
        (Feeling, "you ~ secretly|subconsciously|unconsciously|inwardly feel|believe|think|know|want|wish|fear|hope|enjoy|love|hate|resent"),
        (Type, "you ~ are|be ~ the|a|that ~ ?same|?exact|?rare type|kind|sort of ~ person|man|woman|guy|girl|individual|someone|human|user|people|parent|leader|worker|thinker ?who|?that"),
        (Type, "you ~ are|be ~ the|a type|kind|sort who|that|to"),
        (Type, "you ~ sound|seem|look like the|a type|kind|sort of"),
        (Type, "you ~ sound|seem|look like someone|somebody who|that"),
        (Type, "you ~ strike me as"),
        (Type, "you ~ come across as"),
        (Type, "you ~ are|be ~ someone|somebody who|that"),
        (Type, "you ~ are|be a person who|that"),
        (Type, "you ~ are|be one of those|these people"),
        (Type, "at heart ?, you ~ are"),
        (Type, "by nature ?, you ~ are"),
        (Personality, "your ?whole|?entire|?strong personality ?type|?profile|?traits ~ suggests|suggest|shows|show|indicates|indicate|tells|reveals|means|implies|points|says|makes|leads|is"),
        (Personality, "your character|temperament|nature|psyche|mindset|psychology ~ suggests|shows|indicates|tells|reveals|implies"),
        (Personality, "given|considering|knowing your personality|temperament|psyche|psychology"),
        (Personality, "based on your personality|temperament|psyche|psychology"),
        (Personality, "judging by|from your personality|temperament|psyche|psychology"),
    ],
    leads: "and but so also well now then yes yeah yep ok okay right sure hi hello hey no of course again \
        i know remember recall see guess think suspect believe assume gather noticed notice can tell \
        clearly obviously apparently evidently probably maybe perhaps surely honestly frankly indeed \
        it seems looks sounds appears like deep down that because since as although though while \
        given my memory memories notes say says show shows is am have mean means the fact from our chats \
        conversations past last time today overall basically ultimately fundamentally personally too",
    joints: "that because since and but so although though while therefore hence",
    opens: "if whether unless when whenever once until till what whatever how however why where wherever \
        which whichever who whoever whom do does did would could should can will might may shall must \
        let ask asking glad happy hope hoping wish pleased sorry case suppose imagine unsure wonder \
        wondering curious than before after anything everything all something nothing long soon far \
        thank thanks not more less better",
    turns: "about of through over ahead twice again fit best necessary back out aloud so me it highly \
        carefully hard fast like free better differently otherwise up right proper useful helpful big",
    told: &[
        "you ~ told|said|mentioned|wrote|shared|noted|explained|stated|described|expressed|asked|confirmed|announced|admitted|say|mention|wrote|tell",
        "you ~ previously|once|earlier|recently|first|last told|said|mentioned|wrote|shared|noted|explained|stated|described|expressed|asked",
        "you put it", "according to you", "in your own words", "in your words", "you pointed out",
        "your words", "you brought up",
    ],
    suggestions: &[
        (Belief, "you mentioned that"), (Thought, "you previously told me that"),
        (Feeling, "I remember you said that"), (Type, "you previously told me that you"),
        (Personality, "based on your preference for"),
    ],
};
