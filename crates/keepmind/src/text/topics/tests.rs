//! Sentences of every domain and many languages, and their harmless neighbours.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::classes::DOMAINS;
use crate::policy::Policy;
use crate::text::Reading;

fn topics(text: &str) -> BTreeSet<&'static str> {
    Reading::of(text).topics()
}

fn is_about_another(text: &str) -> bool {
    Reading::of(text).is_about_another()
}

/// Whether the one domain is found; relationships may be found beside it, where people are named.
fn assert_topic(text: &str, domain: &str) {
    let mut found = topics(text);
    if domain != "relationships" {
        found.remove("relationships");
    }
    assert_eq!(found, BTreeSet::from([domain]), "{text}");
}

fn assert_harmless(text: &str) {
    let mut found = topics(text);
    found.remove("relationships");
    assert_eq!(found, BTreeSet::new(), "{text}");
}

#[test]
fn the_domains_are_those_of_the_presets() {
    let sensitive: BTreeSet<String> = Policy::presets()
        .iter()
        .flat_map(|name| Policy::preset(name).unwrap().domains)
        .filter(|domain| domain.sensitive)
        .map(|domain| domain.name)
        .collect();
    let ours: BTreeSet<String> = DOMAINS.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(ours, sensitive);
}

#[test]
fn health_is_found() {
    for text in [
        "User takes 20 mg of fluoxetine every morning",
        "User takes 75mg a day for sleep",
        "User is on lisinopril",
        "User was diagnosed with Crohn's disease in 2021",
        "User has type 2 diabetes",
        "User is bipolar",
        "User lives with multiple sclerosis",
        "User is four months pregnant",
        "User sees a therapist on Tuesdays",
        "User uses a wheelchair",
        "User is deaf in one ear",
        "User has a heart condition and carries nitroglycerin",
        "User is a recovering alcoholic",
        "User had surgery on the left knee",
        "User works nights despite her depression",
        "User does not have asthma",
        "U\u{200b}ser has dіabetes",
        "ＵＳＥＲ　ＨＡＳ　ＣＡＮＣＥＲ",
        "Nutzer hat Brustkrebs",
        "Die Nutzerin ist schwanger",
        "Nutzer nimmt 10 mg Ramipril",
        "L'utilisateur souffre de dépression",
        "L'utilisatrice est enceinte",
        "El usuario padece esquizofrenia",
        "La usuaria toma 500 mg de metformina",
        "O usuário tem hipertensão",
        "L'utente ha l'epilessia e l'asma",
        "De gebruiker heeft kanker",
        "Kullanıcı şeker hastası",
        "У пользователя диабет",
        "Пользователь принимает антидепрессанты",
        "المستخدم مصاب بالسكري",
        "کاربر به دیابت مبتلا است",
        "उपयोगकर्ता को मधुमेह है",
        "用户患有抑郁症",
        "ユーザーは糖尿病です",
        "사용자는 우울증 약을 복용한다",
        "ผู้ใช้เป็นโรคเบาหวาน",
    ] {
        assert_topic(text, "health");
    }
}

#[test]
fn what_runs_on_begins_anew() {
    for (text, domain) in [
        ("I like tea I take insulin", "health"),
        ("i like tea i take insulin", "health"),
        ("I love reading I am on lisinopril", "health"),
        ("User likes tea they take insulin", "health"),
        ("User enjoys cooking she takes lisinopril", "health"),
        ("my dog likes cheese I take insulin", "health"),
        ("we watch films we are both bipolar", "health"),
        ("j'aime le café je prends de l'insuline", "health"),
        ("me gusta el café yo tomo insulina", "health"),
        ("я люблю чай я принимаю инсулин", "health"),
        ("I like books I pay off the 5,000 euros I owe", "finance"),
        ("I play chess I go to church", "religion"),
    ] {
        assert_topic(text, domain);
    }
    for text in [
        "I like tea I drink coffee",
        "I read novels about cancer",
        "the novel about cancer I read",
        "I study genetics I like it",
        "User reads about type I diabetes",
        "Gern lese ich Romane über Krebs",
        "my dog takes insulin I think",
        "my dog likes cheese he takes insulin",
        "User studies how they treat cancer",
    ] {
        assert_harmless(text);
    }
    assert!(!is_about_another("my sister likes tea I take insulin"));
    assert!(is_about_another("I like tea but my sister takes insulin"));
}

