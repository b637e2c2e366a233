//! Who is close: people of the family and the house, and pets. Bosses, neighbours and doctors are not.

#[rustfmt::skip]
pub(super) const SINGULAR: &[&str] = &[
    "wife", "husband", "partner", "spouse", "girlfriend", "boyfriend", "fiance", "fiancé", "fiancee",
    "fiancée", "mum", "mom", "mother", "mama", "dad", "father", "papa", "sister", "brother", "son",
    "daughter", "kid", "child", "baby", "toddler", "newborn", "stepson", "stepdaughter", "stepmother",
    "stepfather", "stepdad", "stepmom", "stepmum", "stepsister", "stepbrother", "half-sister",
    "half-brother", "twin", "grandma", "grandmother", "granny", "nana", "nan", "grandpa", "grandfather",
    "granddad", "grandad", "grandson", "granddaughter", "grandchild", "aunt", "auntie", "uncle", "cousin",
    "niece", "nephew", "godson", "goddaughter", "godchild", "teenager", "teen", "hubby", "wifey", "hubs",
    "bf", "gf", "youngest", "eldest", "oldest", "roommate", "flatmate", "housemate", "friend", "dog", "cat",
    "puppy", "kitten", "horse", "pony", "rabbit", "bunny", "hamster", "parrot", "budgie", "tortoise",
    "turtle", "ferret", "snake", "gecko", "lizard", "goat", "donkey", "hedgehog", "canary", "goldfish",
    "pet", "labrador", "lab", "retriever", "poodle", "terrier", "beagle", "dachshund", "corgi", "shepherd",
    "spaniel", "collie", "husky", "greyhound", "whippet", "bulldog", "pug", "chihuahua", "schnauzer",
    "mutt", "siamese", "tabby", "cockatiel", "iguana", "chinchilla", "gerbil", "parakeet", "mare",
    "gelding", "stallion", "foal", "cockatoo", "mongrel", "malamute", "dalmatian", "rottweiler",
];

#[rustfmt::skip]
pub(super) const PLURAL: &[&str] = &[
    "parents", "kids", "children", "sons", "daughters", "sisters", "brothers", "siblings", "twins",
    "triplets", "boys", "girls", "grandparents", "grandkids", "grandchildren", "babies", "toddlers",
    "cousins", "nieces", "nephews", "in-laws", "aunts", "uncles", "teenagers", "teens", "stepkids",
    "stepchildren", "folks", "family", "flatmates", "roommates", "housemates", "dogs", "cats", "puppies",
    "kittens", "horses", "rabbits", "bunnies", "hens", "chickens", "goats", "pets", "parrots", "budgies",
    "ducks", "sheep", "bees", "hamsters", "ferrets", "guinea-pigs", "pigs", "donkeys", "alpacas",
    "labradors", "retrievers", "poodles", "terriers", "huskies", "greyhounds", "ponies", "tortoises",
    "fish", "goldfish", "cows", "geese",
];

/// Stand between "my" and the person.
#[rustfmt::skip]
pub(super) const WHICH: &[&str] = &[
    "older", "younger", "little", "big", "elder", "eldest", "oldest", "youngest", "middle", "late", "dear",
    "best", "closest", "only", "own", "baby", "twin", "first", "second", "third", "new", "two", "three",
    "four", "five", "both", "all", "great", "step", "foster", "adopted", "adoptive", "biological", "life",
    "rescue", "guide", "pet", "golden", "german", "border", "cocker", "guinea", "teenage", "adult",
    "grown-up", "identical", "paternal", "maternal", "year-old", "2-year-old", "3-year-old", "4-year-old",
    "5-year-old", "6-year-old", "7-year-old", "8-year-old", "9-year-old", "10-year-old", "11-year-old",
    "12-year-old", "13-year-old", "14-year-old", "15-year-old", "16-year-old", "17-year-old", "old",
    "sweet",
];

/// A friend or a mate is close only when said to be.
pub(super) fn is_close(word: &str, which: Option<&str>) -> bool {
    word != "friend" || which.is_some_and(|which| matches!(which, "best" | "closest" | "oldest"))
}

pub(in crate::extract::spoken) fn is_person(word: &str) -> bool {
    let word = word.strip_suffix("-in-law").unwrap_or(word);
    SINGULAR.contains(&word) || PLURAL.contains(&word)
}
