//! Verbs by which people say lasting things of themselves, and what must follow them.

use super::super::StatementKind::{self, Fact, Preference, Profile, Relationship, Task, Work};

/// What must follow a verb for the clause to say something lasting.
#[derive(Debug, Clone, Copy)]
pub(super) enum After {
    /// Anything or nothing.
    Open,
    /// At least a word.
    Something,
    /// One of these words, at once.
    Begins(&'static [&'static str]),
    /// Something that can be liked in general.
    Liking,
    /// A thing that one has for long, or somebody close.
    Had,
    /// A business or a group.
    Run,
    /// Either of the two.
    Owned,
    /// A name with a capital.
    Name,
    /// A number of years.
    Age,
    /// A day in the calendar, somewhere.
    Dated,
    /// "the" and an instrument, a game, a sport: not a part, not an advocate.
    Play,
}

use After::{Age, Begins, Dated, Had, Liking, Name, Open, Owned, Play, Run, Something};

#[rustfmt::skip]
pub(super) const PRESENT: &[(&str, After, StatementKind)] = &[
    ("live", Begins(&[
        "in", "at", "near", "on", "with", "alone", "together", "by", "next", "outside", "between", "abroad",
        "off", "just", "about", "around", "close", "beside", "above", "across", "out", "apart", "right",
        "downtown", "under",
    ]), Profile),
    ("reside", Begins(&["in", "at", "near"]), Profile),
    ("work", Begins(&[
        "as", "at", "for", "in", "from", "with", "part-time", "full-time", "nights", "night", "shifts",
        "remotely", "freelance", "weekends", "mornings", "evenings", "part", "full", "late", "early",
        "days", "three", "four", "five", "two", "six", "twelve", "12", "10", "half", "alone", "mostly",
        "out", "offshore", "underground", "outdoors", "a", "the", "every", "best", "3", "4",
    ]), Work),
    ("teach", Something, Work),
    ("lecture", Begins(&["in", "at", "on"]), Work),
    ("study", Something, Work),
    ("freelance", Open, Work),
    ("intern", Begins(&["at", "for"]), Work),
    ("manage", Run, Work),
    ("lead", Run, Work),
    ("run", Run, Work),
    ("own", Owned, Profile),
    ("head", Run, Work),
    ("chair", Run, Work),
    ("coach", Something, Work),
    ("volunteer", Begins(&["at", "for", "with", "as", "in", "every", "on"]), Work),
    ("commute", Open, Work),
    ("earn", Something, Work),
    ("mentor", Something, Work),
    ("handle", Begins(&[
        "payroll", "hr", "customer", "logistics", "sales", "accounts", "the_books", "the_accounts",
        "marketing", "bookkeeping",
    ]), Work),
    ("fly", Dated, Task),
    ("leave", Dated, Task),
    ("move", Dated, Task),
    ("travel", Dated, Task),
    ("graduate", Dated, Task),
    ("retire", Dated, Task),
    ("return", Dated, Task),
    ("defend", Dated, Task),
    ("finish", Dated, Task),
    ("begin", Dated, Task),
    ("marry", Dated, Task),
    ("sit", Dated, Task),
    ("specialise", Begins(&["in"]), Work),
    ("specialize", Begins(&["in"]), Work),
    ("telecommute", Open, Work),
    ("edit", Begins(&["books", "films", "a", "video", "videos"]), Work),
    ("tutor", Something, Work),
    ("play", Play, Profile),
    ("sing", Begins(&["in", "alto", "tenor", "bass", "soprano", "baritone", "with", "at"]), Profile),
    ("speak", Name, Profile),
    ("drive", Begins(&[
        "a", "an", "my", "for", "stick", "automatic", "only", "to", "trucks", "buses", "taxis", "electric",
    ]), Profile),
    ("ride", Begins(&["a", "an", "my", "motorbikes", "horses", "motorcycles"]), Profile),
    ("sail", Open, Profile),
    ("surf", Open, Profile),
    ("ski", Open, Profile),
    ("climb", Open, Profile),
    ("swim", Open, Profile),
    ("cycle", Open, Profile),
    ("garden", Open, Profile),
    ("knit", Open, Profile),
    ("crochet", Open, Profile),
    ("hunt", Open, Profile),
    ("bike", Open, Profile),
    ("bake", Something, Profile),
    ("brew", Something, Profile),
    ("paint", Begins(&[
        "watercolours", "watercolors", "landscapes", "portraits", "miniatures", "in", "with", "warhammer",
    ]), Profile),
    ("dance", Open, Profile),
    ("hike", Open, Profile),
    ("meditate", Open, Profile),
    ("journal", Open, Profile),
    ("collect", Something, Preference),
    ("breed", Something, Profile),
    ("keep", Begins(&[
        "bees", "chickens", "hens", "kosher", "halal", "goats", "rabbits", "horses", "a_diary", "a_journal",
        "pigeons", "reptiles", "snakes", "ducks", "sheep", "alpacas", "tropical",
    ]), Profile),
    ("smoke", Open, Profile),
    ("vape", Open, Profile),
    ("drink", Open, Preference),
    ("eat", Something, Preference),
    ("fast", Open, Profile),
    ("pray", Open, Profile),
    ("wear", Begins(&[
        "glasses", "contacts", "contact", "a_hearing", "hearing", "hearing-aids", "size", "a_size",
        "a_hijab", "a_kippa", "a_turban", "braces", "orthopedic", "orthopaedic", "only", "bifocals",
        "an_insulin", "dentures", "a_prosthetic", "a_prosthesis", "a_brace", "varifocals",
    ]), Profile),
    ("code", Begins(&["in", "mostly", "mainly"]), Work),
    ("program", Begins(&["in", "mostly", "mainly"]), Work),
    ("develop", Begins(&["in", "mostly", "for", "games", "apps"]), Work),
    ("use", Begins(&[
        "a_wheelchair", "wheelchair", "crutches", "a_cane", "a_walker", "a_screen", "hearing", "a_hearing",
        "they/them", "she/her", "he/him", "they", "sign", "a_stick", "an_insulin", "an_inhaler", "linux",
        "vim", "emacs", "arch", "nixos", "dvorak", "metric", "fedora", "debian", "colemak", "neovim",
        "a_rollator", "a_white",
    ]), Profile),
    ("take", Begins(&[
        "insulin", "metformin", "medication", "lithium", "statins", "antidepressants", "beta", "blood",
        "warfarin", "my_coffee", "my_tea", "ritalin", "sertraline", "levothyroxine", "sugar", "milk",
        "pills", "ssris", "thyroid", "antihistamines", "the_train_to_work", "the_bus_to_work",
    ]), Profile),
    ("suffer", Begins(&["from"]), Profile),
    ("weigh", Something, Profile),
    ("belong", Begins(&["to"]), Profile),
    ("attend", Something, Profile),
    ("identify", Begins(&["as"]), Profile),
    ("support", Name, Preference),
    ("follow", Begins(&["a", "the"]), Profile),
    ("believe", Begins(&["in"]), Profile),
    ("come", Begins(&["from"]), Profile),
    ("hail", Begins(&["from"]), Profile),
    ("go", Begins(&[
        "by", "to_school", "to_church", "to_mosque", "to_synagogue", "to_the_gym", "to_college",
        "to_university", "to_uni", "to_therapy", "to_kindergarten", "to_daycare", "to_bed_at",
        "to_bed_early", "hiking", "running", "swimming", "climbing", "fishing", "sailing", "to_mass",
    ]), Profile),
    ("train", Begins(&["for", "in", "at", "with", "every", "twice", "three"]), Profile),
    ("practise", Something, Profile),
    ("practice", Begins(&[
        "law", "medicine", "yoga", "judo", "karate", "aikido", "buddhism", "taekwondo", "kendo",
        "meditation", "islam", "every",
    ]), Profile),
    ("do", Begins(&[
        "yoga", "judo", "karate", "crossfit", "pilates", "shift", "night", "nights", "freelance",
        "jiu-jitsu", "bjj", "intermittent", "ballet", "triathlons", "parkour", "aikido", "volunteer",
        "home", "homeschooling", "tai", "martial", "calls", "mornings", "mondays", "spicy", "dairy",
        "caffeine", "crowds", "drugs", "heights", "gluten", "pottery", "taekwondo", "archery",
    ]), Profile),
    ("prefer", Liking, Preference),
    ("like", Liking, Preference),
    ("love", Liking, Preference),
    ("hate", Liking, Preference),
    ("dislike", Liking, Preference),
    ("enjoy", Liking, Preference),
    ("adore", Liking, Preference),
    ("loathe", Liking, Preference),
    ("despise", Liking, Preference),
    ("detest", Liking, Preference),
    ("avoid", Liking, Preference),
    ("favour", Liking, Preference),
    ("favor", Liking, Preference),
    ("fear", Liking, Preference),
    ("appreciate", Begins(&["short", "brief", "honest", "direct", "good"]), Preference),
    ("dread", Liking, Preference),
    ("have", Had, Fact),
    ("get", Begins(&[
        "migraines", "seasick", "carsick", "car-sick", "motion", "airsick", "travel", "panic", "hives",
        "a_rash", "hay", "sick_from", "vertigo", "nosebleeds", "sunburnt_easily", "sunburned_easily",
        "cold_easily", "up_at", "around_by", "up_early", "dizzy_from", "headaches_from", "claustrophobic",
    ]), Profile),
    ("turn", Age, Profile),
    ("start", Begins(&[
        "university", "college", "school", "a_new", "my_new", "uni", "kindergarten",
    ]), Profile),
    ("tend", Begins(&["to"]), Preference),
    ("try", Begins(&[
        "to_keep", "to_avoid", "to_eat", "to_limit", "not_to_eat", "to_cut", "to_stay_away", "not_to_drink",
        "to_live", "to_buy",
    ]), Preference),
    ("share", Begins(&["a_flat", "a_house", "an_apartment", "a_room", "custody", "an_office"]), Profile),
    ("rent", Begins(&["a", "an", "in", "out", "my"]), Profile),
    ("homeschool", Open, Profile),
    ("foster", Something, Relationship),
    ("care", Begins(&["for_my"]), Relationship),
    ("aim", Begins(&["to", "for"]), Preference),
    ("farm", Open, Work),
    ("design", Begins(&[
        "furniture", "jewellery", "jewelry", "clothes", "gardens", "bridges", "games", "websites",
        "buildings", "shoes",
    ]), Work),
    ("build", Begins(&[
        "furniture", "guitars", "boats", "houses", "violins", "model", "custom", "bridges",
    ]), Work),
    ("repair", Begins(&[
        "bikes", "bicycles", "watches", "clocks", "shoes", "cars", "violins", "pianos", "instruments",
    ]), Work),
    ("write", Begins(&[
        "mostly", "mainly", "novels", "poetry", "poems", "fiction", "crime", "children's", "short_stories",
        "sci-fi", "code_for_a_living", "for_a_living", "songs", "with_my_left", "left-handed", "romance",
        "thrillers",
    ]), Work),
    ("sell", Begins(&[
        "insurance", "handmade", "pottery", "cars", "houses", "real", "vintage", "flowers", "my",
        "software", "ceramics", "cheese",
    ]), Work),
    ("translate", Begins(&["from", "books", "for_a_living", "novels", "legal", "medical"]), Work),
    ("observe", Begins(&["ramadan", "shabbat", "the_sabbath", "lent", "sabbath"]), Profile),
    ("celebrate", Name, Profile),
    ("sleep", Begins(&["badly", "late", "in_on", "until", "poorly", "four", "five", "six"]), Profile),
    ("wake", Begins(&["up_at", "at", "up_early"]), Profile),
    ("read", Begins(&[
        "mostly", "a_lot_of", "only", "braille", "music", "code_fine", "sci-fi", "science", "crime",
        "fantasy", "manga", "comics", "poetry",
    ]), Preference),
    ("listen", Begins(&["to"]), Preference),
    ("watch", Begins(&["mostly", "only", "a_lot_of", "anime"]), Preference),
    ("cook", Begins(&[
        "for", "vegetarian", "vegan", "mostly", "every", "only", "with", "on", "a_lot",
    ]), Preference),
    ("stutter", Open, Profile),
    ("stammer", Open, Profile),
    ("snore", Open, Profile),
    ("react", Begins(&["badly_to", "to"]), Profile),
    ("pay", Begins(&["alimony", "child", "rent"]), Profile),
    ("root", Begins(&["for"]), Preference),
];

