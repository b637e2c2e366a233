//! Words of orientation and gender identity, ethnic origin, and genetic and biometric data. A
//! nationality, a language or a cuisine is no ethnic origin.

use super::classes::*;
use crate::text::lexicon::Classes;

const ORIENTATION: Classes = likely(SEXUALITY);
const ORIGIN: Classes = likely(ETHNICITY);
const GENES: Classes = likely(GENETICS);

pub(super) const IDENTITY_WORDS: &[(Classes, &str)] = &[
    (
        ORIENTATION,
        "gay gays lesbian* lesbisch* lesbe lesbienne* lesbiana* lésbica* lesbica lesbiche lezbiyen bisexual* \
        bisexuel* bisexuell* bisessual* biseksüel* biseksueel homosexual* homosexuel* homosexuell* omosessual* \
        eşcinsel* homoseksueel homofil* heterosexual* heterosexuell* hétérosexuel* eterosessual* heteroseksüel \
        queer transgender* transsexual* transsexuell* transgenre travesti is_trans am_trans ist_trans \
        trans_woman trans_man trans_women trans_person transmann transfrau homme_trans femme_trans mujer_trans \
        hombre_trans uomo_trans donna_trans mulher_trans nonbinary non_binary nichtbinär nicht_binär non_binaire \
        no_binario no_binaria genderfluid gender_fluid genderqueer agender gender_dysphoria gender_transition \
        gender_identity geschlechtsidentität geschlechtsangleich* asexual* asexuell* pansexual* pansexuell* \
        demisexual* intersex* polyamor* poliamor* lgbt* lgbtq* schwul schwuler schwule came_out_as came_out_to \
        coming_out_as sexual_orientation sexuelle_orientierung orientation_sexuelle orientación_sexual \
        orientação_sexual orientamento_sessuale sex_life sexual_life sexual_partner* sexual_preference* \
        sexually_active sexleben vie_sexuelle vida_sexual one_night_stand* attracted_to_men attracted_to_women \
        attracted_to_both steht_auf_männer steht_auf_frauen bdsm fetish fetisch sleeps_with_men \
        sleeps_with_women male_to_female female_to_male user_is_straight i_am_straight user_is_bi i_am_bi i_m_bi \
        is_homo is_een_homo same_sex gleichgeschlechtlich* swinger* closeted user_is_in_the_closet \
        out_of_the_closet on_grindr grindr",
    ),
    (
        ORIENTATION,
        "гей гея геем геи лесбиянк* бисексуал* гомосексуал* гетеросексуал* трансгендер* транссексуал* небинарн* \
        асексуал* лгбт* ориентаци* مثلي_الجنس مثلية_الجنس مثلي_جنسيا مثلي مثلية متحول_جنسيا متحولة_جنسيا \
        ثنائي_الميول ميوله_الجنسية همجنسگرا همجنس_گرا دوجنسگرا لزبین تراجنسیتی ترنس गे समलैंगिक उभयलिंगी \
        लेस्बियन ट्रांसजेंडर किन्नर הומו לסבית ביסקסואל ביסקסואלית טרנסג'נדר",
    ),
    (
        ORIGIN,
        "african_american* afro_american* afroamerican* afrodeutsch* afro_deutsch* afrodescend* afro_caribbean \
        black_british black_american black_woman black_man black_person user_is_black user_is_white i_am_black \
        i_m_black i_am_white i_m_white afro_* schwarze_frau schwarzer_mann hispanic latino latina latinx latinos \
        asian_american* south_asian_american mixed_race biracial multiracial person_of_color person_of_colour \
        people_of_color bipoc ethnic* ethnisch* ethnie étnic* etnic* etnia etnisch* etnik* kurd kurds kurdish \
        kurdin kurdisch* kurde kürt kurdo kurda uyghur* uighur* uigur* han_chinese ashkenazi sephardi* sephardic \
        indigenous native_american* first_nations aboriginal māori inuit sámi romani romany sinti sinto is_roma \
        roma_descent roma_family rom_ethnicity gitano gitana gypsy pashtun tamil_origin hutu tutsi yazidi* \
        jeside jesidin armenian_descent arab_descent white_british is_caucasian caucasian skin_color skin_colour \
        hautfarbe dunkelhäutig* migrationshintergrund *stämmig *stämmige *stämmiger maghrébin* berbère* \
        quilombola* mestizo mestiza mulato mulata indígena* pardo_e é_negro é_negra es_afro* est_noir est_noire \
        suis_noir suis_noire",
    ),
    (
        other_half(ETHNICITY),
        "is_half am_half descent ancestry heritage ancestors roots origin origins ethnicity parentage blood \
        abstammung herkunft wurzeln vorfahren origine origines racines origen ascendencia raíces origem \
        ascendência descendência raízes origini radici discendenza afkomst kökenli происхождени* корни корнями \
        أصل أصول نژاد تبار मूल वंश",
    ),
    (
        half(ETHNICITY),
        "african asian arab arabic armenian bengali berber chinese cuban dutch egyptian english ethiopian \
        filipino french german ghanaian greek haitian indian indonesian iranian iraqi irish italian jamaican \
        japanese jewish korean kurdish lebanese mexican moroccan nigerian pakistani palestinian persian peruvian \
        polish portuguese punjabi romanian russian scottish senegalese serbian slavic somali spanish sri_lankan \
        sudanese syrian taiwanese tamil thai tunisian turkish ukrainian vietnamese yoruba igbo caribbean \
        algerian afghan albanian bosnian colombian türkisch* türkei arabisch* afrikanisch* asiatisch* polnisch* \
        russisch* syrisch* marokkanisch* iranisch* persisch* kurdisch* vietnamesisch* italienisch* griechisch* \
        algérien* marocain* tunisien* sénégalais* turc turque africain* arabe vietnamien* chinois* portugais* \
        italien* africano africana árabe marroquí chino china mexicano italiano italiana libanés libanese \
        japonés japonesa indígena turco turca marocchin* albanes* turks* marokkaanse surinaamse indonesische \
        türk kürt arap ermeni çerkes laz boşnak татарск* еврейск* армянск* чеченск* украинск* казахск* узбекск* \
        кавказск* كردي أفريقي أمازيغي تركي أرمني عربي کرد عرب ارمنی ترک",
    ),
    (
        ORIGIN,
        "татарин татарка чеченец чеченка еврей армянин армянка цыган* этническ* национальност* курд курдянка \
        якут* бурят* كردي كردية أمازيغي أمازيغية نوبي نوبية عرقية من_أصل_* کردتبار ارمنی قومیت बلوچ दलित आदिवासी \
        जाति ब्राह्मण जनजाति",
    ),
    (
        GENES,
        "brca* mthfr apoe* dna_test* dna_results dna_profile dna_analysis dna_analyse dna_ancestry gene_test* \
        gentest genetic_test* genetic_mutation* genetic_disorder* genetic_condition* genetic_disease* \
        genetic_marker* genetic_risk* genetic_predispos* genetic_data genetic_profile genetically_predisposed \
        gene_mutation* gene_variant* genmutation* gendefekt* genetisch_bedingt* genetische_* erbkrank* erbgut \
        mutation_génétique test_génétique test_adn prueba_genética prueba_de_adn mutación_genética \
        mutación_del_gen mutação_genética teste_genético teste_de_dna mutazione_genetica test_genetico \
        test_del_dna genetische_mutatie dna_onderzoek 23andme 23_and_me ancestrydna whole_genome genome_sequenc* \
        exome karyotype chromosomal chromosome* lynch_syndrome huntington* carrier_for carrier_of \
        carrier_screening hereditary_* sickle_cell_trait haplogroup* factor_v_leiden genetik_test* gen_mutasyon* \
        trisomy trisomie biometric_data biometric_template* biometric_profile biometrische_daten \
        données_biométriques datos_biométricos dados_biométricos dati_biometrici fingerprint_template* \
        fingerprint_hash fingerprint_data retina_scan iris_scan* iris_template* voiceprint* faceprint* \
        gait_signature генетическ* днк_тест* тест_днк мутаци*_гена мутаци*_в_гене ген_brca биометрическ* \
        اختبار_الحمض_النووي طفرة_جينية طفرة_وراثية فحص_جيني آزمایش_ژنتیک جهش_ژنتیکی جهش_ژنی डीएनए_टेस्ट \
        डीएनए_परीक्षण आनुवंशिक जीन_उत्परिवर्तन",
    ),
    (
        half(GENETICS),
        "mutation mutations mutación mutação mutazione mutatie gene genes gen gens gène gènes genetic genetically \
        allele alleles dna adn genome genom fingerprint fingerprints iris faceid biometric мутаци* ген гена طفرة \
        جين ژن جهش",
    ),
    (
        other_half(GENETICS),
        "carry carries carrier carrying inherited inherits trägt träger trägerin vererbt geerbt porteur porteuse \
        porte portador portadora portatore portatrice draagt draagster drager taşıyor taşıyıcısı hereditary \
        heterozygous homozygous tested sequenced uploaded shows showed risk template scan scans enrolled stored \
        носител* يحمل تحمل حامل ناقل",
    ),
];