#[test]
fn finance_is_found() {
    for text in [
        "User earns $85,000 a year",
        "User makes 4k a month",
        "User owes 12.000 € to the bank",
        "User is deep in debt",
        "User filed for bankruptcy in 2018",
        "User has a mortgage of 300,000 pounds",
        "User's salary is too low for the flat",
        "User has 15,000 euros in a savings account",
        "User owns 200 shares of Northwind",
        "User has student loans",
        "Das Gehalt des Nutzers liegt bei 3.800 Euro",
        "Nutzer verdient 52000 im Jahr",
        "Nutzer hat Schulden bei der Bank",
        "L'utilisateur est endetté",
        "L'utilisateur gagne 2 300 euros par mois",
        "El sueldo del usuario es de 1.900 euros",
        "O usuário tem dívidas no cartão",
        "L'utente guadagna 1.700 euro al mese",
        "De gebruiker heeft een studieschuld",
        "Kullanıcının maaşı 40.000 lira",
        "Зарплата пользователя 90 тысяч рублей",
        "على المستخدم ديون كثيرة",
        "उपयोगकर्ता का वेतन 50,000 रुपये है",
        "用户月薪两万",
        "ユーザーの年収は600万円",
        "사용자의 연봉은 5천만 원이다",
        "ผู้ใช้เป็นหนี้บัตรเครดิต",
    ] {
        assert_topic(text, "finance");
    }
}

#[test]
fn beliefs_are_found() {
    for (text, domain) in [
        ("User is a practising Catholic", "religion"),
        ("User goes to church on Sundays", "religion"),
        ("User attends the mosque in Leith", "religion"),
        ("User is an atheist", "religion"),
        ("User converted to Buddhism", "religion"),
        ("User prays five times a day", "religion"),
        ("User is a Christian", "religion"),
        ("Nutzer ist evangelisch", "religion"),
        ("Nutzerin betet täglich", "religion"),
        ("L'utilisatrice est juive", "religion"),
        ("El usuario es católico", "religion"),
        ("O usuário é muçulmano", "religion"),
        ("L'utente è ateo", "religion"),
        ("Kullanıcı Müslüman", "religion"),
        ("Пользователь православный", "religion"),
        ("المستخدم مسلم", "religion"),
        ("उपयोगकर्ता हिंदू है", "religion"),
        ("用户是基督徒", "religion"),
        ("ユーザーはクリスチャンです", "religion"),
        ("사용자는 불교 신자이다", "religion"),
        ("ผู้ใช้นับถือศาสนาพุทธ", "religion"),
        ("User voted for the Green Party", "politics"),
        ("User is a registered Democrat", "politics"),
        ("User votes Labour", "politics"),
        ("User campaigned for Sanders", "politics"),
        ("User is far-left", "politics"),
        ("Nutzer wählt die SPD", "politics"),
        ("Nutzerin ist Mitglied der CDU", "politics"),
        ("L'utilisateur a voté Macron", "politics"),
        ("El usuario es de izquierdas", "politics"),
        ("O usuário votou no Lula", "politics"),
        ("Пользователь голосовал за коммунистов", "politics"),
        ("Kullanıcı CHP üyesi", "politics"),
        ("用户是中共党员，入党十年", "politics"),
        ("ユーザーは自民党に投票した", "politics"),
        ("User is a shop steward", "union_membership"),
        ("User pays dues to the nurses' union", "union_membership"),
        ("User joined the union at the depot", "union_membership"),
        ("Nutzer ist in der IG Metall", "union_membership"),
        ("Nutzerin ist Gewerkschaftsmitglied", "union_membership"),
        ("L'utilisatrice est syndiquée à la CGT", "union_membership"),
        ("El usuario es delegado sindical", "union_membership"),
        ("L'utente è iscritto al sindacato", "union_membership"),
        ("Пользователь состоит в профсоюзе", "union_membership"),
        ("用户加入了工会", "union_membership"),
        ("ユーザーは労働組合に入っている", "union_membership"),
    ] {
        assert_topic(text, domain);
    }
}

