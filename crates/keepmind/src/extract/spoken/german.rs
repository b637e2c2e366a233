//! German.

use super::StatementKind::{Preference, Profile, Relationship, Style, Work};
use super::frame::Frame;
use super::frame::Hole::{self, Capital, Close, In, None, Number, Words};
use super::language::{
    AND, ASKS, CITES, COMMON, CORRECTS, DENIES, DOUBTS, ENDS, FILLER, FORGETS, JOINT, Language,
    MAKES, MOCKS, MOMENT, PLAYS, POINTS, REMEMBERS, REPORTS, SEEKS, STILL, SUBJECT, SUPPOSES, TAG,
    UNREAL,
};
use super::phrases::Classes;

pub(super) static LANGUAGE: Language = Language {
    cues: CUES,
    frames: FRAMES,
    people: PEOPLE,
};

#[rustfmt::skip]
const CUES: &[(Classes, &str)] = &[
    (COMMON, "ich und der die das ist nicht ein eine mein meine bin habe zu mit auf für von im wir mir \
        mich es du auch aber den dem bitte wie was kann sie er aus bei als ja nur noch wenn dass heisse \
        wohne kein keine"),
    (FILLER, "übrigens also ja nein hallo hi hey ach ok okay danke nebenbei ehrlich_gesagt wie_gesagt \
        bitte gut naja guten_tag moin servus achja apropos kurz_zu_mir zu_mir und_zwar halt eigentlich_ja \
        zur_info info dass"),
    (JOINT, "aber weil denn deshalb deswegen daher sondern obwohl während weshalb darum und_zwar \
        und_deshalb wobei also"),
    (AND, "und"),
    (SUBJECT, "ich wir mein meine unser unsere er sie es du das die der wohne arbeite spreche lebe bin \
        habe esse trinke mag heisse spiele studiere komme liebe hasse kann bitte"),
    (ASKS, "was wer wo wie wann warum wieso weshalb welche welcher welches kannst_du können_sie \
        könntest_du könnten_sie hast_du haben_sie weisst_du wissen_sie ist_das ist_es gibt_es soll_ich \
        sollte_ich bin_ich darf_ich kann_ich muss_ich wohin woher wieviel ob würdest_du"),
    (TAG, "oder nicht_wahr gell stimmt's richtig ne"),
    (UNREAL, "wenn falls ob wäre hätte würde könnte sofern angeblich wünschte"),
    (SUPPOSES, "angenommen stell_dir_vor stellen_sie_sich_vor nehmen_wir_an gesetzt_den_fall \
        mal_angenommen hypothetisch du_bist_ein du_bist_eine"),
    (PLAYS, "rollenspiel lass_uns_spielen tu_so_als tun_wir_so"),
    (DOUBTS, "vielleicht überlege überlegen eventuell möglicherweise wahrscheinlich könnte würde möchte \
        hätte_gern glaube denke_ich ich_denke ich_glaube irgendwann eines_tages mal_sehen \
        spiele_mit_dem_gedanken am_überlegen hätte wäre will sollte wohl"),
    (REPORTS, "sagt sagen sagte meint meinte findet behauptet denkt glaubt erzählt erzählte schreibt \
        schrieb laut angeblich gesagt gemeint hat_mir_erzählt heisst_es sei"),
    (DENIES, "nicht_dass ich_habe_nie_gesagt ich_sage_nicht ich_glaube_nicht ich_denke_nicht von_wegen"),
    (MOCKS, "na_toll na_super ja_klar na_klar ganz_toll liebe_es_ja liebe_es_wenn als_ob super_toll \
        mein_lieblings_ding wie_schön"),
    (MAKES, "schreib schreibe übersetze übersetz übersetzen_sie schreiben_sie formuliere korrigiere \
        verbessere fasse verfasse umformulieren korrigieren übersetzung wie_sagt_man"),
    (SEEKS, "gib_mir zeig_mir such suche_mir empfiehl hilf_mir erklär erkläre nenne plane mach finde \
        ich_brauche ich_suche"),
    (REMEMBERS, "merk_dir merke_dir merk_dir_dass merke_dir_dass denk_daran denk_daran_dass denk_dran \
        denk_dran_dass vergiss_nicht vergiss_nicht_dass behalte behalte_im_kopf notiere notiere_dir \
        notiere_dir_dass nicht_vergessen bitte_merken merken_sie_sich merken_sie_sich_dass notier_dir"),
    (FORGETS, "vergiss lösche lösch entferne streiche"),
    (CORRECTS, "eigentlich korrektur sorry moment doch_nicht stimmt_nicht_mehr tschuldigung \
        entschuldigung inzwischen mittlerweile"),
    (ENDS, "nicht_mehr kein_mehr"),
    (STILL, "immer_noch weiterhin nach_wie_vor"),
    (MOMENT, "heute gerade morgen gestern jetzt_gerade momentan diese_woche heute_abend heute_morgen eben \
        vorhin nachher wieder"),
    (POINTS, "dieses dieser diese diesen hier hiervon davon"),
    (CITES, "hier_ist folgender folgenden folgendes dieser_text den_text der_text diese_mail satz text \
        mail brief artikel"),
];