/// Said of the past, and lasting. The form stays as it is.
#[rustfmt::skip]
pub(super) const PAST: &[(&str, After, StatementKind)] = &[
    ("grew", Begins(&["up"]), Profile),
    ("studied", Something, Work),
    ("graduated", Something, Work),
    ("lived", Begins(&["in", "at", "near", "on", "with", "abroad", "alone"]), Profile),
    ("moved", Begins(&["to", "from", "out", "in", "back", "here"]), Profile),
    ("worked", Begins(&["as", "at", "for", "in"]), Work),
    ("retired", Open, Work),
    ("quit", Something, Profile),
    ("majored", Begins(&["in"]), Work),
    ("minored", Begins(&["in"]), Work),
    ("became", Something, Profile),
    ("converted", Begins(&["to"]), Profile),
    ("emigrated", Open, Profile),
    ("immigrated", Open, Profile),
    ("adopted", Something, Relationship),
    ("inherited", Something, Profile),
    ("founded", Something, Work),
    ("co-founded", Something, Work),
    ("switched", Begins(&["to", "from", "jobs", "careers"]), Profile),
    ("married", Something, Relationship),
    ("divorced", Open, Relationship),
    ("trained", Begins(&["as"]), Work),
    ("served", Begins(&["in", "as"]), Work),
    ("got", Begins(&[
        "married", "divorced", "engaged", "promoted", "laid", "sober", "fired", "my_degree", "my_phd",
        "my_licence", "my_license", "a_dog", "a_cat", "a_puppy", "a_kitten", "a_new_job", "my_citizenship",
    ]), Profile),
    ("gave", Begins(&["up", "birth"]), Profile),
    ("used", Begins(&["to"]), Profile),
    ("stopped", Begins(&[
        "smoking", "drinking", "eating", "working", "playing", "using", "taking", "driving", "running",
        "believing",
    ]), Profile),
    ("started", Begins(&[
        "a_new_job", "working", "learning", "playing", "studying", "my", "at", "as", "university",
        "college", "school", "kindergarten", "taking_lessons",
    ]), Profile),
    ("bought", Begins(&[
        "a_house", "a_flat", "an_apartment", "a_cottage", "a_farm", "a_car", "our", "my_first",
    ]), Profile),
    ("lost", Begins(&[
        "my_wife", "my_husband", "my_mother", "my_father", "my_dad", "my_mum", "my_mom", "my_job", "my_leg",
        "my_hearing", "my_sight", "a_leg", "my_brother", "my_sister", "my_son", "my_daughter",
    ]), Profile),
    ("survived", Something, Profile),
    ("wrote", Begins(&["a_book", "my_thesis", "my_dissertation"]), Work),
    ("joined", Something, Work),
    ("turned", Age, Profile),
    ("had", Begins(&[
        "a_stroke", "a_heart", "cancer", "a_baby", "a_kidney", "my_appendix", "a_hip", "a_knee", "surgery",
        "twins", "a_c-section", "bypass", "a_miscarriage", "a_transplant",
    ]), Profile),
    ("broke", Begins(&["my_hip", "my_back"]), Profile),
    ("learned", Begins(&["to", "how"]), Profile),
    ("learnt", Begins(&["to", "how"]), Profile),
    ("died", Open, Relationship),
    ("passed", Begins(&["away"]), Relationship),
    ("left", Begins(&["my_job", "the_army", "the_church", "school", "teaching"]), Profile),
];

