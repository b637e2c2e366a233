//! What a person lastingly is: adjectives, participles and doings that follow "am" or "is".

/// Say enough alone or with what follows.
#[rustfmt::skip]
pub(super) const TRAITS: &[&str] = &[
    "vegan", "vegetarian", "pescatarian", "flexitarian", "kosher", "halal", "teetotal", "sober", "coeliac",
    "celiac", "diabetic", "asthmatic", "epileptic", "dyslexic", "dyscalculic", "dyspraxic", "autistic",
    "neurodivergent", "bipolar", "colourblind", "colorblind", "colour-blind", "color-blind", "blind",
    "deaf", "mute", "disabled", "paralysed", "paralyzed", "short-sighted", "shortsighted", "nearsighted",
    "near-sighted", "farsighted", "long-sighted", "anaemic", "anemic", "left-handed", "right-handed",
    "lefthanded", "ambidextrous", "lactose", "gluten", "dairy", "nut", "married", "single", "divorced",
    "widowed", "engaged", "separated", "pregnant", "childless", "childfree", "child-free", "adopted",
    "orphaned", "retired", "semi-retired", "unemployed", "self-employed", "freelance", "self-taught",
    "bilingual", "trilingual", "multilingual", "fluent", "religious", "atheist", "agnostic", "christian",
    "catholic", "protestant", "jewish", "muslim", "hindu", "buddhist", "sikh", "orthodox", "gay", "lesbian",
    "bisexual", "bi", "straight", "queer", "trans", "transgender", "nonbinary", "non-binary", "asexual",
    "polyamorous", "introverted", "extroverted", "shy", "claustrophobic", "arachnophobic", "agoraphobic",
    "insomniac", "tone-deaf", "intolerant", "allergic", "sensitive_to", "immunocompromised", "hypermobile",
    "immune-compromised", "tall", "taller_than", "bald", "red-haired", "homeschooled", "dutch", "danish",
    "swedish", "greek", "turkish", "polish", "czech", "french", "swiss", "thai", "welsh", "scots",
    "british", "english", "irish", "german", "spanish", "colour", "hard_of_hearing", "dependent",
    "more_of_a", "sighted", "impaired", "hearing_impaired", "partially_sighted", "partially_deaf",
    "half_deaf", "legally_blind", "deaf_in", "blind_in", "gluten-free", "lactose-intolerant",
    "gluten-intolerant", "dairy-free", "plant-based", "keto", "low-carb", "housebound", "bedridden",
    "semi-vegetarian", "ginger", "undocumented", "stateless", "illiterate", "computer-literate",
    "monolingual", "color", "incontinent", "infertile", "hearing-impaired", "visually_impaired",
    "wheelchair-bound", "lefty", "dual-national",
];