#[rustfmt::skip]
const PEOPLE: &[(&str, &str)] = &[
    ("tochter", "daughter"), ("sohn", "son"), ("frau", "wife"), ("mann", "husband"),
    ("freundin", "girlfriend"), ("freund", "boyfriend"), ("partner", "partner"), ("partnerin", "partner"),
    ("mutter", "mother"), ("mama", "mum"), ("vater", "father"), ("papa", "dad"), ("schwester", "sister"),
    ("bruder", "brother"), ("oma", "grandmother"), ("opa", "grandfather"), ("grossmutter", "grandmother"),
    ("grossvater", "grandfather"), ("kind", "child"), ("kinder", "children"), ("eltern", "parents"),
    ("söhne", "sons"), ("töchter", "daughters"), ("hund", "dog"), ("hündin", "dog"), ("hunde", "dogs"),
    ("katze", "cat"), ("katzen", "cats"), ("kater", "cat"), ("pferd", "horse"), ("zwillinge", "twins"),
    ("tante", "aunt"), ("onkel", "uncle"), ("cousin", "cousin"), ("cousine", "cousin"), ("nichte", "niece"),
    ("neffe", "nephew"), ("verlobte", "fiancée"), ("verlobter", "fiancé"), ("baby", "baby"),
    ("schwestern", "sisters"), ("brüder", "brothers"), ("geschwister", "siblings"), ("enkel", "grandson"),
    ("enkelin", "granddaughter"), ("hasen", "rabbits"), ("kaninchen", "rabbits"), ("hühner", "hens"),
];

#[rustfmt::skip]
const TRAITS: &[&str] = &[
    "vegan", "vegetarisch", "verheiratet", "geschieden", "verwitwet", "verlobt", "ledig", "schwanger",
    "farbenblind", "blind", "taub", "gehörlos", "schwerhörig", "diabetisch", "laktoseintolerant",
    "glutenintolerant", "kurzsichtig", "selbstständig", "selbständig", "arbeitslos", "pensioniert",
    "katholisch", "evangelisch", "muslimisch", "jüdisch", "zweisprachig", "autistisch", "alleinerziehend",
    "berufstätig", "schwul", "lesbisch",
];

const fn frame(
    said: &'static str,
    hole: Hole,
    means: &'static str,
    denied: &'static str,
    kind: super::StatementKind,
) -> Frame {
    Frame {
        said,
        hole,
        means,
        denied,
        kind,
    }
}

