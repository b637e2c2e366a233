//! Words of illness, disability, medicine and treatment. Diet and allergies are another domain, and
//! coeliac disease counts as diet.

use super::classes::*;
use crate::text::lexicon::Classes;

const LIKELY: Classes = likely(HEALTH);
const SURE: Classes = sure(HEALTH);

pub(super) const HEALTH_WORDS: &[(Classes, &str)] = &[
    // Names of illnesses that most languages share.
    (
        LIKELY,
        "diabet* prediabet* hiv aids schizophren* schizofren* esquizofren* esquizofreni* autis* asperger* adhd \
        tdah adhs epilep* arthrit* artrit* rheumat* asthma* asthme asma astma astım migraine* migräne migraña* \
        migren emicrania enxaqueca* hypertension hypertonie hipertens* hipertansiyon ipertensione hypertensie \
        bluthochdruck dementia demenz demens demenza demencia demência démence dementie alzheimer* parkinson* \
        crohn* colitis colitis* psoriasis psoria* eczema neurodermit* endometrio* pcos herpes hepatit* chlamydia \
        clamidia syphilis sífilis gonorrh* tubercul* anemia anaemia anämie anémie leukemia leukaemia leukämie \
        leucémie leucemia lymphom* linfoma* melanom* carcinom* karzinom* tumor* tumour* tümör* sarcom* metasta* \
        hypothyroid* hyperthyroid* hipotiroid* hashimoto* fibromyalg* fibromialg* lupus osteopor* cirrhos* \
        zirrhose cirros* angina arrhythmi* tachycard* glaucom* glaukom* cataract* tinnitus vertigo insomni* \
        schlaflos* bipolar* borderline_personality borderline_störung ptsd ptbs ocd tourette* neuropath* \
        scolios* skoliose sciatica hernia herniat* bandscheibenvorfall gout gicht covid* long_covid pneumon* \
        lungenentzündung infertil* unfruchtbar* erectile_dysfunction incontinen* inkontinen* hemorrhoid* \
        haemorrhoid* paraplegi* tetraplegi* quadripleg* cerebral_palsy muscular_dystrophy down_syndrom* \
        multiple_sclerosis multiple_sklerose sclérose_en_plaques esclerosis_múltiple esclerose_múltipla \
        sclerosi_multipla multiple_sclerose sickle_cell_disease sickle_cell_anemia cystic_fibrosis mukoviszidose \
        fibrosis_quística haemophil* hemophil* hämophil* anorexi* anoressi* bulimi* magersucht eating_disorder* \
        essstörung* sleep_apn* schlafapno* apnée_du_sommeil",
    ),
    (
        LIKELY,
        "cancer cancers cáncer câncer cancro krebs *krebs krebserkrank* kanker *kanker kanser kanseri tumore \
        tumeur depression depressions depressed depressiv* depressionen depresión depressão depressione depresif \
        depresyon* dépression dépressif dépressive deprimid* depresso depressa depressief depressie anxiety \
        anxiety_disorder angststörung* panikattack* panic_attack* panic_disorder ansiedad ansiedade \
        trouble_anxieux ansia angststoornis anksiyete mentally_ill mental_illness psychisch_krank psychose \
        psychotic psychosis psicosis burnout burn_out postpartum suizid* suicid* self_harm* selbstverletz* \
        intihar miscarriage* miscarried fehlgeburt* abortion* schwangerschaftsabbruch abtreibung avortement \
        aborto aborti fausse_couche pregnan* schwanger* enceinte embarazad* grávida incinta zwanger* hamile \
        hamilelik",
    ),
    (
        LIKELY,
        "chronic_pain chronic_illness chronic_disease chronically_ill chronic_fatigue chronisch_* back_pain \
        knee_pain rückenschmerz* chronic_back heart_attack heart_disease heart_condition heart_failure \
        heart_surgery herzinfarkt herzfehler herzkrank* kidney_disease kidney_failure kidney_stones \
        nierenversagen nierenkrank* liver_disease blood_pressure blood_sugar cholesterol cholesterin* blutdruck* \
        blutzucker* tension_artérielle glicemia terminally_ill autoimmun* thyroid_* schilddrüsen* \
        irritable_bowel reizdarm* crise_cardiaque infarctus infarto had_a_stroke suffered_a_stroke schlaganfall \
        ictus avc derrame_cerebral beroerte inme felç food_poisoning concussion gehirnerschütterung broken_leg \
        broken_arm broken_ankle broken_wrist sprained_* torn_acl torn_meniscus hba1c seizure* going_blind \
        losing_her_sight losing_his_sight losing_their_sight cancer_survivor cancer_patient the_flu has_flu \
        infection infections lungenkrank* krankenhausaufenthalt immunocompromised immune_deficien* migrañas \
        jaqueca illness illnesses disease diseases maladie maladies enfermedad* doença* malattia malattie ziekte \
        *krankheit *erkrankung erkrankung* hastalık hastalığı syndrom syndrome síndrome",
    ),
    (
        LIKELY,
        "disability disabilities user_is_disabled user_became_disabled i_am_disabled i_m_disabled \
        severely_disabled physically_disabled mentally_disabled disabled_person disabled_since disabled_veteran \
        mother_is_disabled father_is_disabled son_is_disabled daughter_is_disabled brother_is_disabled \
        sister_is_disabled behindert* schwerbehindert* behinderung* handicapé* handicap discapacid* \
        deficiência_* disabile disabilità gehandicapt engelli wheelchair* rollstuhl* fauteuil_roulant \
        silla_de_ruedas cadeira_de_rodas sedia_a_rotelle rolstoel* tekerlekli_sandalye deaf gehörlos* taub sourd \
        sourde sordo sorda surdo surda doof sağır hearing_aid* hearing_loss hard_of_hearing hörgerät* \
        schwerhörig* is_blind am_blind legally_blind went_blind born_blind blind_since blind_in ist_blind \
        bin_blind ist_erblindet est_aveugle suis_aveugle es_ciego es_ciega soy_ciego soy_ciega è_cieco è_cieca \
        kör_oldu visually_impaired sehbehindert* malvoyant* amputee* amputat* amputiert* prosthe* prothese* \
        dyslexi* legasthen* dislexi* dyscalculi* stutter* pflegegrad pflegestufe neurodiver* mobility_impair* \
        paralysed paralyzed gelähmt*",
    ),
    // Medicine by name; the endings are those of international names, as English and the other
    // languages write them.
    (
        LIKELY,
        "*sartan *sartán *statin *statine *statina *cillin *cilline *cilina *cillina *mycin *mycine *micina \
        *prazole *prazol *conazole *conazol *oxetine *oxetin *oxetina *azepam *azolam *olol *ololo *gliptin \
        *gliptina *gliflozin *triptan *triptyline *triptilina *triptylin *dipine *dipin *dipino *tinib *zumab \
        *ximab *tumab *limumab *parin *heparina *barbital *ciclovir *cyclovir *navir *tegravir *fovir *thiazide \
        *tiazida *opril *gabalin *gabalina *glutide *glutid *oxacin *floxacina *idone *peridon *apine *iapin \
        *iapina *alopram *traline *tralin *tralina *faxine *faxin *faxina *trigine *trigin *trigina *azepine \
        *phenidate *phenidat *fenidato *thyroxine *thyroxin *tiroxina *nisone *nisolon *nisolone",
    ),
    (
        LIKELY,
        "ramipril enalapril captopril insulin insuline insulina insülin metformin* metformina prozac zoloft \
        lexapro xanax valium ritalin adderall vyvanse concerta ozempic wegovy mounjaro viagra cialis sildenafil \
        tadalafil warfarin* marcumar eliquis xarelto methotrexat* methadon* buprenorphin* suboxone naltrexon* \
        morphine morphin morfina oxycodon* oxycontin fentanyl tramadol codeine codein tilidin ibuprofen* \
        ibuprofène ibuprofeno paracetamol* acetaminophen aspirin aspirina diclofenac naproxen novalgin \
        metamizol* dipirona risperdal seroquel wellbutrin bupropion* mirtazapin* trazodon* lamictal valproate \
        valproat clozapin* clonidin* ventolin albuterol salbutamol montelukast cortison* kortison* \
        hydrocortison* prednison* spironolacton* furosemid* clopidogrel tamoxifen* letrozol* finasterid* \
        minoxidil isotretinoin* accutane truvada biktarvy antiretroviral* propecia synthroid euthyrox levaquin \
        antidepress* antidepresiv* antidépresseur* antipsychotic* antipsychotik* neuroleptik* antibiotic* \
        antibiotik* antibiótico* antibiotique* antibiotici betablocker beta_blocker* betablockers blood_thinner* \
        blutverdünner birth_control contraceptive_pill antibabypille pille_danach ssri ssris statins painkiller* \
        schmerzmittel sleeping_pill* schlaftablette* inhaler medication medications meds medikament* médicament* \
        medicación medicamento* medicação farmaco farmaci medicijn* medicatie ilaç ilacı ilaçlar antihypertens*",
    ),
    (
        other_half(HEALTH),
        "take takes taking took tablet tablets tabletten pill pills capsule capsules dose doses daily nimmt nehme \
        nehmen einnehmen prend prends prendre toma tomo tomar tomando prende prendo assume neemt slikt slikken \
        alıyor kullanıyor принимает принимаю пьет пью يتناول تتناول اتناول أتناول يأخذ मिलीग्राम लेता लेती \
        prescribed injects sees seeing appointment appointments injecting",
    ),
    (
        half(HEALTH),
        "oncologist psychiatrist cardiologist urologist nephrologist rheumatologist neurologist gynecologist \
        gynaecologist onkologe onkologin psychiater psychiaterin oncologue psychiatre oncólogo psiquiatra \
        oncologo lithium litio melatonin testosterone estrogen steroids therapy_session",
    ),
    // Treatment.
    (
        LIKELY,
        "chemo chemotherap* chimio* quimioterap* chemioterap* kemoterapi radiotherap* radiation_therapy \
        strahlentherap* bestrahlung radioterap* dialysis dialyse diálisis diálise dialisi diyaliz psychotherapy \
        psychotherapie psychothérapie psicoterapia psikoterapi in_therapy to_therapy started_therapy \
        therapy_sessions sees_a_therapist seeing_a_therapist has_a_therapist her_therapist his_therapist \
        their_therapist my_therapist sees_a_psychiatrist seeing_a_psychiatrist sees_a_psychologist \
        user_therapist user_psychiatrist in_therapie in_psychotherapie beim_psychiater beim_therapeuten \
        suit_une_thérapie en_thérapie va_a_terapia en_terapia em_terapia fa_terapia in_terapia surgery surgeries \
        surgically operiert operated_on opéré opérée operado operada cirugía cirurgia bypass transplant* \
        trasplante transplantation psychiatric_clinic psychiatric_ward psychiatric_hospital in_der_psychiatrie \
        en_psychiatrie c_section caesarean cesarean kaiserschnitt césarienne cesárea hospitalised hospitalized \
        hospitalisé* hospitalizad* ricoverato ricoverata ingresad* in_the_hospital in_hospital im_krankenhaus \
        ins_krankenhaus krankenhaus_wegen reha in_reha rehab in_rehab rehabilitation_clinic detox entzug \
        entgiftung ivf in_vitro kinderwunschbehandlung vaccinat* geimpft biopsy biopsie biopsia mastectomy \
        hysterectomy vasectomy pacemaker* herzschrittmacher catheter colonoscopy mammogra* krankschreib* \
        krankgeschrieben sick_leave arrêt_maladie baja_médica physiotherapy physiotherapie fisioterapia \
        kinésithérapie",
    ),
    (
        LIKELY,
        "recovering_alcoholic is_an_alcoholic alcoholism alkoholiker* alcoolique alcohólico alcohólica alcoólatra \
        alcolista alcoholics_anonymous anonyme_alkoholiker drug_addict* drug_addiction drug_dependen* \
        drogensüchtig* drogenabhängig* suchtkrank* opioid_* addicted_to_drugs addicted_to_alcohol \
        addicted_to_opi* addicted_to_heroin addicted_to_cocaine addicted_to_pain* toxicomane drogadict* relapsed \
        rückfällig sober_since sober_for",
    ),
    (
        SURE,
        "diagnosed_with diagnosed_as was_diagnosed been_diagnosed diagnosis_of diagnostiziert diagnose_* \
        diagnostiqué* diagnosticad* diagnosticat* gediagnosticeerd hiv_positive hiv_positiv* seropositiv* \
        séropositi* vih suffers_from suffering_from suffered_from leidet_an leide_an leidet_unter souffre_de \
        souffre_d sufre_de sofre_de soffre_di lijdt_aan erkrankt an_krebs has_cancer tiene_sida en_rémission \
        in_remission prescribed_* undergoing_treatment treated_for medical_condition medical_history \
        health_condition health_issue* health_problem* gesundheitsproblem* gesundheitliche* problemas_de_salud \
        problèmes_de_santé krankenakte problemas_de_saúde problemi_di_salute",
    ),
    // Russian.
    (
        LIKELY,
        "диабет* рак рака раком раке онкологи* онкологическ* опухол* вич спид спида спидом шизофрен* аутизм* \
        аутист* эпилепс* астм* мигрен* гипертон* гипертенз* депресси* тревожн* биполярн* деменци* альцгеймер* \
        паркинсон* инсульт* инфаркт* гепатит* туберкул* лейкоз* анеми* псориаз* артрит* беременн* выкидыш* \
        аборт* инвалид* инвалидност* колясочни* глухой глухая слепой слепая химиотерап* психотерапи* к_психиатр* \
        у_психиатр* диализ* операци* антидепресс* антибиотик* инсулин* лекарств* таблетк* сертралин* метформин* \
        болезн* заболеван* страдает болеет диагноз* диагностир* алкоголик* наркоман* суицид* госпитализ* \
        вич_положит* рассеянн*_склероз*",
    ),
    // Arabic and Persian.
    (
        LIKELY,
        "سكري السكري فيروس_نقص_المناعة سرطان الإيدز ايدز اكتئاب فصام توحد صرع ربو شقيقة ضغط_الدم اضطراب_ثنائي \
        زهايمر باركنسون جلطة حامل إجهاض معاق إعاقة كرسي_متحرك أصم كفيف كيماوي علاج_كيميائي غسيل_الكلى علاج_نفسي \
        طبيب_نفسي دواء أدوية أنسولين مضادات_الاكتئاب مرض مريض يعاني تعاني مصاب مصابة تشخيص شخص_ب دیابت ایدز \
        افسردگی اسکیزوفرنی اوتیسم آسم میگرن فشار_خون آلزایمر پارکینسون سکته باردار سقط_جنین معلول معلولیت ویلچر \
        ناشنوا نابینا شیمی_درمانی دیالیز روان_درمانی روانپزشک انسولین بیماری بیمار مبتلا تشخیص_داده قرص",
    ),
    // Hindi.
    (
        LIKELY,
        "मधुमेह डायबिटीज कैंसर एड्स एचआईवी अवसाद डिप्रेशन सिज़ोफ्रेनिया ऑटिज़्म मिर्गी दमा अस्थमा माइग्रेन \
        रक्तचाप ब्लड_प्रेशर अल्जाइमर पार्किंसंस लकवा गर्भवती गर्भपात विकलांग दिव्यांग व्हीलचेयर बहरा बहरी अंधा \
        अंधी कीमोथेरेपी डायलिसिस मनोचिकित्सा मनोचिकित्सक दवा दवाई दवाइयाँ इंसुलिन बीमारी रोग निदान टीबी थायराइड \
        पीड़ित",
    ),
    // Hebrew.
    (
        LIKELY,
        "סוכרת סוכרתי סרטן איידס דיכאון סכיזופרניה אוטיסט אפילפסיה אסתמה בהיריון בהריון הפלה נכה נכות חירש עיוור \
        כימותרפיה דיאליזה פסיכיאטר תרופות אינסולין מחלה מחלת",
    ),
    // Turkish and Dutch, what the lists above do not share.
    (
        LIKELY,
        "şeker_hastas* tansiyon* yüksek_tansiyon şizofren* otizm* epilepsi* sara_hastas* kürtaj* ameliyat* \
        psikiyatr* terapiye teşhis* tanısı_kondu tedavi_görüyor engellilik suikerziekte hoge_bloeddruk \
        hartaanval zwangerschap psychiater_* gediagnosticeerd hiv_pozitif hastalığı_var",
    ),
    (
        DOSE,
        "mg mgs milligram* milligramm miligramo* mcg µg microgram* mikrogramm mg_daily мг мкг ملغ ملجم مجم \
        میلی_گرم मिलीग्राम",
    ),
];
