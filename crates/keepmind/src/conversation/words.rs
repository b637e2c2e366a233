//! Words that say what kind of sentence they stand in, in a few languages each. What follows from that is
//! decided by who asks.

/// Words by which somebody speaks of themselves, folded.
#[rustfmt::skip]
pub(super) const FIRST_PERSON: &[&str] = &[
    "i", "my", "me", "mine", "we", "our", "us", "ich", "mein", "meine", "meinen", "mir", "mich", "wir",
    "unser", "je", "j", "mon", "ma", "mes", "moi", "nous", "notre", "yo", "mi", "mis", "nosotros", "eu",
    "meu", "minha", "io", "mio", "mia", "noi", "ik", "mijn", "wij", "ja", "mój", "moja", "jag", "min", "я",
    "мой", "моя", "мне", "меня", "мы", "наш", "ben", "benim", "biz", "أنا", "أني", "من", "मैं", "मेरा",
    "मेरी", "मुझे", "tôi", "saya", "aku",
];

/// The same in scripts without blanks, where they are looked for anywhere.
#[rustfmt::skip]
pub(super) const FIRST_PERSON_PIECES: &[&str] = &[
    "我", "私", "僕", "俺", "저는", "제가", "나는", "내가", "우리", "ผม", "ฉัน", "ดิฉัน", "เรา",
];

/// Words that say what is done, or how and when, and not what with: no topic of a chat, folded, of four letters
/// or more.
#[rustfmt::skip]
pub(super) const UNTELLING: &[&str] = &[
    "aber", "able", "actually", "adesso", "adore", "adoro", "agora", "ahora", "aime", "aimerais", "ainda",
    "algo", "alguna", "algún", "alles", "almost", "alors", "already", "altijd", "always", "anche", "ancora",
    "another", "antes", "anyone", "anything", "après", "around", "asked", "assez", "auch", "aunque", "aussi",
    "avec", "avoir", "away", "back", "basically", "bastante", "beaucoup", "become", "been", "beetje", "began",
    "begin", "bene", "better", "bien", "bisogno", "bitte", "bought", "brauche", "bring", "brought", "call",
    "called", "came", "casi", "cette", "chez", "come", "comes", "coming", "comme", "como", "could", "creo",
    "cuando", "daar", "dank", "danke", "dann", "dans", "days", "definitely", "depois", "depuis", "desde",
    "después", "deze", "different", "doch", "doen", "dois", "donc", "donde", "done", "dopo", "dove", "each",
    "easy", "eine", "einen", "einer", "eines", "einfach", "eles", "ella", "elle", "ellos", "else", "encanta",
    "encore", "enjoy", "enjoyed", "enjoys", "enough", "entre", "envie", "especially", "essa", "esse", "esta",
    "este", "esto", "estou", "estoy", "etwas", "even", "every", "everyone", "everything", "exactly", "faccio",
    "faire", "fait", "fare", "fatto", "faut", "fazer", "feel", "feeling", "feels", "felt", "find", "finde",
    "finding", "first", "found", "gaan", "ganz", "gave", "gehe", "gern", "gerne", "gestern", "getting",
    "gibt", "give", "given", "gives", "glad", "goes", "going", "gone", "gonna", "good", "gosto", "graag",
    "gracias", "grazie", "great", "gusta", "gustaría", "habe", "haben", "hace", "hacer", "hasta", "hate",
    "hates", "heel", "hello", "help", "helped", "helps", "heute", "hier", "hoje", "hope", "hoping", "houd",
    "idea", "iets", "immer", "isso", "isto", "jamais", "kann", "kannst", "keep", "keeping", "keeps", "kein",
    "keine", "keinen", "kept", "kind", "kinda", "knew", "know", "known", "knows", "kunnen", "könnte", "last",
    "lately", "later", "least", "less", "leuk", "liebe", "like", "liked", "likes", "liking", "little", "long",
    "look", "looked", "looking", "looks", "lots", "love", "loved", "loves", "loving", "luego", "maar",
    "mache", "machen", "made", "maintenant", "mais", "make", "maken", "makes", "making", "many", "maybe",
    "mañana", "mean", "means", "meant", "meer", "mehr", "meno", "merci", "mesmo", "mich", "might", "mismo",
    "moet", "moins", "molto", "moment", "morgen", "much", "mucha", "mucho", "muchos", "muito", "muitos",
    "muss", "must", "möchte", "naar", "nach", "nada", "necesito", "need", "needed", "needs", "never", "next",
    "nice", "nicht", "niente", "niet", "noch", "nodig", "nooit", "nothing", "nunca", "oder", "often", "oggi",
    "ogni", "okay", "omdat", "only", "other", "others", "para", "parce", "pelo", "pense", "perché", "perhaps",
    "pero", "peut", "peux", "piace", "please", "plus", "poco", "pode", "porque", "posso", "pour", "pourquoi",
    "preciso", "prefer", "prefers", "pretty", "prima", "probably", "proprio", "puede", "puedo", "quand",
    "quando", "quello", "quelque", "quero", "questa", "questo", "quiero", "quite", "really", "recently",
    "rien", "right", "said", "sans", "says", "seem", "seems", "seen", "sehr", "sempre", "should", "siempre",
    "since", "sind", "sobre", "solo", "some", "somebody", "someone", "something", "sometimes", "somewhat",
    "soms", "sono", "sont", "soon", "sorry", "start", "started", "still", "stuff", "suis", "sure", "take",
    "taken", "takes", "taking", "también", "também", "tanto", "tell", "tengo", "tenho", "thank", "thanks",
    "thing", "things", "think", "thinking", "thought", "tiene", "time", "times", "today", "todo", "todos",
    "told", "tomorrow", "tonight", "took", "toujours", "tous", "tout", "toute", "tried", "tries", "trop",
    "truly", "trying", "très", "tutto", "tuve", "under", "usar", "used", "uses", "using", "usually", "vaak",
    "vandaag", "veel", "veux", "viel", "viele", "voglio", "voor", "vorrei", "voudrais", "vous", "waar",
    "wanna", "want", "wanted", "wanting", "wants", "waren", "weer", "weil", "well", "wenn", "went", "were",
    "what", "whatever", "will", "wird", "wish", "without", "wondering", "worden", "would", "wurde", "würde",
    "yesterday", "zijn", "zwei", "être", "более", "больше", "буду", "было", "быть", "весь", "всегда", "всего",
    "говорю", "даже", "день", "должен", "если", "есть", "знаю", "иногда", "когда", "конечно", "который",
    "люблю", "меня", "много", "могу", "может", "можно", "надо", "нашел", "никогда", "ничего", "нравится",
    "нужно", "очень", "пока", "после", "потом", "почему", "просто", "сегодня", "сейчас", "спасибо", "также",
    "тоже", "только", "хочу", "чтобы",
];