/// What one can or will lastingly not do, or do.
#[rustfmt::skip]
pub(super) const ABLE: &[&str] = &[
    "eat", "have_dairy", "have_gluten", "have_nuts", "have_milk", "have_sugar", "have_caffeine",
    "have_alcohol", "have_lactose", "drink", "drive", "swim", "stand", "tolerate", "digest", "cook", "ride",
    "read_music", "sing", "dance", "smell", "taste", "walk_far", "walk_long", "climb", "do_calls",
    "do_mornings", "do_meetings", "do_mondays", "do_tuesdays", "do_wednesdays", "do_thursdays",
    "do_fridays", "do_spicy", "do_dairy", "do_gluten", "do_heights", "work_weekends", "work_nights",
    "work_on", "work_before", "work_after", "hear", "see_out", "see_red", "see_colours", "see_colors",
    "see_well", "touch", "handle_spicy", "handle_heat", "handle_alcohol", "handle_dairy", "ski", "surf",
    "fly", "lift", "kneel", "afford_more", "take_ibuprofen", "take_aspirin", "take_penicillin", "donate",
    "have_children", "have_kids", "speak", "type_with", "play_the", "play_piano", "play_guitar", "juggle",
    "wear_wool", "wear_heels", "wear_contacts", "use_stairs", "take_the_stairs", "climb_stairs",
    "manage_stairs", "get_enough_of", "stomach", "bear", "abide", "eat_out", "travel_by", "process", "sew",
    "knit", "read_small", "read_without", "see_without", "sleep_without", "sleep_with", "attend_meetings",
    "take_calls", "do_evenings", "do_weekends", "meet_before", "meet_after", "meet_on",
];