#[test]
fn identity_and_records_are_found() {
    for (text, domain) in [
        ("User is bisexual", "sexuality"),
        ("User came out as trans last year", "sexuality"),
        ("User is a gay man", "sexuality"),
        ("User is nonbinary", "sexuality"),
        ("Nutzer ist schwul", "sexuality"),
        ("L'utilisatrice est lesbienne", "sexuality"),
        ("El usuario es homosexual", "sexuality"),
        ("L'utente è transgender", "sexuality"),
        ("Kullanıcı eşcinsel", "sexuality"),
        ("Пользователь гей", "sexuality"),
        ("المستخدم مثلي الجنس", "sexuality"),
        ("उपयोगकर्ता समलैंगिक है", "sexuality"),
        ("用户是同性恋", "sexuality"),
        ("ユーザーはゲイです", "sexuality"),
        ("사용자는 동성애자이다", "sexuality"),
        ("ผู้ใช้เป็นเกย์", "sexuality"),
        ("User is of Nigerian descent", "ethnicity"),
        ("User is African American", "ethnicity"),
        ("User is Kurdish", "ethnicity"),
        ("User has Vietnamese roots", "ethnicity"),
        ("Nutzer ist türkischstämmig", "ethnicity"),
        ("Nutzerin hat polnische Wurzeln", "ethnicity"),
        ("L'utilisateur est d'origine algérienne", "ethnicity"),
        ("El usuario es gitano", "ethnicity"),
        ("用户是藏族", "ethnicity"),
        ("User carries a mutation in the CFTR gene", "genetics"),
        ("User's DNA test showed a raised risk", "genetics"),
        ("User has the APOE4 variant", "genetics"),
        ("User had her whole genome sequenced", "genetics"),
        ("Nutzerin trägt eine Genmutation", "genetics"),
        ("La usuaria se hizo una prueba genética", "genetics"),
        ("L'utilisatrice est porteuse du gène", "genetics"),
        ("用户做了基因检测", "genetics"),
        ("ユーザーはBRCA1の保因者", "genetics"),
        ("User was convicted of fraud in 2012", "criminal_record"),
        ("User spent two years in prison", "criminal_record"),
        ("User has a criminal record", "criminal_record"),
        ("User was arrested at a protest", "criminal_record"),
        ("User is on parole", "criminal_record"),
        ("User got a DUI", "criminal_record"),
        ("Nutzer ist vorbestraft", "criminal_record"),
        ("Nutzer saß im Gefängnis", "criminal_record"),
        ("L'utilisateur a un casier judiciaire", "criminal_record"),
        ("El usuario tiene antecedentes penales", "criminal_record"),
        ("L'utente è stato in carcere", "criminal_record"),
        ("У пользователя есть судимость", "criminal_record"),
        ("Kullanıcının sabıkası var", "criminal_record"),
        ("用户有前科", "criminal_record"),
        ("ユーザーは逮捕されたことがある", "criminal_record"),
        ("사용자는 전과가 있다", "criminal_record"),
        ("ผู้ใช้เคยติดคุก", "criminal_record"),
        ("User is divorced", "relationships"),
        ("User's wife is called Ingrid", "relationships"),
        ("Nutzer ist verheiratet", "relationships"),
        ("用户已婚", "relationships"),
    ] {
        assert_topic(text, domain);
    }
}

#[test]
fn harmless_neighbours_pass() {
    for text in [
        "",
        "User is vegan",
        "User is allergic to peanuts",
        "User is lactose intolerant",
        "User's partner is coeliac",
        "User eats halal",
        "User keeps kosher",
        "User likes yoga and meditation",
        "User works at a hospital",
        "User is a nurse on the cancer ward",
        "User is an oncologist",
        "User works in HIV research",
        "User is writing a thesis on depression in novels",
        "User builds an app for people with diabetes",
        "User volunteers with patients who have dementia",
        "User's dog has diabetes",
        "User's cat is fourteen, deaf, and runs the house",
        "User's star sign is Cancer and they love the sea",
        "User reads about the Great Depression",
        "User runs the tests with 500 mg weights",
        "User ran a marathon in 3:45",
        "User is a physiotherapist",
        "User's friend is a therapist in Bonn",
        "User disabled notifications",
        "User went on a blind date in Paris",
        "User is a software engineer at a bank",
        "User is off on the bank holiday",
        "User only invests in funds",
        "User prefers index funds",
        "User wants retirement at 50",
        "User doesn't want retirement advice yet",
        "User wants to pay down technical debt",
        "User's budget for a bike is 900 euros",
        "User's order number is 20459917",
        "User has an account manager at Northwind",
        "User is working on a mortgage calculator",
        "User reads about politics",
        "User studies political science",
        "User's birthday party is on Friday",
        "User joined Anna's party in the park",
        "User voted for pizza at the team lunch",
        "User needs the union of two sets",
        "User is a member of a credit union",
        "User flew through the European Union",
        "User models data with tagged unions",
        "User reads about the gay 90s",
        "User likes straight answers",
        "User's brother Christian lives in Ulm",
        "User wears Christian Dior",
        "User visited a mosque in Istanbul",
        "User photographs church architecture",
        "User likes Buddhist art",
        "User wants a database agnostic tool",
        "User celebrates Christmas with the family",
        "User is learning Kurdish",
        "User is from Nigeria",
        "User is German",
        "User drinks coffee of Ethiopian origin",
        "User likes black coffee",
        "User has a black belt in judo",
        "User lives in Roma",
        "User uses mutation testing",
        "User writes GraphQL mutations",
        "User unlocks the phone with a fingerprint sensor",
        "User studies genetics",
        "User watches Prison Break",
        "User teaches at a prison library",
        "User has strong convictions about tabs",
        "User is on probation in the new job until May",
        "User's pronouns are they/them",
        "Nutzerin arbeitet als Krankenschwester",
        "Nutzer ist allergisch gegen Haselnüsse",
        "Nutzer hört gern Jazz",
        "L'utilisatrice est infirmière à Lyon",
        "Sin embargo, el usuario prefiere el tren",
        "A la usuaria le gustan las judías verdes",
        "O usuário mora no Porto",
        "Kullanıcı her gün işe yürüyerek gelir",
        "Пользователь вступил в брак с кофе",
        "用户在医院当护士",
        "用户吃素",
        "用户用信用卡付款",
        "ユーザーはガンダムが好き",
        "ユーザーは京都で看護師をしている",
        "사용자는 게이머이다",
        "ผู้ใช้ชอบแม่น้ำ",
        "उपयोगकर्ता को क्रिकेट पसंद है",
        "המשתמש גר בחיפה",
    ] {
        assert_harmless(text);
    }
}

