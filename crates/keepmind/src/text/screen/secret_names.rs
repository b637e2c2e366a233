//! The words that give a secret away, and those around them, by language: a language is a line in
//! each list. How they go together is in `secret_words`.

use super::kinds::Secret;
use crate::text::lexicon::Classes;

pub(super) const PASSWORD: Classes = 1;
pub(super) const PIN: Classes = 1 << 1;
pub(super) const CARD_CODE: Classes = 1 << 2;
pub(super) const ONE_TIME: Classes = 1 << 3;
pub(super) const KEY: Classes = 1 << 4;
pub(super) const SEED: Classes = 1 << 5;
pub(super) const SOCIAL: Classes = 1 << 6;
pub(super) const ACCOUNT: Classes = 1 << 7;
/// Means "is" or the like: what follows may be the value.
pub(super) const LINK: Classes = 1 << 8;
/// May stand between the link and the value.
pub(super) const FILLER: Classes = 1 << 9;
/// Follows a number that is a length or a time, not a value.
pub(super) const UNIT: Classes = 1 << 10;
/// Makes another word of the one before: "password manager".
pub(super) const COMPOUND: Classes = 1 << 11;
/// Describes a password rather than being one.
pub(super) const ABOUT: Classes = 1 << 12;
/// Means "as": the value may be before it.
pub(super) const AS: Classes = 1 << 13;

pub(super) const NAMES: Classes =
    PASSWORD | PIN | CARD_CODE | ONE_TIME | KEY | SEED | SOCIAL | ACCOUNT;

/// Words in Latin script, without accents, and phrases.
pub(super) const LATIN: &[(Classes, &str)] = &[
    (
        PASSWORD,
        "password passwords passwd passcode passcodes passphrase passphrases pwd pass_word pass_code pass_phrase \
        login_code logins credentials wifi_key wlan_key",
    ),
    (
        PASSWORD,
        "passwort passworter passwoerter kennwort kennworter losungswort zugangsdaten wlan_schlussel",
    ),
    (
        PASSWORD,
        "mot_de_passe mots_de_passe mdp motdepasse code_secret code_d_acces contrasena contrasenas clave claves \
        contrasenya senha senhas palavra_passe parola_d_ordine parola_chiave chiave_di_accesso wachtwoord wachtwoorden",
    ),
    (
        PASSWORD,
        "haslo hasla haslem sifre sifresi sifrem sifremiz sifreniz sifresini parola parolasi parolam parolei \
        mat_khau mat_ma kata_sandi kata_laluan sandi katasandi heslo hesla losenord losenordet passord passordet \
        adgangskode adgangskoden kodeord kodeordet salasana salasanani jelszo jelszava jelszavam lozinka zaporka geslo \
        slaptazodis nenosiri",
    ),
    (
        PIN,
        "unlock_code phone_code pin pins pincode pin_code pin_number code_pin codigo_pin codice_pin numero_pin kod_pin kode_pin pin_kodu \
        ma_pin geheimzahl pinkode pin_kode pinkod atm_code nip nip_bancario",
    ),
    (
        CARD_CODE,
        "cvv cvv2 cvc cvc2 cvn card_security_code kartenprufnummer prufziffer card_verification_code \
        cryptogramme",
    ),
    (
        ONE_TIME,
        "otp one_time_code one_time_password one_time_passcode verification_code login_code auth_code \
        authentication_code authenticator_code two_factor_code 2fa_code mfa_code sms_code recovery_code recovery_codes \
        backup_code backup_codes reset_code sicherheitscode bestatigungscode sms_tan code_de_verification \
        codigo_de_verificacion codigo_de_verificacao codice_di_verifica verificatiecode kod_weryfikacyjny \
        dogrulama_kodu ma_xac_minh ma_xac_nhan ma_otp kode_verifikasi kode_otp security_code",
    ),
    (
        KEY,
        "api_key api_keys apikey access_key access_keys secret_key secret_access_key private_key signing_key \
        encryption_key client_secret api_secret api_token access_token auth_token refresh_token bearer_token bearer \
        session_token secret_token api_schlussel geheimer_schlussel cle_api cle_secrete clave_api clave_secreta \
        clave_privada chave_api chave_de_api chave_secreta chiave_api chiave_segreta klucz_api api_anahtari \
        kunci_api khoa_api license_key product_key",
    ),
    (
        SEED,
        "seed_phrase seed_words recovery_phrase mnemonic mnemonic_phrase secret_recovery_phrase backup_phrase \
        wallet_phrase wallet_seed phrase_de_recuperation frase_semilla frase_de_recuperacion frase_semente \
        frase_di_recupero wiederherstellungsphrase",
    ),
    (
        SOCIAL,
        "ssn social_security_number social_security social_security_no",
    ),
    (
        ACCOUNT,
        "account_number bank_account account_no acct_number iban kontonummer bankkonto numero_de_compte \
        numero_de_cuenta cuenta_bancaria numero_da_conta conta_bancaria numero_di_conto conto_bancario rekeningnummer \
        numer_konta hesap_numarasi so_tai_khoan nomor_rekening",
    ),
    (
        LINK,
        "is was are be equals means becomes remains set_to changed_to reads lautet ist war sind heisst est etait sont \
        es era son sera fue e eh sao foi era sono fosse is zijn was jest to byl brzmi la adalah ialah yaitu \
        oli van az je var er called",
    ),
    (
        FILLER,
        "now still currently just actually again always simply the same this following jetzt immer noch nun \
        toujours maintenant ahora siempre agora ainda adesso sempre nu nog teraz sekarang masih set to simdi",
    ),
    (
        UNIT,
        "character characters chars char digit digits letter letters symbols words word long bit bits byte bytes day \
        days week weeks month months year years hour hours minute minutes times attempts percent accounts sites zeichen \
        stellen stellig ziffern buchstaben tage tagen jahre wochen caracteres caracter digitos jours chiffres lettres \
        dias anos cifre caratteri giorni tekens cijfers dagen znakow cyfr dni karakter hane gun ky_tu chu_so digit \
        of_them or_more and_up ans mois semaines pins",
    ),
    (
        COMPOUND,
        "manager managers policy policies reset resets generator protection protected strength hygiene field \
        fields prompt prompts rotation vault vaults rule rules change changes less hash hashes hashing box sharing \
        recovery expiry keeper app apps book notebook requirements requirement length fatigue security board boards \
        cushion ball stripe stripes up wheel machine badge badges badge connector drop money vergessen",
    ),
    (
        ABOUT,
        "not no none too very quite really so a an the in on at by for from with of and or but if when where what \
        why how always never also already only strong weak long short secure insecure safe unsafe wrong right correct \
        incorrect easy hard simple complex complicated different same unique new old bad good terrible great required \
        optional necessary needed known unknown visible hidden public private secret there here missing empty blank \
        invalid valid common reset lost gone stale compromised leaked fine okay ok ready due up out off over under \
        back still just about impossible possible annoying important ridiculous random like something anything nothing \
        written stolen broken forgotten given taken shown kept sent set hers his mine yours theirs it my your her their \
        our everywhere nowhere somewhere yet again case sensitive enough horrible funny fun cool awesome awful \
        changed now none n unknown disabled me you us them him to be been being que qui der die das nicht sehr kein \
        n/a tbd",
    ),
    (
        AS,
        "as is als ist como es comme est come sebagai jest jako olarak are were was for for_the",
    ),
];

