//! Spanish. The subject is in the verb.

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
    (COMMON, "yo y el la los las es de en que no un una mi mis soy tengo con por para me se del al vivo \
        trabajo muy pero como más su lo le ya hola gusta prefiero te tu nos hay está estoy porque llamo \
        cuando si o mí fumo bebo hablo estudio llámame puedes eres toco odio cumpleaños hija hijo mujer \
        marido gracias"),
    (FILLER, "hola bueno pues ah oye mira por_cierto la_verdad la_verdad_es_que además también vale ok sí \
        no_sé buenas buenos_días gracias por_favor como_te_dije como_dije para_que_sepas perdona perdón y \
        eh ojo"),
    (JOINT, "pero porque así_que aunque mientras entonces por_eso por_lo_que ya_que pues sino"),
    (AND, "y e"),
    (SUBJECT, "yo mi mis nuestro nuestra soy tengo vivo trabajo me prefiero hablo estudio toco juego \
        estoy no odio él ella ellos nosotros vivimos tenemos como bebo ahora por_favor nunca"),
    (ASKS, "qué quién dónde cómo cuándo cuál cuáles cuánto cuántos cuánta por_qué puedes podrías sabes \
        es_verdad hay_algún tienes debería debo puedo me_puedes me_podrías"),
    (TAG, "no verdad cierto eh"),
    (UNREAL, "si ojalá como_si quisiera viviera fuera tuviera pudiera"),
    (SUPPOSES, "imagina imagínate imaginemos supongamos supón suponiendo hipotéticamente pongamos \
        digamos_que eres_un eres_una"),
    (PLAYS, "juego_de_rol juguemos_a finjamos finge actúa_como"),
    (DOUBTS, "quizás quizá tal_vez a_lo_mejor posiblemente probablemente estoy_pensando pensando_en \
        me_gustaría quisiera podría creo_que creo igual_me algún_día puede_que estoy_considerando \
        me_planteo dudo"),
    (REPORTS, "dice dicen dijo dijeron cree creen piensa piensan opina asegura afirma según cuenta contó \
        me_dijo insiste jura"),
    (DENIES, "no_es_que no_digo_que nunca_dije no_creo_que yo_no_dije"),
    (MOCKS, "sí_claro claro_que_sí qué_ilusión me_encanta_cuando qué_bien_otra genial_otra \
        mi_cosa_favorita cómo_no"),
    (MAKES, "escribe escríbeme traduce tradúceme traducir redacta corrige corrígeme resume reescribe \
        cómo_se_dice traducción"),
    (SEEKS, "dame muéstrame busca recomiéndame sugiéreme ayúdame explícame dime haz hazme necesito \
        quiero_que busco"),
    (REMEMBERS, "recuerda recuerda_que acuérdate acuérdate_de_que ten_en_cuenta ten_en_cuenta_que \
        no_olvides no_olvides_que apunta apunta_que anota anota_que ten_presente_que guarda_que"),
    (FORGETS, "olvida olvídate borra elimina"),
    (CORRECTS, "en_realidad perdona perdón corrección mejor_dicho me_equivoqué ahora"),
    (ENDS, "ya_no"),
    (STILL, "todavía sigo aún"),
    (MOMENT, "hoy ahora_mismo mañana ayer esta_noche esta_mañana esta_semana esta_tarde otra_vez"),
    (POINTS, "esto eso este esta estos estas aquí ese esa"),
    (CITES, "aquí_está el_siguiente la_siguiente este_texto esta_frase el_texto frase texto correo carta \
        artículo"),
];