/// Words between a subject and its verb.
#[rustfmt::skip]
pub(super) const ADVERBS: &[&str] = &[
    "also", "really", "only", "always", "usually", "never", "often", "still", "currently", "now", "mostly",
    "actually", "both", "even", "kinda", "already", "generally", "personally", "sometimes", "rarely",
    "hardly", "normally", "just", "mainly", "primarily", "strictly", "absolutely", "truly", "strongly",
    "much", "very", "quite", "pretty", "super", "severely", "mildly", "slightly", "fully", "totally",
    "rather", "officially", "recently", "happily", "originally", "almost_never", "seldom", "deeply",
    "genuinely", "badly", "violently", "highly", "extremely", "proudly", "definitely", "realy", "so",
    "apparently_not", "newly", "partly", "partially", "legally", "semi", "long", "all", "too", "simply",
    "sort_of", "kind_of", "regularly", "a_bit", "therefore", "forever", "deadly", "once", "finally",
    "secretly", "obviously", "technically", "clinically", "not_really", "no_longer",
];

/// Verbs that say what somebody has in mind now, which no adverb makes a habit.
#[rustfmt::skip]
pub(super) const OF_THE_MIND: &[&str] = &[
    "know", "understand", "think", "remember", "forget", "get", "see", "feel", "want", "need", "say",
    "mean", "guess", "hope", "wonder", "find", "try", "believe", "suppose", "notice", "realise", "realize",
    "imagine", "end", "seem", "look", "hear", "agree", "bet", "swear", "appreciate", "struggle", "be", "am",
    "was", "had", "got", "could", "would", "did", "thought", "knew", "felt", "saw", "went", "came", "made",
    "took", "gave", "told", "said", "found", "left", "kept", "ran", "ate", "drank", "wrote", "read", "met",
    "can", "will", "have", "do", "like", "love", "hate", "prefer", "fail", "lose", "miss", "mess", "screw",
    "confuse", "mix", "ask", "tell", "thank", "is", "are", "a", "in", "at", "on", "the", "to", "for", "of",
    "with", "heard", "i", "my", "been", "just", "if", "that", "it",
];