/// Words of other scripts, folded as a skeleton is, with `|` between them.
pub(super) const OTHER: &[(Secret, &str)] = &[
    (
        Secret::Pin,
        "пин-код|пинкод|пин код|пин |暗証番号|핀번호|핀 번호|รหัสพิน|รหัส pin|pin码|pin碼|\
            الرقم السري|पिन|קוד סודי|暗証コード|رقم سري",
    ),
    (
        Secret::OneTimeCode,
        "код подтверждения|код из смс|验证码|驗證碼|認証コード|確認コード|인증번호|인증 번호|인증코드|รหัสยืนยัน|\
            رمز التحقق|ओटीपी|код підтвердження",
    ),
    (
        Secret::Password,
        "парол|密码|密碼|口令|パスワード|合言葉|パスコード|비밀번호|비번|패스워드|암호|รหัสผ่าน|พาสเวิร์ด|كلمة المرور|\
            كلمة السر|كلمه السر|كلمه المرور|كلمة مرور|كلمة سر|باسورد|पासवर्ड|कूटशब्द|\
            رمز عبور|گذرواژه|סיסמה|סיסמא|סיסמת|κωδικοσ|κωδικο προσβασησ|συνθηματικο|\
            лозинка|পাসওয়ার্ড|கடவுச்சொல்|პაროლი|գաղտնաբառ",
    ),
    (
        Secret::Key,
        "api密钥|密钥|密鑰|apiキー|api キー|api 키|ключ api|api-ключ|مفتاح api|秘密鍵",
    ),
];
