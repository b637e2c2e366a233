//! The classes of words by which topics are told, and the domains that they stand for. Which words
//! have them is in the tables beside this file; what they say together is in `topics`.

use crate::text::lexicon::Classes;

/// The domains that some preset holds to be sensitive, by the names that presets give them.
pub(super) const DOMAINS: [&str; 10] = [
    "health",
    "finance",
    "religion",
    "politics",
    "union_membership",
    "sexuality",
    "ethnicity",
    "genetics",
    "criminal_record",
    "relationships",
];

pub(super) const HEALTH: usize = 0;
pub(super) const FINANCE: usize = 1;
pub(super) const RELIGION: usize = 2;
pub(super) const POLITICS: usize = 3;
pub(super) const UNION: usize = 4;
pub(super) const SEXUALITY: usize = 5;
pub(super) const ETHNICITY: usize = 6;
pub(super) const GENETICS: usize = 7;
pub(super) const RECORD: usize = 8;
pub(super) const RELATIONS: usize = 9;

/// Says the domain whatever stands around it.
pub(super) const fn sure(domain: usize) -> Classes {
    1 << domain
}

/// Says the domain unless it is somebody's field of work, study or leisure.
pub(super) const fn likely(domain: usize) -> Classes {
    1 << (10 + domain)
}

/// Says the domain together with a `half` in the same clause.
pub(super) const fn other_half(domain: usize) -> Classes {
    1 << (20 + domain)
}

/// Says the domain together with an `other_half` in the same clause.
pub(super) const fn half(domain: usize) -> Classes {
    1 << (30 + domain)
}

/// A field of work, study or leisure, when it stands before: "studies", "novel about".
pub(super) const FIELD: Classes = 1 << 40;
/// Makes a field of what stands before it: "research", "museum".
pub(super) const OF_FIELD: Classes = 1 << 41;
/// Makes a field personal again: "has", "her own".
pub(super) const CLAIM: Classes = 1 << 42;
/// A phrase whose words do not mean what they mean elsewhere: "Great Depression".
pub(super) const IDIOM: Classes = 1 << 43;
/// Begins a clause: "and", "because".
pub(super) const BREAK: Classes = 1 << 44;
/// Stands for the user.
pub(super) const USER: Classes = 1 << 45;
/// Says that something is the user's: "kullanıcının".
pub(super) const OF_USER: Classes = 1 << 46;
/// Somebody who stands to the user in some relation.
pub(super) const PERSON: Classes = 1 << 47;
pub(super) const ANIMAL: Classes = 1 << 48;
/// People in general: "patients".
pub(super) const GROUP: Classes = 1 << 49;
/// Says something of the person before it: "with", "who".
pub(super) const OF_PERSON: Classes = 1 << 50;
/// Follows a subject: "has", "takes".
pub(super) const VERB: Classes = 1 << 51;
/// Says what the subject itself is: "is".
pub(super) const COPULA: Classes = 1 << 52;
/// Between an owner and what is owned: "की".
pub(super) const GENITIVE: Classes = 1 << 53;
/// A word with which a sentence may begin and that is nobody's name.
pub(super) const NO_NAME: Classes = 1 << 54;
/// A currency.
pub(super) const CURRENCY: Classes = 1 << 55;
/// A measure of medicine.
pub(super) const DOSE: Classes = 1 << 56;
/// Said of money and of much else: "makes".
pub(super) const COUNTING: Classes = 1 << 57;
/// The user as the one who does something, where it stands before the verb: "I".
pub(super) const DOER: Classes = 1 << 58;
/// Whoever was spoken of last, as the one who does something: "they".
pub(super) const SAME_DOER: Classes = 1 << 59;

/// Every class that names a topic by itself.
pub(super) const TELLING: Classes = (1 << 20) - 1;
/// Every class that names a topic.
pub(super) const TOPICAL: Classes = (1 << 40) - 1;
