//! Words and characters too common to tell one memory from another. Only queries leave them out.

/// Sorted, case-folded, without apostrophes.
#[rustfmt::skip]
const STOP_WORDS: &[&str] = &[
    "a", "about", "above", "after", "again", "against", "all", "also", "am", "an", "and", "any",
    "are", "arent", "as", "at", "be", "because", "been", "before", "being", "below", "between",
    "both", "but", "by", "can", "cannot", "cant", "could", "couldnt", "did", "didnt", "do",
    "does", "doesnt", "doing", "dont", "down", "during", "each", "few", "for", "from", "further",
    "get", "got", "had", "hadnt", "has", "hasnt", "have", "havent", "having", "he", "her", "here",
    "hers", "herself", "him", "himself", "his", "how", "i", "id", "if", "im", "in", "into", "is",
    "isnt", "it", "its", "itself", "ive", "just", "let", "me", "more", "most", "mustnt", "my",
    "myself", "no", "nor", "not", "now", "of", "off", "on", "once", "only", "or", "other", "our",
    "ours", "ourselves", "out", "over", "own", "same", "shall", "shant", "she", "should",
    "shouldnt", "so", "some", "such", "than", "that", "thats", "the", "their", "theirs", "them",
    "themselves", "then", "there", "these", "they", "this", "those", "through", "to", "too",
    "under", "until", "up", "us", "very", "was", "wasnt", "we", "were", "werent", "what", "whats",
    "when", "where", "which", "while", "who", "whom", "whose", "why", "will", "with", "wont",
    "would", "wouldnt", "you", "your", "youre", "yours", "yourself", "yourselves",
];

/// Whether `word`, case-folded and without apostrophes, is an English stop word.
///
/// ```
/// use keepmind::text::is_stop_word;
/// assert!(is_stop_word("what") && is_stop_word("didnt"));
/// assert!(!is_stop_word("tea"));
/// ```
#[must_use]
pub fn is_stop_word(word: &str) -> bool {
    let Some(letter) = word.bytes().next().filter(u8::is_ascii_lowercase) else {
        return false;
    };
    // Asked for every word of every text: most are of a length that no stop word of the letter has, and among
    // the others looking at them all is faster than a binary search.
    let letter = usize::from(letter - b'a');
    if word.len() >= 16 || LENGTHS[letter] >> word.len() & 1 == 0 {
        return false;
    }
    STOP_WORDS[STARTS[letter]..STARTS[letter + 1]].contains(&word)
}

/// How long the words of each letter are, a bit for each length. None has 16 letters.
const LENGTHS: [u16; 26] = {
    let mut lengths = [0; 26];
    let mut index = 0;
    while index < STOP_WORDS.len() {
        let word = STOP_WORDS[index].as_bytes();
        lengths[(word[0] - b'a') as usize] |= 1 << word.len();
        index += 1;
    }
    lengths
};

/// Where the words of each letter start in the table, and where the last ones end.
const STARTS: [usize; 27] = {
    let mut starts = [STOP_WORDS.len(); 27];
    let mut index = STOP_WORDS.len();
    let mut letter = 26;
    while letter > 0 {
        letter -= 1;
        while index > 0 && STOP_WORDS[index - 1].as_bytes()[0] >= b'a' + letter as u8 {
            index -= 1;
        }
        starts[letter] = index;
    }
    starts
};

/// Function characters of Chinese, simplified and traditional, sorted.
#[rustfmt::skip]
const STOP_CHARACTERS: &[char] = &[
    '一', '不', '与', '且', '个', '为', '么', '之', '也', '了', '什', '从', '他', '以', '们', '会',
    '但', '你', '個', '們', '其', '再', '到', '去', '又', '只', '可', '吗', '吧', '呀', '呢', '和',
    '哦', '哪', '啊', '啥', '嗎', '嘛', '因', '在', '她', '它', '对', '對', '就', '很', '得', '從',
    '怎', '我', '或', '所', '把', '是', '會', '有', '沒', '没', '為', '的', '着', '給', '给', '而',
    '能', '與', '著', '被', '要', '說', '誰', '讓', '让', '说', '谁', '跟', '过', '还', '这', '這',
    '過', '還', '那', '都', '麼',
];

/// Whether `character` is a Chinese function character, which has little meaning by itself or
/// next to another one.
pub(super) fn is_stop_character(character: char) -> bool {
    STOP_CHARACTERS.binary_search(&character).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted_and_folded() {
        assert!(STOP_WORDS.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(
            STOP_WORDS
                .iter()
                .all(|word| word.bytes().all(|byte| byte.is_ascii_lowercase()))
        );
        assert!(STOP_CHARACTERS.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn questions_are_stop_words_and_their_subjects_are_not() {
        for word in ["what", "when", "where", "did", "does", "the", "i", "dont"] {
            assert!(is_stop_word(word), "{word}");
        }
        assert!(STOP_WORDS.iter().all(|word| is_stop_word(word)));
        assert!(is_stop_character('的') && !is_stop_character('猫'));
        for word in [
            "",
            "tea",
            "anna",
            "é",
            "{",
            "`",
            "What",
            "may",
            "will-power",
            "zz",
        ] {
            assert!(!is_stop_word(word), "{word}");
        }
    }
}