#[rustfmt::skip]
const PEOPLE: &[(&str, &str)] = &[
    ("hija", "daughter"), ("hijo", "son"), ("hijas", "daughters"), ("hijos", "children"),
    ("esposa", "wife"), ("mujer", "wife"), ("marido", "husband"), ("esposo", "husband"),
    ("novia", "girlfriend"), ("novio", "boyfriend"), ("pareja", "partner"), ("madre", "mother"),
    ("mamá", "mum"), ("padre", "father"), ("papá", "dad"), ("padres", "parents"), ("hermana", "sister"),
    ("hermano", "brother"), ("hermanas", "sisters"), ("hermanos", "siblings"), ("abuela", "grandmother"),
    ("abuelo", "grandfather"), ("tía", "aunt"), ("tío", "uncle"), ("prima", "cousin"), ("primo", "cousin"),
    ("sobrina", "niece"), ("sobrino", "nephew"), ("perro", "dog"), ("perra", "dog"), ("perros", "dogs"),
    ("gato", "cat"), ("gata", "cat"), ("gatos", "cats"), ("caballo", "horse"), ("bebé", "baby"),
    ("gemelos", "twins"), ("gemelas", "twins"), ("mellizos", "twins"), ("nieto", "grandson"),
    ("nieta", "granddaughter"), ("prometida", "fiancée"), ("prometido", "fiancé"), ("conejo", "rabbit"),
];

#[rustfmt::skip]
const TRAITS: &[&str] = &[
    "vegetariano", "vegetariana", "vegano", "vegana", "celíaco", "celíaca", "celiaco", "celiaca",
    "diabético", "diabética", "zurdo", "zurda", "daltónico", "daltónica", "asmático", "asmática", "sordo",
    "sorda", "ciego", "ciega", "autista", "bilingüe", "viudo", "viuda", "soltero", "soltera", "español",
    "española", "mexicano", "mexicana", "argentino", "argentina", "colombiano", "colombiana", "chileno",
    "chilena", "peruano", "peruana",
];

