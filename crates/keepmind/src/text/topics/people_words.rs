//! Words for people and animals around the user, for the user, and for what tells a clause about
//! somebody from one about a field of work, study or leisure.

use super::classes::*;
use crate::text::lexicon::Classes;

const CLOSE: Classes = PERSON | likely(RELATIONS);

pub(super) const PEOPLE_WORDS: &[(Classes, &str)] = &[
    (
        CLOSE,
        "wife husband spouse girlfriend boyfriend fiancé fiancée partner ex_wife ex_husband mother father mom mum \
        dad mommy daddy parent parents son sons daughter daughters child kid brother brothers sister sisters \
        sibling siblings twin grandmother grandfather grandma grandpa grandparents grandson granddaughter uncle \
        aunt nephew niece cousin cousins stepmother stepfather stepson stepdaughter in_laws friend friends \
        bestie best_friend ex ehefrau ehemann frau mann_von freundin freund freunde verlobte verlobter partnerin \
        lebensgefährt* mutter vater mama papa eltern sohn söhne tochter töchter bruder brüder schwester \
        schwestern geschwister oma opa großmutter großvater enkel enkelin onkel tante neffe nichte cousine \
        schwager schwägerin schwiegermutter schwiegervater",
    ),
    (
        CLOSE,
        "femme mari conjoint conjointe épouse époux copain copine fiancée mère père maman parents fils fille \
        frère frères sœur soeur sœurs grand_mère grand_père oncle neveu nièce cousin cousine ami amie amis \
        beau_frère belle_mère esposa esposo marido mujer_del novia novio pareja madre padre mamá papá padres \
        hijo hija hijos hijas hermano hermana hermanos abuela abuelo tío tía sobrino sobrina primo prima amigo \
        amiga amigos cuñado cuñada suegra mulher_do namorada namorado mãe pai pais_do filho filha filhos irmão \
        irmã irmãos avó avô tio tia sobrinho sobrinha cunhado sogra moglie marito fidanzata fidanzato mamma papà \
        genitori figlio figlia figli fratello sorella fratelli nonna nonno zio zia nipote cugino cugina amico \
        amica amici suocera",
    ),
    (
        CLOSE,
        "vrouw_van echtgenote echtgenoot vriendin vriend vrienden moeder vader ouders zoon dochter broer broers \
        zus zussen zuster opa_van oom neef nicht karısı karım kocası kocam eşi eşim annesi annem babası babam \
        oğlu oğlum kızı kızım kardeşi kardeşim ablası ablam abisi abim dedesi dedem büyükannesi ninem teyzesi \
        amcası dayısı halası kuzeni arkadaşı arkadaşım sevgilisi sevgilim nişanlısı жена жены жену жене женой \
        муж мужа мужу мужем мать матери матерью мама мамы маме маму отец отца отцу папа папы сын сына сыну дочь \
        дочери брат брата брату сестра сестры сестру сестре бабушка бабушки дедушка дедушки дядя тетя племянник \
        племянница друг друга другу подруга подруги подругу девушка_пользователя парень_пользователя",
    ),
    (
        CLOSE,
        "زوجة زوجته زوجتي زوج زوجها زوجي والدة والدته والدتها والدتي أم_المستخدم أمه أمها أمي والد والده والدها \
        والدي أبوه أبي ابن ابنه ابنها ابني ابنة ابنته ابنتها ابنتي أخ أخو أخوه أخوها أخي أخت أخته أختها أختي \
        صديق صديقه صديقها صديقي صديقة صديقته صديقتها صديقتي جدة جدته جدتي جد_المستخدم عم_المستخدم خالة همسر \
        همسرش همسرم مادر مادرش مادرم پدر پدرش پدرم پسر_کاربر پسرش پسرم دختر_کاربر دخترش دخترم برادر برادرش \
        برادرم خواهر خواهرش خواهرم دوست_کاربر دوستش دوستم مادربزرگ پدربزرگ पत्नी पति माँ मां माता पिता पिताजी \
        बेटा बेटे बेटी भाई बहन दादी दादा नाना नानी चाचा मौसी दोस्त मित्र सहेली प्रेमिका प्रेमी",
    ),
    (
        PERSON,
        "colleague colleagues coworker coworkers boss manager_of neighbour neighbor neighbours neighbors roommate \
        flatmate housemate classmate teammate employee landlord acquaintance kollege kollegin chef_von chefin \
        nachbar nachbarin mitbewohner mitbewohnerin vorgesetzte* collègue voisin voisine colocataire patron_de \
        compañero compañera vecino vecina jefe jefa colega vizinho vizinha chefe collega vicino_di vicina_di \
        coinquilin* buurman buurvrouw baas komşusu komşum patronu iş_arkadaşı коллега коллеги начальник сосед \
        соседа соседка соседки زميل زميله زميلته جار جاره جارته مدير_المستخدم همکار همکارش همسایه पड़ोसी सहकर्मी \
        बॉस",
    ),
    (
        likely(RELATIONS),
        "married marries divorced divorcing divorce engaged_to is_single dating_* is_dating in_a_relationship \
        broke_up breakup separated_from widow widowed widower marital wedding_anniversary having_an_affair \
        cheated_on verheiratet geschieden scheidung verlobt_mit ist_single verwitwet in_einer_beziehung \
        getrennt_von marié_avec mariée_avec est_marié est_mariée divorcé divorcée veuf veuve célibataire \
        casado_con casada_con está_casad* divorciad* soltero soltera viudo viuda é_casad* solteiro solteira \
        viúv* sposato sposata divorziat* single_da vedovo vedova getrouwd gescheiden weduwe weduwnaar evli \
        boşandı boşanmış bekar женат замужем разведен* вдова вдовец холост متزوج متزوجة مطلق مطلقة أعزب أرملة \
        متاهل متأهل مجرد طلاق शादीशुदा विवाहित तलाकशुदा अविवाहित",
    ),
    (
        ANIMAL,
        "plant plants tree garden laptop computer phone car server dog dogs puppy cat cats kitten horse pony \
        rabbit hamster guinea_pig parrot bird fish goldfish tortoise pet pets retriever labrador poodle \
        dachshund hund hündin katze kater pferd kaninchen haustier chien chienne chat chatte cheval lapin perro \
        perra gato gata caballo conejo cachorro cachorra cão cavalo coelho cane gatto gatta cavallo coniglio \
        hond kat paard konijn köpeği köpeğim kedisi kedim köpek kedi atı собака собаки кот кота кошка кошки \
        лошадь كلب كلبه كلبة قطة قطته حصان سگ سگش گربه گربه‌اش कुत्ता कुत्ते बिल्ली",
    ),
    (
        GROUP,
        "people patients clients veterans adults teenagers teens seniors persons refugees students survivors \
        women men menschen patienten klienten leute personen frauen männer geflüchtete personnes gens personas \
        pacientes clientes gente pessoas persone pazienti mensen patiënten insanlar hastalar людей людям \
        пациентов пациентам المرضى الناس बीमारों मरीजों लोगों characters",
    ),
    (
        OF_PERSON,
        "with who whose that mit der die dessen deren qui avec que con com met olan который которая с",
    ),
    (
        USER,
        "user users i me we ich wir mich mir nutzer nutzerin benutzer benutzerin anwender je j nous moi \
        utilisateur utilisatrice yo usuario usuaria nosotros eu nós usuário usuária utilizador io noi utente ik \
        wij gebruiker biz kullanıcı я мы мне меня пользователь пользовательница пользователя пользователю أنا \
        المستخدم المستخدمة من کاربر मैं मुझे उपयोगकर्ता user_self",
    ),
    (
        OF_USER,
        "users my our nutzers benutzers mein meine meiner meinem unser mon ma mes notre mi mis nuestro meu minha \
        mio mia mijn kullanıcının benim мой моя моей моего मेरे मेरी मेरा पользователя",
    ),
    // Not where a verb may come first: "gern lese ich über Krebs" is one clause.
    (DOER, "i we je j nous yo nosotros eu nós io noi я мы"),
    (
        SAME_DOER,
        "they he she elle elles ella ellos ela eles lei lui он она они",
    ),
    (GENITIVE, "का की के"),
    (
        BREAK,
        "and but because while when although since after before so or if und aber weil während nachdem seit \
        obwohl oder et mais parce quand y pero porque cuando mas e perché maar omdat toen ve ama çünkü и но \
        потому когда поэтому و لكن لأن اما چون और लेकिन क्योंकि پس plus also",
    ),
    (
        VERB | COPULA,
        "is was are were am be been became ist war bin sind wurde est était suis es era soy fue é foi sou è sono \
        zijn idi был была है था थी हैं هو هي است بود",
    ),
    (
        VERB,
        "has had have takes took suffers lives died voted votes earns owes makes got went uses needs carries goes \
        works likes loves hat hatte nimmt leidet wählt verdient trägt lebt starb a avait prend souffre vote \
        gagne tiene tenía toma sufre vota gana tem tinha sofre ganha ha aveva prende soffre guadagna heeft slikt \
        lijdt болеет страдает принимает имеет голосует получает belongs joined identifies came transitioned \
        served spent",
    ),
    (
        CLAIM,
        "has have had having despite own her his their my suffers due hat habe haben hatte wegen ihre seine meine \
        sa ses tiene tengo tem tenho ha ho heeft heb var у имеет لديه لديها عنده عندها دارد है",
    ),
    (
        NO_NAME,
        "the a an this that there it he she they his her their its since due in on at as for der die das ein eine \
        er sie es le la les un une il elle el los las lo o os um uma gli una lui lei de het een hij zij bu он \
        она они это هذا هي هو therapist doctor psychiatrist physician dermatologist oncologist dentist treatment \
        recovery surgeon arzt ärztin therapeut médecin médico medico today currently now money work what how why \
        which where who when do does did can could would should will write tell give please these those some \
        many",
    ),
    (
        FIELD,
        "study studies studying studied research researches researching researcher scientist biologist reads \
        reading read read_about writes writing wrote writer author book books novel novels film films movie \
        movies documentary documentaries series podcast podcasts article articles course courses class classes \
        lecture lectures thesis dissertation paper papers essay teaches teaching teacher professor nurse doctor \
        physician specialist therapist_for psychologist counsellor counselor lawyer attorney engineer developer \
        analyst journalist consultant advisor broker works_in works_as works_at works_for works_on works_with \
        working_on working_in working_at working_with working_as worked_at worked_in worked_as works_nights \
        job_at job_in volunteer volunteers volunteering charity fundraiser fundraising donates_to app apps \
        software startup company builds building develops developing designs designing designed dataset history \
        museum exhibition interested_in interested learns learning learn speaks speak fluent language translates \
        translating translation visited visit visits visiting toured watches watching watched plays playing \
        played listens listening likes enjoys loves_reading fan_of cooks cooking favourite favorite band song \
        album runs_a manages cares_about supports_the conference topic history_of photographs photography \
        translator guide explains allergic_to allergy_to intolerant_to allergisch_gegen allergisch_auf \
        allergique_* alérgico_a alérgica_a allergico_a allergica_a allergico_alla allergico_al allergisch_voor \
        intolerance_to аллерги*_на coffee tea wine beans cheese cuisine dish recipe recipes",
    ),
    (
        FIELD,
        "studiert studiere forscht forschung liest buch bücher roman romane film filme doku dokumentation \
        schreibt artikel vorlesung arbeitet_in arbeitet_als arbeitet_bei arbeitet_an arbeitet_im arbeitet_am \
        arbeite_als entwickelt lehrt unterrichtet ärztin arzt krankenpfleger* krankenschwester besuchte \
        besucht_die_ausstellung interessiert lernt spricht hört spielt kocht mag étudie recherche lit_sur livre \
        livres écrit travaille_dans travaille_comme travaille_à développe enseigne infirmier infirmière visite \
        visité intéresse apprend parle aime_la écoute joue cuisine estudia investiga investigación lee_sobre \
        libro libros novela película escribe trabaja_en trabaja_como desarrolla enseña enfermera enfermero \
        visitó interesa aprende habla le_gusta escucha juega cocina estuda pesquisa lê_sobre livro romance \
        escreve trabalha_em trabalha_como trabalha_no desenvolve ensina enfermeiro visitou fala gosta_de studia \
        ricerca legge romanzo scrive lavora_in lavora_come lavora_nel sviluppa insegna infermiere infermiera \
        visitato impara parla ama_la ascolta gioca cucina studeert onderzoekt leest boek schrijft werkt_in \
        werkt_als werkt_bij ontwikkelt verpleegkundige leert spreekt okuyor araştırıyor kitap yazıyor çalışıyor \
        öğreniyor konuşuyor изучает исследует читает книгу книги пишет работает преподает учит смотрит говорит \
        يدرس تدرس يقرأ تقرأ كتاب يعمل تعمل يتعلم يتحدث می‌خواند کتاب کار_می مطالعه पढ़ता पढ़ती किताब काम_करता \
        काम_करती अध्ययन सीख",
    ),
    (
        OF_FIELD,
        "allergy allergies allergie allergien allergy_* intolerance artwork artworks artists cultures traditions \
        research researcher researchers nurse nurses doctor doctors specialist specialists clinic clinics ward \
        unit department charity charities fundraiser foundation app apps software startup company companies \
        industry center centre studies science scientist treatment_center patients awareness campaign campaigns \
        book books novel novels film films movie movies documentary series podcast article articles course class \
        lecture history art arts architecture music literature philosophy mythology museum food cuisine cooking \
        recipe recipes restaurant restaurants festival festivals culture language bar bars club novelists theory \
        studies_degree law lawyer lawyers attorney consultant advisor adviser broker brokers calculator \
        calculators negotiation negotiations benchmark benchmarks survey surveys data_set dataset model models \
        transparency bands album songs algorithm algorithms testing parade parades rights ally allies school \
        schools university hospital monk monks temple temples monastery lessons era radio station guard officer \
        warden reform chaplain library ministry management tracker trackers prevention forschung forscher \
        forscherin klinik buch kurs küche musik kunst geschichte beraterin berater journalism reporter reporting \
        beer chocolate vaccine developer engineering psychology processing payroll screening_program \
        line_of_code editor",
    ),
    (
        IDIOM,
        "shia_labeouf great_depression tropical_depression depression_era european_union soviet_union \
        western_union credit_union credit_unions student_union students_union rugby_union union_square \
        union_jack union_station union_type union_types union_of_two union_of_sets state_of_the_union set_union \
        sql_union union_all gay_90s gay_nineties gay_street tropic_of_cancer is_a_cancer deaf_ear blind_to \
        depressed_the white_water black_belt white_belt black_and_white conservative_investor* \
        conservative_driver* cancer_sun cancer_rising cancer_moon zodiac_sign_is_cancer star_sign_is_cancer \
        sternzeichen_krebs krebs_cycle christian_dior christian_bale christian_louboutin hans_christian \
        bank_holiday* blind_date* blind_spot* blind_test* double_blind blind_tasting deaf_to_the prison_break \
        prison_architect criminal_minds orange_is_the_new labour_day labor_day labor_day_weekend \
        conservative_estimate* liberal_arts lithium_battery lithium_ion lithium_batteries app_store \
        business_partner business_partners partner_at partner_in_a training_partner gym_partner running_partner \
        dance_partner tennis_partner best_in_class roma_tomato* as_roma political_science technical_debt \
        tech_debt tech_debts technische_schulden phone_carrier hot_dog hot_dogs guinea_pigs republican_era \
        kidney_beans gesunde_ernährung writer_s_block bipolar_transistor* stack_overflow buffer_overflow \
        memory_leak* computer_virus tumor_has_it burnout_paradise nirvana_song vertigo_by friends_with_the \
        mother_tongue native_speaker sister_city brother_printer twin_bed twin_peaks father_christmas \
        mother_board single_malt jail_break son_et mutation_testing graphql_mutation* tagged_union* \
        discriminated_union* fingerprint_unlock fingerprint_reader fingerprint_sensor browser_fingerprint* \
        gene_wilder gene_kelly dr_who aids_to aids_in hearing_aids_in stage_fright visual_aids sandbox_escape \
        salary_cap mortgage_broker salary_negotiation loan_word loan_words balance_bike work_life_balance \
        balance_board account_manager account_executive stock_photo* stock_market stock_footage out_of_stock \
        in_stock pay_gap savings_mode power_saving energy_saving infection_rate_model dolce_vita",
    ),
];