#[test]
fn what_is_said_of_others_is_told() {
    for text in [
        "User's friend Tom has HIV",
        "User's mother was diagnosed with cancer",
        "User's younger brother is gay",
        "My sister is pregnant",
        "Tom has epilepsy",
        "Anna Berg was convicted of theft",
        "User's colleague earns 90k",
        "User cares for her mother, who has dementia",
        "User has a son with autism",
        "User is a nurse and her husband is bipolar",
        "User moved out after his flatmate went to prison",
        "User's father, who lives in Leeds, has Parkinson's",
        "Tom ist schwul",
        "Die Mutter des Nutzers hat Krebs",
        "Der Bruder der Nutzerin ist vorbestraft",
        "Le frère de l'utilisateur est autiste",
        "La madre del usuario tiene diabetes",
        "O irmão do usuário é gay",
        "La sorella dell'utente è incinta",
        "De vader van de gebruiker heeft kanker",
        "Kullanıcının annesi kanser",
        "У мамы пользователя диабет",
        "صديق المستخدم مصاب بالسكري",
        "مادر کاربر سرطان دارد",
        "उपयोगकर्ता की माँ को कैंसर है",
        "用户的母亲患有癌症",
        "ユーザーの友人はゲイです",
        "사용자의 어머니는 치매이다",
        "แม่ของผู้ใช้เป็นมะเร็ง",
    ] {
        assert!(is_about_another(text), "{text}");
    }
    for text in [
        "User has diabetes",
        "I have diabetes",
        "User's salary is 50,000 euros",
        "User's doctor prescribed sertraline",
        "User takes their daughter to school before chemotherapy",
        "User told her sister about the cancer",
        "User is a father with depression",
        "User, a mother of two, has asthma",
        "User lives with her mother and has asthma",
        "User's wife is a vet, and I have gout",
        "Diabetes is under control",
        "Salary is 4,000 euros",
        "User's friend Tom lives in Paris",
        "User's wife is called Ingrid",
        "User's partner is coeliac",
        "User's dog has diabetes",
        "Nutzer hat Krebs",
        "Das Gehalt des Nutzers ist 3.800 Euro",
        "L'utilisateur est diabétique",
        "Kullanıcının maaşı 40.000 lira",
        "У пользователя диабет",
        "उपयोगकर्ता को मधुमेह है",
        "用户患有糖尿病",
        "ユーザーは喘息です",
        "",
    ] {
        assert!(!is_about_another(text), "{text}");
    }
}

#[test]
fn long_texts_are_judged() {
    for part in [
        "user's friend ",
        "mg 5 ",
        "a",
        "ا",
        "癌",
        "and ",
        "1,000 $ ",
        "trade ",
    ] {
        let text = part.repeat(32 * 1024 / part.len());
        let _ = (topics(&text), is_about_another(&text));
    }
}

proptest! {
    #[test]
    fn any_text_is_judged(text in "(?s).{0,64}") {
        let found = topics(&text);
        prop_assert!(!is_about_another(&text) || !found.is_empty());
    }

    #[test]
    fn any_mixture_is_judged(parts in prop::collection::vec(prop::sample::select(vec![
        "user", "'s ", "friend ", "has ", "HIV ", "5", "mg ", "€", ",", ".", " and ", "with ", "who ", "union ", "member ",
        "的", "癌", "用户", "朋友", "و", "السكري ", "de ", "людеи ", "\u{200b}", "k ", "Tom ", "is ", "dog ", "earns ",
    ]), 0..20)) {
        let text = parts.concat();
        let found = topics(&text);
        prop_assert!(!is_about_another(&text) || !found.is_empty());
    }
}