/// Words by which something is decided, wanted or due, folded.
#[rustfmt::skip]
pub(super) const DECISIONS: &[&str] = &[
    "decided", "decide", "decision", "agreed", "chose", "chosen", "choose", "plan", "planned", "must",
    "deadline", "need", "want", "wants", "will", "ll", "prefer", "instead", "because", "remember",
    "important", "entschieden", "beschlossen", "vereinbart", "wähle", "plane", "muss", "möchte", "brauche",
    "wichtig", "décidé", "choisi", "veux", "dois", "besoin", "decidido", "decidí", "quiero", "necesito",
    "decidi", "quero", "preciso", "deciso", "voglio", "devo", "besloten", "wil", "решил", "решила",
    "решили", "хочу", "нужно", "karar", "istiyorum", "قررت", "أريد",
];

/// The same in scripts without blanks, or of more than a word.
#[rustfmt::skip]
pub(super) const DECISION_PIECES: &[&str] = &[
    "let's", "let’s", "决定", "決定", "需要", "想要", "打算", "決め", "したい", "결정", "ตัดสินใจ", "ต้องการ", "อยาก",
];

/// How a message begins that has not come to its point, in lower case. A phrase stands before those it
/// begins with.
#[rustfmt::skip]
pub(super) const GREETINGS: &[&str] = &[
    "could you help me with", "can you help me with", "i would like you to", "kannst du mir bitte",
    "est-ce que tu peux", "could you help me", "could you please", "i need help with", "would you please",
    "can you help me", "i'd like you to", "kannst du bitte", "könntest du mir", "s'il vous plaît",
    "can you please", "dear assistant", "good afternoon", "können sie mir", "buenas tardes",
    "i need you to", "i want you to", "kannst du mir", "pourriez-vous", "s'il te plaît", "good evening",
    "good morning", "guten morgen", "help me with", "здравствуйте", "السلام عليكم", "alsjeblieft",
    "buenos días", "dzień dobry", "goedemorgen", "guten abend", "hello there", "könnten sie", "könntest du",
    "pourrais-tu", "pouvez-vous", "добрый день", "buongiorno", "czy możesz", "help me to", "können sie",
    "per favore", "здравствуй", "пожалуйста", "สวัสดีครับ", "boa tarde", "could you", "greetings",
    "guten tag", "hey there", "kannst du", "me puedes", "por favor", "thank you", "você pode", "would you",
    "สวัสดีค่ะ", "おはようございます", "chào bạn", "hi there", "potresti", "will you", "xin chào", "هل يمكنك",
    "bom dia", "bonjour", "bonsoir", "can you", "help me", "merhaba", "peux tu", "peux-tu", "poderia",
    "podrías", "من فضلك", "kan je", "kun je", "kunt u", "lütfen", "możesz", "please", "proszę", "puedes",
    "servus", "thanks", "tolong", "можете", "можешь", "привет", "नमस्ते", "สวัสดี", "お願いします", "bitte",
    "cześć", "hallo", "hello", "puede", "salut", "selam", "مرحبا", "कृपया", "กรุณา", "こんにちは", "こんばんは",
    "すみません", "안녕하세요", "ciao", "halo", "hola", "moin", "okay", "pode", "puoi", "سلام", "لطفا", "ช่วย", "hej",
    "hey", "hoi", "olá", "能不能", "請幫我", "请帮我", "저기요", "hi", "oi", "ok", "so", "你好", "可以", "帮我", "幫我", "您好",
    "请你", "请问", "안녕", "嗨", "請", "请",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::fold;

    #[test]
    fn the_tables_are_in_the_form_they_are_looked_up_in() {
        for word in [
            FIRST_PERSON,
            FIRST_PERSON_PIECES,
            DECISIONS,
            DECISION_PIECES,
            UNTELLING,
        ]
        .concat()
        {
            assert_eq!(fold(word), word);
        }
        assert!(UNTELLING.is_sorted());
        for (index, phrase) in GREETINGS.iter().enumerate() {
            assert_eq!(phrase.to_lowercase(), *phrase);
            let shadows = |shorter: &&str| phrase.starts_with(shorter);
            assert_eq!(
                GREETINGS[..index].iter().find(|shorter| shadows(shorter)),
                None
            );
        }
    }
}