#[rustfmt::skip]
const PROFESSIONS: &[&str] = &[
    "médico", "médica", "enfermero", "enfermera", "profesor", "profesora", "maestro", "maestra", "abogado",
    "abogada", "ingeniero", "ingeniera", "programador", "programadora", "arquitecto", "arquitecta",
    "camarero", "camarera", "cocinero", "cocinera", "estudiante", "periodista", "dentista", "carpintero",
    "carpintera", "electricista", "fontanero", "músico", "música", "pintor", "pintora", "escritor",
    "escritora", "traductor", "traductora", "contable", "diseñador", "diseñadora", "veterinario",
    "veterinaria", "policía", "bombero", "bombera", "psicólogo", "psicóloga", "farmacéutico",
    "farmacéutica", "autónomo", "autónoma", "jardinero", "panadero", "panadera", "fotógrafo", "fotógrafa",
    "piloto", "taxista", "agricultor", "agricultora", "peluquero", "peluquera",
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
    frame("yo? me llamo", Capital, "User's name is {}", "", Profile),
    frame("mi nombre es", Capital, "User's name is {}", "", Profile),
    frame("llámame", Capital, "User wants to be called {}", "", Style),
    frame("puedes llamarme", Capital, "User wants to be called {}", "", Style),
    frame("puedes tutearme", None, "User wants to be addressed with tú", "", Style),
    frame("yo? vivo en", Words, "User lives in {}", "User doesn't live in {}", Profile),
    frame("yo? vivo con", Words, "User lives with {}", "User doesn't live with {}", Profile),
    frame("vivimos en", Words, "User lives in {}", "User doesn't live in {}", Profile),
    frame("yo? soy de", Capital, "User is from {}", "User is not from {}", Profile),
    frame("nací en|el", Words, "User was born in {}", "", Profile),
    frame("crecí en", Words, "User grew up in {}", "", Profile),
    frame("tengo {} años", Number, "User is {} years old", "", Profile),
    frame("yo? soy muy? alérgico|alérgica a", Words, "User is allergic to {}", "User is not allergic to {}", Profile),
    frame("yo? soy intolerante a", Words, "User is intolerant to {}", "User is not intolerant to {}", Profile),
    frame("tengo alergia a", Words, "User is allergic to {}", "User is not allergic to {}", Profile),
    frame("estoy casado|casada con", Words, "User is married to {}", "", Relationship),
    frame("yo? soy", In(TRAITS), "User is {}", "User is not {}", Profile),
    frame("estoy", In(&["casado", "casada", "divorciado", "divorciada", "embarazada", "jubilado", "jubilada", "soltero", "soltera", "prometido", "prometida"]), "User is {}", "User is not {}", Profile),
    frame("estoy aprendiendo", Words, "User is learning {}", "", Profile),
    frame("yo? soy", In(PROFESSIONS), "User is {}", "User is not {}", Work),
    frame("yo? trabajo de|como", Words, "User works as {}", "User doesn't work as {}", Work),
    frame("yo? trabajo en|para", Words, "User works in {}", "User doesn't work in {}", Work),
    frame("yo? estudio", Words, "User studies {}", "User doesn't study {}", Work),
    frame("yo? enseño", Words, "User teaches {}", "", Work),
    frame("doy clases de", Words, "User teaches {}", "", Work),
    frame("yo? hablo", Words, "User speaks {}", "User doesn't speak {}", Profile),
    frame("yo? toco", Words, "User plays {}", "User doesn't play {}", Profile),
    frame("yo? juego al|a", Words, "User plays {}", "User doesn't play {}", Profile),
    frame("yo? prefiero", Words, "User prefers {}", "User doesn't prefer {}", Preference),
    frame("a? mí? me gusta|gustan mucho?", Words, "User likes {}", "User doesn't like {}", Preference),
    frame("a? mí? me encanta|encantan", Words, "User loves {}", "", Preference),
    frame("yo? odio", Words, "User hates {}", "", Preference),
    frame("yo? detesto", Words, "User hates {}", "", Preference),
    frame("yo? como", Words, "", "User doesn't eat {}", Preference),
    frame("yo? bebo", Words, "User drinks {}", "User doesn't drink {}", Preference),
    frame("bebo", None, "", "User doesn't drink", Preference),
    frame("yo? fumo", None, "User smokes", "User doesn't smoke", Profile),
    frame("tengo", Close, "User has {}", "User has no {}", Relationship),
    frame("tenemos", Close, "User has {}", "User has no {}", Relationship),
    frame("tengo", In(&["diabetes", "asma", "tdah", "epilepsia", "migrañas", "artritis", "dislexia"]), "User has {}", "User doesn't have {}", Profile),
    frame("tengo", In(&["coche", "carro", "carnet", "licencia", "mascotas", "jardín"]), "User has {}", "User doesn't have {}", Profile),
    frame("mi|nuestro|nuestra @ se llama", Capital, "User's @ is named {}", "", Relationship),
    frame("mis @ se llaman", Capital, "User's @ are named {}", "", Relationship),
    frame("mi|nuestro|nuestra @ tiene {} años", Number, "User's @ is {} years old", "", Relationship),
    frame("mi|nuestro|nuestra @ es alérgico|alérgica a", Words, "User's @ is allergic to {}", "User's @ is not allergic to {}", Relationship),
    frame("mi|nuestro|nuestra @ es", In(&["vegetariano", "vegetariana", "vegano", "vegana", "celíaco", "celíaca", "diabético", "diabética"]), "User's @ is {}", "User's @ is not {}", Relationship),
    frame("mi|nuestro|nuestra @ es", In(PROFESSIONS), "User's @ is {}", "", Relationship),
    frame("mi|nuestro|nuestra @ trabaja de|como", Words, "User's @ works as {}", "", Relationship),
    frame("mi|nuestro|nuestra @ trabaja en", Words, "User's @ works in {}", "", Relationship),
    frame("mi|nuestro|nuestra @ vive en", Words, "User's @ lives in {}", "User's @ doesn't live in {}", Relationship),
    frame("mi|nuestro|nuestra @ come", Words, "", "User's @ doesn't eat {}", Relationship),
    frame("mi cumpleaños es el", Words, "User's birthday is on {}", "", Profile),
    frame("respóndeme|responde|contéstame|contesta siempre", Words, "User always wants answers {}", "", Style),
    frame("respóndeme|responde|contéstame|contesta en", Words, "User wants answers in {}", "", Style),
    frame("háblame en|de", Words, "User wants to be spoken to in {}", "", Style),
    frame("nunca me recomiendes|sugieras", Words, "User never wants {} suggested", "", Style),
    frame("no uses", Words, "User doesn't want {} used", "", Style),
];
