//! Words of convictions, arrests and prison.

use super::classes::*;
use crate::text::lexicon::Classes;

const RECORDS: Classes = likely(RECORD);

pub(super) const RECORD_WORDS: &[(Classes, &str)] = &[
    (
        RECORDS,
        "criminal_record criminal_conviction* criminal_history criminal_charge* police_record rap_sheet convicted \
        was_convicted convict ex_convict ex_con conviction_for felony felon felonies misdemeanor misdemeanour \
        arrested was_arrested arrest_for arrest_record prison_sentence prison_time jail_time in_prison in_jail \
        from_prison from_jail to_prison to_jail imprisoned incarcerat* jailed served_time served_*_years \
        served_*_months did_time behind_bars on_parole on_bail parole_officer probation_officer on_probation_for \
        criminal_probation sentenced_to suspended_sentence community_service_for charged_with indicted \
        pleaded_guilty pled_guilty found_guilty dui duis dwi dwis prior_conviction* previous_conviction* \
        past_conviction* drunk_driving shoplift* stole_a burglary restraining_order sex_offender* \
        outstanding_warrant expunged juvenile_detention drug_possession possession_of_drugs house_arrest \
        ankle_monitor",
    ),
    (
        RECORDS,
        "vorbestraft* vorstrafe* verurteilt verurteilung* führungszeugnis_eintrag im_gefängnis knast \
        ins_gefängnis gefängnis_* gefängnisstrafe* haftstrafe* freiheitsstrafe* in_haft inhaftiert* verhaftet* \
        festgenommen* untersuchungshaft auf_bewährung bewährungsstrafe bewährungshelfer* straftäter* \
        straffällig* strafbefehl trunkenheitsfahrt ladendiebstahl* körperverletzung* angeklagt casier_judiciaire \
        condamné condamnée condamnation_pénale en_prison de_prison la_prison emprisonné* incarcéré* garde_à_vue \
        arrêté_par arrêtée_par été_arrêté été_arrêtée sursis_avec peine_avec_sursis liberté_conditionnelle \
        ex_détenu ex_détenue mis_en_examen",
    ),
    (
        RECORDS,
        "antecedentes_penales antecedentes_criminales antecedentes_policiales condenado_por condenada_por \
        fue_condenad* en_la_cárcel a_la_cárcel de_cárcel en_prisión de_prisión encarcelad* preso presa_por \
        detenido_por detenida_por fue_detenid* fue_arrestad* arrestado arrestada libertad_condicional \
        ex_convicto ex_presidiario antecedentes_criminais ficha_criminal foi_condenad* foi_pres* na_cadeia \
        na_prisão de_prisão liberdade_condicional ex_presidiário precedenti_penali fedina_penale condannato \
        condannata in_carcere in_prigione di_carcere arrestato arrestata libertà_vigilata ex_detenuto \
        ai_domiciliari strafblad veroordeeld* gevangenis* in_de_cel gearresteerd voorwaardelijke_straf* \
        celstraf* sabıka* sabıkalı hapis hapiste hapishane* hapse cezaevi* tutuklan* hüküm_giy* gözaltı* mahkum*",
    ),
    (
        RECORDS,
        "судимост* судим судима осужден* осуждён* тюрьм* тюремн* арестов* отсидел* сидел_в сидела_в условный_срок \
        условно_осужд* колони*_строгого уголовн* заключени*_под_стражу سوابق_جنائية سجل_جنائي سجل_إجرامي السجن \
        سجين سجينة سُجن مسجون اعتقل اعتقلت معتقل أدين أدينت محكوم_عليه سابقه_کیفری سوء_پیشینه زندان زندانی \
        بازداشت محکوم_شد محکوم_به आपराधिक_रिकॉर्ड आपराधिक_मामला जेल गिरफ्तार गिरफ़्तार दोषी_ठहराया सजा_काट \
        सज़ा_काट",
    ),
    (
        half(RECORD),
        "prison jail sentence conviction convictions theft fraud assault robbery manslaughter probation court \
        diebstahl betrugs raub",
    ),
    (
        other_half(RECORD),
        "spent served serving released record guilty caught sentenced accused wegen verbüßt spent_* accusé \
        acusad* imputato",
    ),
];
