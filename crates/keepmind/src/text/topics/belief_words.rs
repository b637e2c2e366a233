//! Words of faith, political opinion and trade unions.

use super::classes::*;
use crate::text::lexicon::Classes;

const FAITH: Classes = likely(RELIGION);
const PARTY: Classes = likely(POLITICS);
const UNIONS: Classes = likely(UNION);

pub(super) const BELIEF_WORDS: &[(Classes, &str)] = &[
    (
        FAITH,
        "muslim muslims muslima muslimin moslem moslim musulman musulmane musulmán musulmana muçulman* musulmano \
        müslüman* islam islamic sunni sunnit* shia shiite schiit* alevi* ahmadi* sufi* is_christian \
        is_a_christian am_christian am_a_christian a_devout_christian devout_* born_again practising_christian \
        practicing_christian became_a_christian became_christian christians christianity christentum \
        bekennender_* ist_christ bin_christ bin_christin ist_christin gläubig* chrétien chrétienne chrétiens \
        es_cristiano soy_cristiano è_cristiano es_cristiana soy_cristiana è_cristiana cristão cristã catholic \
        catholics catholicism roman_catholic katholisch* katholik* catholique* católic* cattolic* katholiek* \
        katolik* protestant* evangelisch* evangelical* evangélic* lutheran* calvinist* methodist* baptist \
        baptists pentecostal* pfingstler* presbyterian* anglican* adventist* mormon* latter_day_saint* jehovah* \
        zeuge_jehovas zeugin_jehovas témoin_de_jéhovah testigo_de_jehová quaker* orthodox_christian \
        orthodox_jew* russian_orthodox greek_orthodox russisch_orthodox griechisch_orthodox",
    ),
    (
        FAITH,
        "jewish jew jews judaism ist_jude bin_jude jüdin jüdisch* judentum juif juive judío es_judía soy_judía \
        judeu é_judia ebreo ebrea joods yahudi* hindu hindus hinduism hinduist* hinduismus hindou* hindú \
        buddhist* buddhism* bouddhis* budist* budism* boeddhis* sikh sikhs sikhism is_jain a_jain jainism bahai \
        baha_i zoroastrian* shinto* taoist* is_pagan a_pagan wiccan wicca scientolog* satanist* atheist* atheism \
        atheis* athée* ateo atea ateu ateist* ateís* is_agnostic an_agnostic am_agnostic agnostiker* agnostique \
        agnóstico agnóstica konfessionslos kirchenaustritt aus_der_kirche_ausgetreten religious religiös \
        religieux religieuse religios* dindar dini_inanc* spiritually_religious",
    ),
    (
        FAITH,
        "prays praying betet betend reza_todos reza_cada prega_ogni bidt believes_in_god believe_in_god \
        belief_in_god glaubt_an_gott croit_en_dieu cree_en_dios acredita_em_deus crede_in_dio gelooft_in_god \
        allah'a_inanıyor believes_in_allah ramadan ramadán ramazan* fasts_for fasting_for_lent observes_lent \
        hajj umrah baptised baptized baptism getauft baptisé* bautizad* batizad* battezzat* konfirmation \
        erstkommunion first_communion bar_mitzvah bat_mitzvah shabbat sabbath schabbat sabbat_* converted_to_* \
        konvertiert_zum zum_islam church_every church_each church_on mosque_every synagogue_every bible_study \
        bible_group bibelkreis bibelstunde sunday_mass friday_prayer* morning_prayer* evening_prayer* daily_mass \
        attends_mass goes_to_mass va_à_la_messe va_a_misa vai_à_missa va_a_messa namaz* parishioner* \
        gemeindemitglied his_faith her_faith their_faith faith_in_god my_faith user_faith user_religion \
        her_religion his_religion their_religion my_religion bible_verses hijab kopftuch",
    ),
    (
        other_half(RELIGION),
        "attend attends attending go goes going went every each weekly member elder deacon regularly friday \
        fridays sunday sundays belongs besucht geht gehe regelmäßig jeden sonntags mitglied freitags va vais vas \
        tous chaque membre asiste cada todos miembro frequenta vai membro ogni gaat iedere elke lid gider \
        gidiyor cuma kiliseye ходит хожу каждое каждую कर जाता जाती يذهب تذهب كل يصلي volunteers serves prayer",
    ),
    (
        half(RELIGION),
        "church mosque synagogue temple chapel gurdwara congregation parish kirche kirchengemeinde moschee \
        synagoge église mosquée iglesia mezquita sinagoga igreja mesquita chiesa moschea kerk moskee camiye \
        camii kilise церковь мечеть синагогу храм المسجد مسجد الكنيسة كنيسة मंदिर मस्जिद चर्च گوردوارہ",
    ),
    (
        FAITH,
        "мусульман* христиан* православн* католи* протестант* иуде* еврейк* буддист* буддизм* индуист* атеист* \
        атеизм* агностик* верующ* верит_в_бога молится крещен* крестил* исповеду* религиозн* مسلم مسلمة مسيحي \
        مسيحية كاثوليكي كاثوليكية أرثوذكسي يهودي يهودية بوذي بوذية هندوسي هندوسية ملحد ملحدة شيعي شيعية سني سنية \
        متدين متدينة يصلي تصلي يصوم تصوم رمضان الحج مسلمان مسیحی یهودی زرتشتی بهایی بهائی بی‌دین خداناباور نماز \
        روزه_می شیعه سنی مذهبی मुसलमान मुस्लिम हिंदू हिन्दू ईसाई सिख बौद्ध जैन नास्तिक यहूदी नमाज नमाज़ धार्मिक \
        מוסלמי מוסלמית נוצרי נוצרית יהודי יהודייה אתאיסט אתאיסטית דתי דתייה",
    ),
    // Politics.
    (
        PARTY,
        "political_views political_opinion* political_beliefs politically left_wing right_wing far_right far_left \
        leans_left leans_conservative leans_liberal leans_republican leans_democrat* leans_right left_leaning \
        right_leaning is_a_democrat is_a_republican democrat democrats republican republicans democratic_party \
        republican_party labour_party conservative_party green_party liberal_democrat* tory tories \
        is_conservative is_a_conservative is_liberal is_a_liberal is_a_progressive socialist socialists \
        socialism communist* communism marxist* trotskyist* anarchist* libertarian* trump_supporter maga \
        fridays_for_future extinction_rebellion trump_voter brexiteer pro_brexit anti_brexit remainer pro_life \
        pro_choice nationalist* fascist* neo_nazi* social_democrat* party_member political_party votes_labour \
        votes_conservative voted_labour voted_conservative votes_green voted_green voted_leave voted_remain \
        votes_left votes_right supports_brexit sozialdemokrat* sozialist* kommunist* rechtsextrem* linksextrem* \
        linksradikal* rechtsradikal* parteimitglied parteibuch politische_einstellung politische_meinung \
        politische_ansicht* wählt_links wählt_rechts wählt_grün wählt_die wählt_cdu wählt_spd wählt_afd \
        wählt_fdp wählt_csu afd cdu spd die_grünen die_linke grünen_wähler* bei_den_grünen bei_den_linken pegida",
    ),
    (
        PARTY,
        "est_de_gauche est_à_gauche suis_de_gauche vote_à_gauche est_de_droite suis_de_droite vote_à_droite \
        extrême_gauche extrême_droite socialiste socialistes communiste communistes gaulliste \
        rassemblement_national la_france_insoumise front_national parti_socialiste les_républicains insoumis \
        opinions_politiques es_de_izquierda soy_de_izquierda es_de_izquierdas soy_de_izquierdas es_de_derecha \
        es_de_derechas izquierdista derechista socialista socialistas comunista comunistas psoe podemos_vot* \
        partido_popular vota_a_vox opinión_política ideología_política peronista kirchnerista é_de_esquerda \
        é_de_direita petista bolsonarista lulista partido_dos opinião_política è_di_sinistra è_di_destra \
        partito_democratico fratelli_d_italia lega_nord forza_italia movimento_cinque opinioni_politiche \
        communistisch pvv groenlinks pvda d66 vvd_stem* politieke_voorkeur solcu sağcı akp chp mhp hdp akp'li \
        chp'li muhafazakar milliyetçi siyasi_görüş*",
    ),
    (
        PARTY,
        "коммунист* либерал* единоросс* единую_россию политическ*_взгляд* националист* консерватор* \
        левых_взглядов правых_взглядов навальн* кпрф лдпр آراؤه_السياسية شيوعي شيوعية اشتراكي اشتراكية يساري \
        يسارية إخوان الحزب_الحاكم عضو_في_حزب آراء_سياسية کمونیست اصلاح_طلب اصولگرا سلطنت_طلب نظر_سیاسی \
        گرایش_سیاسی भाजपा बीजेपी कांग्रेस_समर्थक वामपंथी कम्युनिस्ट राजनीतिक_विचार",
    ),
    (
        other_half(POLITICS),
        "vote votes voted voting voter supporter supports supported campaigned campaigns campaigning canvass* \
        member joined activist councillor councilor sympathi* donated donates mitglied wählt wähle gewählt \
        wählen wählte unterstützt vote_pour voté adhérent adhérente militant militante milite votó vota voto \
        votar votou votado afiliado afiliada filiado filiada apoya apoia votato vota_per iscritto iscritta stemt \
        stemde gestemd lid oy verdi veriyor partisine üyesi голосу* проголосовал* голосовал* член состоит \
        поддерживает صوت صوتت يصوت يؤيد عضو رای_داد رأی_داد वोट मतदान समर्थक समर्थन",
    ),
    (
        half(POLITICS),
        "member_of_the_*_party election elections referendum democrat* republican* labour conservative \
        conservatives liberal liberals greens trump biden harris obama clinton sanders bernie kamala desantis \
        macron mélenchon le_pen merkel scholz merz habeck wagenknecht höcke lula bolsonaro modi putin erdoğan \
        erdogan meloni salvini conte sánchez abascal milei starmer farage sunak corbyn netanyahu wilders rutte \
        partei wahl bundestagswahl landtagswahl grüne grünen linke linken parti élection élections partido \
        elección elecciones eleição eleições partito elezioni partij verkiezingen vox ukip snp bjp congress csu \
        fdp brexit partiye parti_üyesi parti'ye seçim seçimlerde partisi партии партию выборах навальн* путин* \
        حزب الحزب انتخابات الانتخابات حزبی भाजपा कांग्रेस आप_पार्टी पार्टी चुनाव",
    ),
    // Trade unions.
    (
        sure(UNION),
        "union_member* union_rep union_reps union_representative* union_steward* union_dues union_organi* \
        union_official* union_delegate* union_committee union_meeting* union_leader* teamster shop_steward* \
        gewerkschaftsmitglied* gewerkschaftsvertret* délégué_syndical déléguée_syndicale delegado_sindical \
        delegada_sindical rappresentante_sindacale vakbondslid",
    ),
    (
        UNIONS,
        "trade_union* labor_union* labour_union* union_activist* union_card teachers_union workers_union \
        nurses_union unionist* unionised unionized unionise unionize uaw afl_cio teamsters seiu unison_member \
        usdaw gewerkschaft* *gewerkschaft *gewerkschafter *gewerkschafterin ig_metall ver_di verdi_mitglied dgb \
        ig_bce igmetall syndiqué syndiquée syndicaliste* représentant_syndical carte_syndicale syndicat \
        syndicats cgt cfdt sindicato sindicatos sindicalista* sindicalizad* afiliación_sindical ccoo sindacato \
        sindacati sindacalista* cgil cisl tessera_sindacale vakbond* vakbonds* fnv_lid sendika* профсоюз* نقابة \
        نقابي نقابية النقابة اتحادیه_کارگری سندیکا ट्रेड_यूनियन मजदूर_संघ श्रमिक_संघ यूनियन_का",
    ),
    (half(UNION), "union unions unite unison cgt fnv"),
    (
        other_half(UNION),
        "member members membership rep representative steward joined join joins dues organiser organizer delegate \
        strike striking ballot shop labor labour workers teachers nurses dockers committee fees organises \
        organizes plant factory pays belongs lid",
    ),
];