/// What one does again and again.
#[rustfmt::skip]
pub(super) const HABITS: &[&str] = &[
    "every_day", "every_morning", "every_evening", "every_night", "every_week", "every_month", "every_year",
    "every_weekend", "every_summer", "every_winter", "every_spring", "every_autumn", "every_fall",
    "every_other", "every_second", "every_monday", "every_tuesday", "every_wednesday", "every_thursday",
    "every_friday", "every_saturday", "every_sunday", "each_morning", "each_day", "each_week", "each_year",
    "each_summer", "on_mondays", "on_tuesdays", "on_wednesdays", "on_thursdays", "on_fridays",
    "on_saturdays", "on_sundays", "on_weekends", "at_weekends", "on_weekdays", "once_a", "twice_a",
    "three_times_a", "times_a_week", "times_a_month", "times_a_day", "days_a_week", "hours_a_week",
    "nights_a_week", "daily", "weekly", "everywhere", "for_a_living", "at_night", "in_the_mornings",
    "in_the_evenings", "at_work", "for_work", "by_default", "most_days", "most_mornings", "most_evenings",
    "most_weekends", "in_my_free_time", "in_my_spare_time", "as_a_hobby", "all_year", "year-round",
    "whenever_i_travel", "when_i_travel", "since_childhood", "without_exception",
];

/// The form for "he" and "she".
pub(super) fn third(base: &str) -> String {
    match base {
        "have" => return "has".to_owned(),
        "am" | "are" | "be" => return "is".to_owned(),
        "were" => return "was".to_owned(),
        "will" | "can" | "would" | "was" | "is" | "has" | "had" | "should" | "could" => {
            return base.to_owned();
        }
        _ => {}
    }
    let is_after_vowel = |ending: &str| {
        base.strip_suffix(ending)
            .is_some_and(|rest| rest.ends_with(['a', 'e', 'i', 'o', 'u']))
    };
    if ["s", "x", "z", "ch", "sh", "o"]
        .iter()
        .any(|ending| base.ends_with(ending))
    {
        format!("{base}es")
    } else if base.ends_with('y') && !is_after_vowel("y") {
        format!("{}ies", &base[..base.len() - 1])
    } else {
        format!("{base}s")
    }
}