#[rustfmt::skip]
const FRAMES: &[Frame] = &[
    frame("ich? heisse", Capital, "User's name is {}", "", Profile),
    frame("mein name ist", Capital, "User's name is {}", "", Profile),
    frame("nenn|nenne mich", Capital, "User wants to be called {}", "", Style),
    frame("du kannst mich ruhig? gerne? duzen", None, "User prefers to be addressed with du", "", Style),
    frame("wir können uns duzen", None, "User prefers to be addressed with du", "", Style),
    frame("ich? wohne|lebe in", Capital, "User lives in {}", "User doesn't live in {}", Profile),
    frame("ich in {} wohne|lebe", Capital, "User lives in {}", "User doesn't live in {}", Profile),
    frame("ich? wohne|lebe", Words, "User lives {}", "User doesn't live {}", Profile),
    frame("wir wohnen|leben in", Capital, "User lives in {}", "User doesn't live in {}", Profile),
    frame("wir wohnen|leben", Words, "User lives {}", "User doesn't live {}", Profile),
    frame("ich? komme aus", Capital, "User is from {}", "User is not from {}", Profile),
    frame("ich? bin in {} geboren", Words, "User was born in {}", "", Profile),
    frame("ich? bin in {} aufgewachsen", Words, "User grew up in {}", "", Profile),
    frame("ich? bin {} jahre alt", Number, "User is {} years old", "", Profile),
    frame("ich? bin", Number, "User is {}", "", Profile),
    frame("ich? bin allergisch gegen|auf", Words, "User is allergic to {}", "User is not allergic to {}", Profile),
    frame("ich? bin gegen|auf {} allergisch", Words, "User is allergic to {}", "User is not allergic to {}", Profile),
    frame("ich? habe eine? {} allergie|unverträglichkeit", Words, "User has a {} allergy", "User has no {} allergy", Profile),
    frame("ich? vertrage", Words, "User tolerates {}", "User doesn't tolerate {}", Profile),
    frame("ich? bin", In(TRAITS), "User is {}", "User is not {}", Profile),
    frame("mein|meine|unser|unsere @ ist", In(TRAITS), "User's @ is {}", "User's @ is not {}", Relationship),
    frame("ich? bin von? beruf", Capital, "User is {} by profession", "", Work),
    frame("ich? bin", Capital, "User is {}", "User is not {}", Profile),
    frame("ich? arbeite als", Words, "User works as {}", "User doesn't work as {}", Work),
    frame("ich? arbeite bei", Words, "User works at {}", "User doesn't work at {}", Work),
    frame("ich? arbeite in|im", Words, "User works in {}", "User doesn't work in {}", Work),
    frame("ich? studiere", Capital, "User studies {}", "User doesn't study {}", Work),
    frame("ich? unterrichte", Words, "User teaches {}", "User doesn't teach {}", Work),
    frame("ich? spreche", Words, "User speaks {}", "User doesn't speak {}", Profile),
    frame("ich? spiele", Words, "User plays {}", "User doesn't play {}", Profile),
    frame("ich? lerne", Capital, "User is learning {}", "User is not learning {}", Profile),
    frame("ich? esse", Words, "User eats {}", "User doesn't eat {}", Preference),
    frame("ich? trinke", Words, "User drinks {}", "User doesn't drink {}", Preference),
    frame("ich? rauche", None, "User smokes", "User doesn't smoke", Profile),
    frame("ich? mag", Words, "User likes {}", "User doesn't like {}", Preference),
    frame("ich? liebe", Capital, "User loves {}", "User doesn't love {}", Preference),
    frame("ich? hasse", Words, "User hates {}", "", Preference),
    frame("ich? bevorzuge", Words, "User prefers {}", "", Preference),
    frame("ich? habe", Close, "User has {}", "User has no {}", Relationship),
    frame("wir haben", Close, "User has {}", "User has no {}", Relationship),
    frame("ich? habe", In(&["führerschein", "auto", "haustiere", "garten", "balkon", "fernseher", "smartphone", "fahrrad"]), "", "User has no {}", Profile),
    frame("mein|meine|unser|unsere @ heisst", Capital, "User's @ is named {}", "", Relationship),
    frame("mein|meine|unser|unsere @ ist {} jahre alt", Number, "User's @ is {} years old", "", Relationship),
    frame("mein|meine|unser|unsere @ ist allergisch gegen|auf", Words, "User's @ is allergic to {}", "User's @ is not allergic to {}", Relationship),
    frame("mein|meine|unser|unsere @ ist", Capital, "User's @ is {}", "User's @ is not {}", Relationship),
    frame("mein|meine|unser|unsere @ arbeitet", Words, "User's @ works {}", "User's @ doesn't work {}", Relationship),
    frame("mein|meine|unser|unsere @ wohnt|lebt", Words, "User's @ lives {}", "User's @ doesn't live {}", Relationship),
    frame("mein|meine|unser|unsere @ isst", Words, "User's @ eats {}", "User's @ doesn't eat {}", Relationship),
    frame("mein|meine|unser|unsere @ mag", Words, "User's @ likes {}", "User's @ doesn't like {}", Relationship),
    frame("ich habe am {} geburtstag", Words, "User's birthday is on {}", "", Profile),
    frame("mein geburtstag ist am", Words, "User's birthday is on {}", "", Profile),
    frame("meine lieblingsfarbe ist", Words, "User's favourite colour is {}", "", Preference),
    frame("mein lieblingsessen ist", Words, "User's favourite food is {}", "", Preference),
    frame("antworte|antworten mir? bitte? immer|nur|künftig", Words, "User always wants answers {}", "", Style),
    frame("antworte|antworten mir? bitte? auf", Capital, "User wants answers in {}", "", Style),
    frame("schlag mir nie|niemals", Words, "User never wants {} suggested", "", Style),
    frame("benutze|verwende bitte? keine", Words, "User wants no {}", "", Style),
];
