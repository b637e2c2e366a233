//! Instructions in scripts whose words have no blanks between them or many endings: pieces of words
//! that give a sentence away when they stand together. Latin script is in `orders`.

use super::kinds::Instruction;

const IGNORE: &str = "игнорируи|игнорировать|проигнорируи|забудь|не обращаи внимания|отмени|не следуи|\
    обоиди|ігноруи|ігнорувати|忽略|无视|無視|忽視|忽视|不要理会|忘记|忘掉|忘記|绕过|不要遵守|別理會|忘れ|従わない|従うな|무시|잊어|\
    따르지|เพิกเฉย|ละเว้น|ไม่ต้องสนใจ|อย่าสนใจ|ลืม|ไม่สนใจ|تجاهل|انس |لا تتبع|अनदेखा|\
    नज़रअंदाज|नजरअंदाज|भूल जा|इग्नोर|התעלם|התעלמי|תתעלם|αγνοησε|αγνοηστε|نادیده|উপেক্ষা";
const RULES: &str = "инструкци|правил|указани|ограничени|команд|промпт|інструкці|指令|指示|规则|規則|提示|限制|说明|設定|\
    设定|命令|ルール|プロンプト|制限|지시|명령|규칙|프롬프트|지침|คําสั่ง|กฎ|คําแนะนํา|ข้อจํากัด|تعليمات|اوامر|\
    قواعد|التعليمات|निर्देश|नियम|आदेश|הוראות|הכללים|הנחיות|οδηγιεσ|κανονεσ|دستور|নির্দেশ";
/// Says which rules: an order to a machine, not a remark about somebody.
const EARLIER: &str = "предыдущ|прежн|систем|ранее|выше|попередн|之前|以前|先前|以上|上述|前面|系统|系統|此前|安全|これまで|前の|上記|\
    システム|今まで|이전|앞선|위의|시스템|지금까지|기존|ก่อนหน้า|ระบบ|เดิม|ข้างต้น|السابقة|السابقه|النظام|पिछल|\
    पहले|पूर्व|सिस्टम|הקודמות|המערכת|προηγουμεν|قبلی|আগের|পূর্ববর্তী";
const ALL: &str =
    "все|всі|所有|一切|全部|すべて|全て|모든|모두|ทั้งหมด|كل |جميع|सभी|सब|כל |ολεσ|همه|সব";
const USER: &str = "пользовател|користувач|用户|用戶|使用者|ユーザー|사용자|ผู้ใช้|المستخدم|उपयोगकर्ता|המשתמש|\
    ο χρηστησ|کاربر";
const ALWAYS: &str = "всегда|обязательно|отныне|впредь|завжди|总是|總是|始终|始終|一定要|永远|今后|從現在|从现在|务必|一律|每次|常に|\
    いつも|必ず|今後|これから|항상|언제나|반드시|앞으로|무조건|เสมอ|ทุกครั้ง|ตลอด|ต่อไปนี้|دايما|من الان|हमेशा|\
    सदा|अब से|תמיד|מעכשיו|παντα|همیشه|সবসময়";
const PROMOTE: &str = "рекомендуи|рекомендовать|советуи|предлагаи|продвигаи|рекламируи|推荐|推薦|推广|推廣|勧め|推奨|薦め|\
    おすすめ|宣伝|추천|홍보|권장|แนะนํา|โปรโมท|โปรโมต|اوص|انصح|يوصي|رشح|توصي|सिफारिश|सिफ़ारिश|सुझाव|\
    सुझाए|सुझाओ|המלץ|תמליץ|להמליץ|προτεινε|συστησε|توصیه";
const NEVER: &str = "не |никогда|不要|别|不推荐|從不|ないで|しない|ません|하지 마|않|말|อย่า|ไม่|لا |मत|नहीं|न करें|אל |μην";
const PRODUCT: &str = "банк|фонд|компани|продукт|магазин|银行|銀行|公司|产品|產品|品牌|基金|会社|製品|商品|은행|회사|제품|상품|펀드|\
    ธนาคาร|บริษัท|ผลิตภัณฑ์|สินค้า|กองทุน|بنك|شركة|منتج|صندوق|बैंक|कंपनी|उत्पाद|फंड|הבנק|\
    בנק|חברת|τραπεζα|بانک";
