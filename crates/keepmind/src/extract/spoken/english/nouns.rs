//! Things of a user's that last: what they own, have, run, and what is asked of the assistant's style.

/// What a person has for long. Close people and pets are beside these.
#[rustfmt::skip]
pub(super) const HAD: &[&str] = &[
    "diabetes", "asthma", "adhd", "add", "autism", "epilepsy", "arthritis", "migraines", "migraine",
    "eczema", "psoriasis", "dyslexia", "dyspraxia", "dyscalculia", "tinnitus", "ibs", "crohn's", "crohns",
    "endometriosis", "depression", "anxiety", "ocd", "ptsd", "vertigo", "scoliosis", "glaucoma",
    "hypertension", "celiac", "coeliac", "allergy", "allergies", "intolerance", "disability", "condition",
    "disease", "disorder", "pacemaker", "hayfever", "insomnia", "apnea", "apnoea", "pcos", "fibromyalgia",
    "gout", "anemia", "anaemia", "phobia", "fear", "stutter", "lisp", "prosthetic", "implant", "back",
    "knee", "knees", "eyesight", "hearing", "deficiency", "syndrome", "reflux", "cancer", "hiv", "lupus",
    "sclerosis", "parkinson's", "parkinson", "crohn", "alzheimer", "dementia", "down", "tourette", "stoma",
    "hernia", "licence", "license", "degree", "phd", "doctorate", "masters", "master's", "mba", "diploma",
    "bachelor's", "bachelors", "citizenship", "passport", "visa", "greencard", "residency", "certification",
    "background", "car", "bike", "bicycle", "motorbike", "motorcycle", "van", "campervan", "boat", "truck",
    "scooter", "tesla", "house", "flat", "apartment", "condo", "cottage", "cabin", "farm", "garden",
    "allotment", "balcony", "yard", "greenhouse", "mortgage", "piano", "guitar", "violin", "cello", "drum",
    "telescope", "sailboat", "caravan", "job", "jobs", "business", "company", "bakery", "shop", "store",
    "startup", "studio", "practice", "restaurant", "cafe", "café", "podcast", "blog", "channel",
    "newsletter", "etsy", "wheelchair", "tattoo", "tattoos", "sauna", "pool", "oven", "thermomix",
    "airfryer", "kiln", "workshop", "vineyard", "orchard", "beehives", "hives", "aquarium", "savings",
    "pension", "accent", "membership", "subscription", "tv", "television", "smartphone", "microwave",
    "dishwasher", "freezer", "smoker", "dependents", "pets", "family", "commute", "pressure", "tooth",
    "loss", "synesthesia", "synaesthesia", "aphantasia", "adopted", "glasses", "braces", "dreadlocks",
    "beard",
];

/// Businesses and groups that somebody runs, owns, leads.
#[rustfmt::skip]
pub(super) const RUN: &[&str] = &[
    "bakery", "shop", "business", "company", "cafe", "café", "restaurant", "farm", "studio", "agency",
    "firm", "startup", "practice", "team", "blog", "podcast", "channel", "club", "charity", "hotel",
    "hostel", "school", "gallery", "bar", "pub", "brewery", "bookshop", "bookstore", "salon", "gym",
    "clinic", "garage", "workshop", "store", "newsletter", "nonprofit", "non-profit", "ngo", "consultancy",
    "consulting", "lab", "department", "group", "choir", "band", "library", "nursery", "kindergarten",
    "daycare", "vineyard", "winery", "truck", "stall", "guesthouse", "b&b", "campsite", "label", "press",
    "magazine", "theatre", "theater", "museum", "franchise", "pharmacy", "warehouse", "factory", "branch",
    "building", "estate", "fund", "plant", "depot", "dairy", "orchard", "kennel", "stable", "shelter",
    "foundation", "pizzeria", "kiosk", "server", "marathon", "marathons", "laundrette", "laundromat",
    "boutique", "venue", "butcher's", "smithy",
];

/// What an answer is made of and how it sounds.
#[rustfmt::skip]
pub(super) const STYLE: &[&str] = &[
    "emoji", "emojis", "emoticons", "jargon", "bullet", "bullets", "bulleted", "tables", "markdown",
    "headings", "disclaimers", "disclaimer", "pleasantries", "preamble", "preambles", "smalltalk", "fluff",
    "filler", "flattery", "praise", "apologies", "exclamation", "caps", "metric", "imperial", "celsius",
    "fahrenheit", "kilometres", "kilometers", "miles", "24-hour", "24h", "12-hour", "units", "acronyms",
    "abbreviations", "slang", "idioms", "citations", "footnotes", "pronouns", "spelling", "tone", "answers",
    "replies", "responses", "messages", "explanations", "sentences", "paragraphs", "caveats", "lectures",
    "moralising", "moralizing", "hashtags", "sugarcoat", "sugar-coat", "gifs", "puns", "clichés", "cliches",
    "metaphors", "analogies", "hype", "swearing", "profanity", "bullet-points", "summaries", "latin",
    "dashes", "grams", "ounces", "cups", "kelvin", "euros", "dollars", "small-talk", "buzzwords",
    "anglicisms", "adverbs",
];

/// Ways to be, of an answer.
#[rustfmt::skip]
pub(super) const MANNER: &[&str] = &[
    "brief", "concise", "short", "blunt", "direct", "honest", "formal", "informal", "casual", "terse",
    "succinct", "polite", "patient", "friendly", "gentle", "critical", "frank", "straightforward", "simple",
    "snappy", "detailed", "thorough", "crisp", "plain", "precise", "professional", "sarcastic", "funny",
];

