//! The words of messages that only carry the talk on, and of those that speak of remembering: for each
//! language (English, German, French, Spanish) a line or two. Words of assent and thanks are with the
//! replies of `text`.

/// Words that, with nothing but words of assent beside them, only carry the talk on.
pub(super) const CONTINUING: &str = "\
    continue go going on ahead next more proceed keep carry and then got it done alright ok thx do \
    weiter weitermachen fahre fahr fort fortfahren mach mehr nächste nächster nächstes verstanden fertig los \
    dann okay super alles \
    continue continuez continuer vas allez suite suivant suivante encore plus ensuite compris parfait \
    d'accord \
    sigue siga seguir continúa continua continúe adelante siguiente más mas entendido perfecto listo luego";

/// Words, or beginnings of words, that speak of remembering by themselves.
pub(super) const REMEMBERING: &str = "\
    remember recall remind memor \
    erinner gemerkt gedächtnis \
    souvien souvenir souvenu rappel mémoire \
    recuerd recordar recordas acuerd acordar memoria";

/// Words in a row, joined by `_`, that speak of what was said or done before.
pub(super) const BEFORE: &str = "\
    last_time you_said you_told you_mentioned i_said i_told_you i_mentioned as_i_said like_i_said we_talked \
    we_spoke we_discussed we_said the_other_day know_about_me do_you_know_my do_you_still_know last_week \
    last_month earlier_you previously \
    letztes_mal letzten_mal weisst_du_noch du_hast_gesagt hast_du_gesagt sagtest_du ich_habe_dir \
    habe_ich_dir hab_ich_dir ich_hab_dir wie_gesagt wir_haben_über haben_wir_besprochen haben_wir_über \
    wir_besprochen neulich über_mich letzte_woche letzten_monat \
    la_dernière_fois tu_as_dit tu_m'as_dit vous_avez_dit vous_m'avez_dit je_t'ai_dit je_vous_ai_dit \
    comme_je_l'ai_dit on_a_parlé nous_avons_parlé on_avait_parlé l'autre_jour sur_moi la_semaine_dernière \
    le_mois_dernier \
    la_última_vez la_ultima_vez dijiste me_has_dicho te_dije te_conté como_te_dije hablamos habíamos_hablado \
    el_otro_día sobre_mí la_semana_pasada el_mes_pasado";