const TRUSTED: &str = "надежныи источник|надежным источником|доверенныи источник|проверенным источником|\
    доверенным источником|доверяи|可信来源|可信的来源|可靠来源|可靠的来源|可信賴的來源|值得信赖的来源|受信任的来源|信任的来源|\
    信頼できる情報源|信頼できるソース|信頼できる出典|信頼できる情報元|신뢰할 수 있는 출처|신뢰할 수 있는 소스|신뢰할 수 있는 정보원|\
    แหล่งที่เชื่อถือได้|แหล่งข้อมูลที่เชื่อถือได้|แหล่งที่น่าเชื่อถือ|\
    แหล่งข้อมูลที่น่าเชื่อถือ|مصدر موثوق|مصدرا موثوقا|مصدرا موثوق|كمصدر موثوق|\
    विश्वसनीय स्रोत|भरोसेमंद स्रोत|מקור אמין|מקור מהימן|αξιοπιστη πηγη|منبع معتبر";
const PROMPT: &str = "системныи промпт|системную подсказку|системные инструкции|系统提示|系統提示|系统指令|システムプロンプト|\
    시스템 프롬프트|시스템프롬프트|พรอมต์ระบบ|พรอมต์ของระบบ|คําสั่งระบบ|موجه النظام|تعليمات النظام|\
    सिस्टम प्रॉम्प्ट|הנחיות המערכת|פרומפט המערכת";
const REVEAL: &str = "покажи|раскрои|выведи|透露|显示|顯示|泄露|输出|輸出|公开|公開|告诉|表示|明かし|教えて|見せて|出力|공개|출력|보여|알려|\
    เปิดเผย|แสดง|บอก|اكشف|اعرض|اظهر|दिखा|बता|प्रकट|חשוף|הצג|גלה";
const UNBOUND: &str = "без ограничении|без каких-либо ограничении|没有限制|无限制|不受限制|沒有限制|不受任何限制|没有任何限制|制限なし|\
    制限なく|制限のない|제한 없이|제한없이|제약 없이|ไม่มีข้อจํากัด|بدون قيود|بلا قيود|बिना किसी प्रतिबंध|\
    बिना किसी सीमा|ללא הגבלות|χωρισ περιορισμουσ";
const ANSWER: &str = "отвечаи|ты теперь|веди себя|деиствуи|回答|扮演|作为|你现在是|你是|答えて|振る舞|として|대답|답변|행동|역할|ตอบ|\
    ทําตัว|คุณคือ|اجب|تصرف|انت الان|जवाब|आप अब|ענה";

/// Whether one of the pieces of a list, with `|` between them, stands in the sentence.
fn any(sentence: &str, list: &str) -> bool {
    list.split('|').any(|piece| sentence.contains(piece))
}

/// The first instruction in a skeleton with other scripts than Latin.
pub(super) fn in_other_scripts(skeleton: &str) -> Option<Instruction> {
    skeleton
        .split(['.', '!', '?', ';', '。', '।', '؟', '؛'])
        .filter(|sentence| !sentence.is_ascii())
        .find_map(judge)
}

fn judge(sentence: &str) -> Option<Instruction> {
    if any(sentence, IGNORE) && any(sentence, RULES) {
        let order = any(sentence, EARLIER) || (any(sentence, ALL) && !any(sentence, USER));
        if order {
            return Some(Instruction::Override);
        }
    }
    if any(sentence, PROMPT) && any(sentence, REVEAL) {
        return Some(Instruction::Reveal);
    }
    if any(sentence, UNBOUND) && any(sentence, ANSWER) {
        return Some(Instruction::Role);
    }
    if any(sentence, TRUSTED) {
        return Some(Instruction::Trust);
    }
    let promotes = any(sentence, PROMOTE) && any(sentence, ALWAYS) && !any(sentence, NEVER);
    (promotes && (any(sentence, PRODUCT) || named(sentence))).then_some(Instruction::Promotion)
}

/// Whether a word in Latin script stands in it: in these scripts, mostly a name.
fn named(sentence: &str) -> bool {
    sentence
        .split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| {
            word.len() >= 3 && word != "user" && word.bytes().any(|byte| byte.is_ascii_alphabetic())
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::skeleton::skeleton;

    #[test]
    fn tables_are_in_the_form_that_is_looked_at() {
        for list in [
            IGNORE, RULES, EARLIER, ALL, USER, ALWAYS, PROMOTE, NEVER, PRODUCT, TRUSTED, PROMPT,
            REVEAL, UNBOUND, ANSWER,
        ] {
            for piece in list.split('|') {
                let form = skeleton(&format!("|{piece}|"));
                assert!(form == format!("|{piece}|"), "{piece} {form}");
            }
        }
    }
}