/// Say something only with what follows them.
#[rustfmt::skip]
pub(super) const RELATIONS: &[&str] = &[
    "allergic_to", "intolerant_to", "intolerant_of", "married_to", "engaged_to", "fluent_in", "based_in",
    "based_near", "based_out_of", "settled_in", "born_in", "born_on", "born_and_raised", "raised_in",
    "raised_by", "from", "originally_from", "native_to", "afraid_of", "scared_of", "terrified_of",
    "phobic_of", "good_at", "bad_at", "terrible_at", "good_with", "bad_with", "terrible_with",
    "hopeless_at", "hopeless_with", "no_good_at", "no_good_with", "in_sales", "in_marketing", "in_it",
    "in_tech", "in_finance", "in_hr", "in_construction", "in_logistics", "in_real_estate", "in_insurance",
    "in_education", "in_healthcare", "in_banking", "into", "passionate_about", "keen_on", "big_on",
    "much_of", "fussed_about", "bothered_by", "fond_of", "crazy_about", "obsessed_with", "addicted_to",
    "named", "called", "employed_by", "employed_at", "employed_as", "self-employed_as", "diagnosed_with",
    "licensed_to", "qualified_as", "trained_as", "trained_in", "certified_in", "certified_as",
    "qualified_in", "responsible_for", "in_charge_of", "enrolled_in", "enrolled_at", "registered_as",
    "retired_from", "partial_to", "a_member_of", "new_to", "colour_blind", "color_blind", "in_a_wheelchair",
    "in_the_army", "in_the_navy", "in_the_military", "in_a_band", "in_a_choir", "in_a_relationship",
    "in_recovery", "in_remission", "in_my", "in_his", "in_her", "in_their", "on_the_spectrum", "on_social",
    "on_facebook", "on_instagram", "on_whatsapp", "on_linkedin", "on_insulin", "on_medication", "on_blood",
    "on_a_diet", "on_antidepressants", "on_metformin", "on_statins", "on_dialysis", "on_warfarin",
    "on_the_board", "on_beta", "on_a_low", "on_a_gluten", "on_a_keto", "on_a_vegan", "on_a_tight_budget",
    "on_disability", "on_parental_leave", "on_maternity_leave", "on_paternity_leave", "on_sabbatical",
    "off_sugar", "off_dairy", "off_gluten", "off_alcohol", "of", "not_into", "paid", "located_in",
    "stationed_in", "posted_in", "posted_to", "related_to", "descended_from", "half", "part",
    "mostly_vegetarian", "mostly_vegan", "due_in", "due_on", "deaf", "an_only", "in_year", "in_grade",
    "in_primary", "in_kindergarten", "in_high_school", "in_secondary", "in_first_grade", "in_second_grade",
    "in_third_grade", "in_fourth_grade", "in_fifth_grade", "in_sixth_grade", "in_college", "at_university",
    "at_uni", "in_med_school", "in_law_school", "in_grad_school",
];

/// What somebody is doing for longer than a day.
#[rustfmt::skip]
pub(super) const DOINGS: &[&str] = &[
    "learning", "studying", "training_for", "training_to", "training_as", "working_as", "working_at",
    "working_for", "working_in", "working_from_home", "working_part-time", "working_full-time",
    "working_nights", "working_remotely", "working_towards", "working_on_my", "living_in", "living_with",
    "living_at", "living_on", "living_near", "living_alone", "living_abroad", "expecting", "targeting",
    "aiming_for", "aiming_to", "saving_for", "saving_up", "raising", "renting", "getting_married",
    "getting_divorced", "doing_a_phd", "doing_my_phd", "doing_a_master's", "doing_a_masters",
    "doing_an_apprenticeship", "doing_intermittent", "writing_a_novel", "writing_a_book", "writing_my",
    "writing_a_memoir", "majoring_in", "minoring_in", "pursuing", "recovering_from", "restoring",
    "renovating", "building_a_house", "building_our", "teaching", "running_a", "dating",
    "seeing_a_therapist", "going_blind", "going_deaf", "taking_metformin", "taking_insulin",
    "taking_lithium", "taking_statins", "taking_antidepressants", "taking_evening", "trying_to_lose_weight",
    "trying_to_quit", "trying_to_conceive", "trying_to_learn", "trying_to_cut", "trying_to_eat",
    "trying_to_get_pregnant", "trying_to_get_fit", "trying_to_save", "trying_to_stop", "cutting_down_on",
    "cutting_out", "undergoing", "breastfeeding", "apprenticing", "interning_at", "freelancing",
    "homeschooling", "caring_for", "looking_after_my", "suffering_from", "going_to_college",
    "going_to_university", "going_to_law", "going_to_med", "going_through_a_divorce", "retiring",
    "moving_to", "moving_back", "moving_in_with",
];

/// Endings of words of peoples and towns, where they are written with a capital.
pub(super) const PEOPLES: &[&str] = &[
    "ian", "ean", "ese", "ish", "ican", "oan", "aqi", "ani", "asi", "ander", "ic",
];