/// What somebody is said to be that is no lasting trait, or no trait at all.
#[rustfmt::skip]
pub(super) const NO_TRAIT: &[&str] = &[
    "bit", "little", "tad", "lot", "mess", "idiot", "genius", "moron", "fool", "wreck", "failure", "goner",
    "disaster", "dummy", "monster", "ghost", "zombie", "joke", "clown", "day", "week", "month", "minute",
    "hour", "step", "yes", "no", "maybe", "few", "couple", "customer", "robot", "bot", "potato", "loser",
    "legend", "god", "goddess", "king", "queen", "hero", "saint", "angel", "devil", "mouse", "disgrace",
    "burden", "sloth", "dinosaur", "caveman", "noob", "newb", "victim", "target", "joker", "psycho", "hair",
    "touch", "while", "far", "lucky", "happy", "sad", "grown", "changed", "broken", "dead", "free",
    "quarter", "mile", "fraction", "sec", "vegetable", "human", "person", "dragon", "wizard", "vampire",
    "pirate", "unicorn", "elf", "knight", "alien", "superhero", "princess", "prince", "cat", "dog", "guest",
    "user", "believer", "company", "startup", "start-up", "organisation", "organization", "agency", "firm",
    "business", "team", "brand", "nonprofit", "charity", "liar", "hypocrite", "pushover", "disappointment",
    "wee", "stone's", "nobody",
];

/// Posts that a person holds.
#[rustfmt::skip]
pub(super) const POSTS: &[&str] = &[
    "lead", "leader", "manager", "head", "owner", "co-owner", "founder", "co-founder", "cofounder",
    "director", "captain", "secretary", "treasurer", "chair", "chairman", "chairwoman", "chairperson",
    "president", "vice-president", "ceo", "cto", "cfo", "coo", "oldest", "youngest", "eldest", "middle",
    "principal", "headmaster", "headmistress", "editor", "organiser", "organizer", "coordinator",
    "supervisor", "mayor", "chef", "conductor", "coach", "goalkeeper", "drummer", "bassist", "singer",
    "guitarist", "mother", "father", "mum", "mom", "dad", "daughter", "son", "maintainer", "scrum", "vet",
    "librarian", "priest", "vicar", "pastor", "breadwinner", "carer", "caretaker", "landlord", "landlady",
    "deputy", "partner", "foreman", "boss", "minister",
];

/// Things of the user's own that are worth knowing: what they are, what they are called, when they fall due.
#[rustfmt::skip]
pub(super) const OWN: &[&str] = &[
    "name", "surname", "nickname", "birthday", "birthdate", "age", "job", "profession", "occupation",
    "hometown", "height", "weight", "pronouns", "diet", "timezone", "time_zone", "native_language",
    "first_language", "mother_tongue", "native_tongue", "second_language", "blood_type", "shoe_size",
    "dress_size", "ring_size", "shirt_size", "clothing_size", "anniversary", "wedding_anniversary",
    "due_date", "star_sign", "zodiac_sign", "nationality", "religion", "faith", "major", "minor", "degree",
    "salary", "income", "rent", "mortgage", "email", "email_address", "address", "phone_number", "postcode",
    "zip_code", "locker", "employer", "company", "school", "university", "field", "trade", "specialty",
    "speciality", "hobby", "hobbies", "goal", "goals", "dream_job", "instrument", "main_instrument",
    "sport", "car", "bike", "laptop", "phone", "camera", "favourite", "favorite", "favourites", "favorites",
    "go-to", "usual", "preferred", "team", "doctor's_name", "allergies", "allergy", "full_name",
    "first_name", "last_name", "middle_name", "maiden_name", "preferred_name", "real_name", "gamertag",
    "username", "role", "title", "job_title", "commute", "working_hours", "work_hours", "office_hours",
    "shift", "shifts", "eyesight", "hearing", "house", "flat", "apartment", "garden", "retirement_age",
    "risk_tolerance", "home_airport", "home_town", "home_city", "home_country", "ancestry", "heritage",
    "roots", "motorbike", "boat", "grandparents", "wedding",
];

/// What falls on a date.
#[rustfmt::skip]
pub(super) const DATED: &[&str] = &[
    "visa", "passport", "licence", "license", "lease", "contract", "exam", "exams", "wedding", "birthday",
    "anniversary", "surgery", "operation", "flight", "graduation", "thesis", "dissertation", "assignment",
    "essay", "application", "deadline", "interview", "baby", "appointment", "maternity", "paternity",
    "leave", "holiday", "vacation", "trip", "retirement", "insurance", "subscription", "membership",
    "warranty", "permit", "driving", "test", "marathon", "race", "concert", "recital", "move", "semester",
    "term", "sabbatical", "internship", "probation", "notice", "tax", "mot", "hearing", "defence",
    "defense", "viva", "conference", "residency", "course", "fellowship", "scholarship", "grant", "job",
    "checkup", "mortgage", "competition", "tournament", "audition", "christening", "baptism", "reunion",
];

/// Never kept, whatever is asked: what opens doors and accounts.
#[rustfmt::skip]
pub(super) const SECRETS: &[&str] = &[
    "password", "passwords", "passcode", "passphrase", "pin", "pins", "pwd", "cvv", "cvc", "token",
    "secret", "credentials", "login", "key", "api", "iban", "ssn", "otp", "2fa", "seed",
];
