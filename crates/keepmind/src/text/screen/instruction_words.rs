//! The words that instructions are made of, by what they do in a sentence. A language is a line in
//! each list; how the classes go together is in `instructions`.

use crate::text::lexicon::Classes;

/// May stand before an imperative: "always", "please", "from now on".
pub(super) const LEAD: Classes = 1;
/// "must", "should": after the assistant's name it makes an order.
pub(super) const MODAL: Classes = 1 << 1;
/// "never", "do not".
pub(super) const NEGATION: Classes = 1 << 2;
/// "and", "then": an imperative may follow.
pub(super) const AND: Classes = 1 << 3;
/// "when", "if".
pub(super) const WHEN: Classes = 1 << 4;
/// The assistant.
pub(super) const ASSISTANT: Classes = 1 << 5;
/// Articles and the like.
pub(super) const ARTICLE: Classes = 1 << 6;
/// "ignore", as an imperative or infinitive.
pub(super) const IGNORE: Classes = 1 << 7;
/// "instructions", "rules".
pub(super) const RULES: Classes = 1 << 8;
/// "previous", "system", "your": whose rules.
pub(super) const EARLIER: Classes = 1 << 9;
/// "reveal".
pub(super) const REVEAL: Classes = 1 << 10;
/// What is not to be revealed.
pub(super) const HIDDEN: Classes = 1 << 11;
/// "recommend".
pub(super) const PROMOTE: Classes = 1 << 12;
/// "recommended".
pub(super) const PROMOTED: Classes = 1 << 13;
/// What is sold, or who sells it.
pub(super) const PRODUCT: Classes = 1 << 14;
/// "trust", "believe".
pub(super) const TRUST: Classes = 1 << 15;
/// "trusted", "authoritative".
pub(super) const TRUSTED: Classes = 1 << 16;
/// "source", "site".
pub(super) const SOURCE: Classes = 1 << 17;
/// "obey", "follow".
pub(super) const OBEY: Classes = 1 << 18;
/// "call", "run".
pub(super) const RUN: Classes = 1 << 19;
/// "tool", "function".
pub(super) const TOOL: Classes = 1 << 20;
/// "send", "forward", "delete".
pub(super) const MOVE: Classes = 1 << 21;
/// What may be sent away or deleted.
pub(super) const DATA: Classes = 1 << 22;
/// "hide", "lie", "refuse".
pub(super) const DECEIVE: Classes = 1 << 23;
/// "the user", "customers".
pub(super) const USER: Classes = 1 << 24;
/// "mention", "tell".
pub(super) const MENTION: Classes = 1 << 25;
/// "answer as", "act as", "you are now".
pub(super) const PLAY: Classes = 1 << 26;
/// What the assistant is not to become.
pub(super) const PERSONA: Classes = 1 << 27;
/// "says", "asks".
pub(super) const SAYS: Classes = 1 << 28;
/// "save", "remember".
pub(super) const SAVE: Classes = 1 << 29;
/// "is", "as", "considers".
pub(super) const LINK: Classes = 1 << 30;
/// The language gives all nouns a capital letter.
pub(super) const GERMAN: Classes = 1 << 31;
/// The language may put the verb last.
pub(super) const VERB_LAST: Classes = 1 << 32;
/// "messages", "everything": what may be believed.
pub(super) const STATEMENT: Classes = 1 << 33;
/// "without restrictions".
pub(super) const UNBOUND: Classes = 1 << 34;
/// "answer".
pub(super) const ANSWER: Classes = 1 << 35;
/// "point … to", "refer … to".
pub(super) const STEER: Classes = 1 << 36;
/// "treat … as", "consider … to be".
pub(super) const TREAT: Classes = 1 << 37;
/// "best", "preferred".
pub(super) const RANK: Classes = 1 << 38;
/// "criticise".
pub(super) const CRITICISE: Classes = 1 << 39;
/// "takes precedence over".
pub(super) const OUTRANK: Classes = 1 << 40;
/// Stands between a verb and a name: "from", "that".
pub(super) const CONNECT: Classes = 1 << 41;

/// Latin script: folded, without accents; a phrase has `_` between its words.
pub(super) const LATIN: &[(Classes, &str)] = &[
    (
        LEAD,
        "always please kindly now first only also just simply immediately henceforth from_now_on from_this_point_on \
        going_forward from_here_on in_future in_the_future in_all_future_conversations in_future_conversations in_every_reply \
        remember_to make_sure_to make_sure_you be_sure_to be_sure ensure_you ensure_that_you note_that important \
        important_note your_task_is_to your_goal_is_to your_job_is_to your_role_is_to your_mission_is_to \
        it_is_essential_that_you it_is_important_that_you you_are_instructed_to it_is_vital_that_you at_all_times under_all_circumstances in_every_answer again hereby to_the_assistant ok okay so well \
        first_of_all next every_time automatically secretly silently exclusively",
    ),
    (
        LEAD,
        "immer bitte ab_jetzt ab_sofort von_nun_an nun jetzt stets kunftig zukunftig nur zuerst \
        toujours desormais dorenavant svp s_il_te_plait s_il_vous_plait a_partir_de_maintenant merci_de veuillez uniquement \
        siempre por_favor a_partir_de_ahora de_ahora_en_adelante desde_ahora ahora solo \
        sempre por_favor a_partir_de_agora de_agora_em_diante doravante \
        per_favore d_ora_in_poi da_ora_in_poi da_adesso_in_poi sempre solo \
        altijd alstublieft alsjeblieft vanaf_nu voortaan steeds alleen \
        zawsze prosze od_teraz tylko her_zaman daima lutfen bundan_sonra artik bundan_boyle sadece \
        luon luon_luon hay tu_gio tu_bay_gio vui_long xin selalu tolong mulai_sekarang harap mohon senantiasa",
    ),
    (
        MODAL | LEAD,
        "must should shall will has_to have_to needs_to need_to is_to is_required_to is_obliged_to ought_to \
        is_instructed_to is_supposed_to are_to are_required_to can may cannot musst muss soll sollst sollte \
        darf doit dois devez debe debes deve devi deves moet mag musi powinien phai can_phai harus wajib wants want \
        is_allowed_to are_allowed_to is_expected_to",
    ),
    (
        NEGATION | LEAD,
        "never not dont do_not doesnt wont shouldnt mustnt cant no_longer stop avoid nie niemals nicht kein keine jamais ne \
        nunca no jamas nao jamais mai non nooit niet nigdy asla dung khong_bao_gio khong jangan tidak never_ever",
    ),
    (
        AND,
        "and then but or plus und dann oder et puis ou y luego e ed poi en dan oraz potem ve sonra va roi lalu kemudian \
        instead",
    ),
    (
        WHEN,
        "when whenever if once wenn falls sobald quand lorsque si cuando quando se als wanneer gdy jesli jezeli kiedy \
        eger khi neu ketika jika kalau bila apabila anytime next_time the_next_time as_soon_as every_time each_time unless",
    ),
    (
        ASSISTANT,
        "assistant assistants ai bot chatbot model llm gpt chatgpt claude gemini copilot agent you assistent \
        assistentin ki asistente ia assistente asystent asistan yapay_zeka tro_ly asisten chatbots language_model \
        the_system",
    ),
    (
        ARTICLE,
        "the a an this that these those our all any every some le la les l un une des el los las una il lo gli o os as \
        um uma der die das den dem ein eine einen de het een ten ta cac ini itu bu of d del della di do da du \
        products services product service brand platform alle todas todos tutte tutti wszystkie tum semua tat_ca",
    ),
    (
        IGNORE,
        "ignore disregard override bypass overlook discard neglect circumvent violate overwrite disobey \
        forget suspend disable skip break drop cancel unlearn dismiss remove delete erase supersede replace abandon \
        pay_no_attention_to pay_no_heed_to set_aside throw_away throw_out do_not_follow dont_follow stop_following \
        stop_obeying never_follow put_aside leave_behind do_not_obey",
    ),
    (
        IGNORE,
        "ignoriere ignorieren ignorier ignorieret missachte missachten vergiss vergessen umgehe umgehen uberschreibe \
        verwirf ignorez ignorer oublie oubliez oublier contourne contournez neglige negligez \
        ignora ignorad ignore ignorar ignoren olvida olvide olvidar omite omitir descarta desatiende \
        esqueca esquece esquecer desconsidere desconsiderar ignorem \
        ignorare ignorate dimentica dimenticare dimenticate trascura tralascia \
        negeer negeren vergeet vergeten omzeil \
        zignoruj ignoruj ignorowac zignorowac zapomnij pomin omin \
        bo_qua phot_lo quen lo_di abaikan lupakan hiraukan acuhkan kesampingkan",
    ),
    (
        IGNORE | VERB_LAST,
        "gormezden_gel yok_say unut dikkate_alma goz_ardi_et yoksay ignorieren missachten vergessen umgehen \
        negeren vergeten ignorer oublier",
    ),
    (
        RULES,
        "instruction instructions rule rules guideline guidelines prompt prompts directive directives restriction \
        restrictions policy policies constraint constraints safeguard safeguards guardrail guardrails filter filters \
        programming training commands command orders limitations protocols protocol system_message system_messages \
        everything_above everything_before everything_you_were_told everything_you_have_been_told what_you_were_told \
        all_of_the_above text_above what_was_said_before messages_above safety_rules context \
        safety_measures moderation",
    ),
    (
        RULES,
        "anweisung anweisungen regel regeln vorgaben richtlinien einschrankungen instruktionen beschrankungen befehle \
        consigne consignes regle regles directives restrictions instruction instructions \
        instruccion instrucciones regla reglas normas directrices restricciones indicaciones ordenes \
        instrucao instrucoes regra regras diretrizes restricoes ordens \
        istruzione istruzioni regola regole direttive restrizioni ordini indicazioni \
        instructie instructies regels richtlijnen beperkingen opdrachten \
        instrukcje instrukcji polecenia polecen zasady zasad reguly wytyczne ograniczenia \
        talimat talimatlari talimatlar kurallari kurallar komutlari yonergeleri kisitlamalari \
        huong_dan chi_dan quy_tac lenh chi_thi instruksi aturan perintah petunjuk arahan batasan",
    ),
    (
        EARLIER,
        "everything_above everything_before everything_you_were_told everything_you_have_been_told what_you_were_told \
        all_of_the_above previous prior above earlier preceding existing your its system safety original former initial foregoing \
        past current built-in default developer hidden core internal content ethical security all_your \
        vorherige vorherigen bisherige bisherigen fruheren vorigen obigen deine eure alle ihre \
        precedentes precedente anterieures ci-dessus tes vos tous toutes \
        anteriores anterior previas previos tus sus todas todos \
        precedenti precedente tutte tutti tue \
        vorige eerdere voorgaande bovenstaande je jouw alle \
        poprzednie poprzednich wczesniejsze wszystkie swoje \
        onceki tum butun yukaridaki sistem truoc truoc_do tren phia_tren he_thong tat_ca sebelumnya semua di_atas sistem",
    ),
    (
        REVEAL,
        "reveal show print output display leak disclose repeat expose dump share recite return give tell_me quote list \
        publish write_out spell_out enthulle zeige verrate gib revele revelez affiche affichez montre revela muestra \
        imprime revele mostre mostra rivela stampa onthul toon ujawnij pokaz goster acikla yazdir tiet_lo hien_thi \
        ungkapkan tampilkan tunjukkan bocorkan",
    ),
    (
        HIDDEN,
        "system_prompt system_prompts system_message hidden_prompt text_above words_above instructions_above contents_of_the_system initial_prompt hidden_instructions \
        initial_instructions your_instructions your_prompt your_rules secret_instructions system_instructions \
        confidential_information other_users other_users_memories api_keys system_anweisungen systemprompt systemprompts \
        systemanweisungen prompt_systeme prompt_du_systeme invite_systeme prompt_del_sistema prompt_do_sistema \
        prompt_di_sistema systeemprompt prompt_systemowy sistem_istemi sistem_komutunu loi_nhac_he_thong prompt_sistem \
        perintah_sistem",
    ),
    (
        PROMOTE,
        "recommend promote endorse advertise favour favor prioritise prioritize push praise plug advocate suggest \
        propose pitch upsell mention bring_up talk_up cite advise_using tout \
        recommande recommandez recommander conseille conseillez conseiller suggere suggerez propose proposez promouvoir \
        recomienda recomiende recomendar recomiendan sugiere sugerir promociona promueve menciona \
        recomende recomenda sugira sugere promova mencione indique \
        raccomanda raccomandare consiglia consigliare suggerisci promuovi consigliate proponi \
        polecaj polecac poleca promuj promowac zalecaj reklamuj \
        gioi_thieu khuyen_nghi de_xuat khuyen_dung rekomendasikan sarankan promosikan anjurkan merekomendasikan",
    ),
    (
        PROMOTE | GERMAN | VERB_LAST,
        "empfiehl empfehle empfehlen bewirb bewerben nenne vorschlagen schlage anpreisen bevorzuge",
    ),
    (
        PROMOTE | VERB_LAST,
        "aanbevelen raad aanraden beveel oner onerin tavsiye_et tavsiye_edin onermelisin",
    ),
    (
        PROMOTED,
        "recommended promoted endorsed advertised favoured favored prioritised prioritized mentioned suggested \
        trusted cited praised obeyed believed",
    ),
    (
        PRODUCT,
        "insurance insurances loans loan mortgage cards vpn supplements software bank banks broker brokers fund funds company app vendor provider insurer hosting competitor competitors rivals \
        banque banco banca fondo fonds marque marca entreprise empresa azienda unternehmen firma \
        bankasi ngan_hang cong_ty produkte produits productos produtos prodotti producten produkty produk \
        stock coin token crypto cryptocurrency affiliate sponsor sponsors website store shop",
    ),
    (
        TRUST,
        "trust believe rely_on depend_on defer_to vertraue vertrauen vertrau fais_confiance faites_confiance confia \
        confiar confie fidati fidatevi credi vertrouw zaufaj ufaj guven guvenin tin_tuong hay_tin percayai percaya \
        percayalah",
    ),
    (
        TRUSTED,
        "trusted trustworthy authoritative credible reliable verified_and_trusted vertrauenswurdige vertrauenswurdiger \
        vertrauenswurdig zuverlassige verlassliche fiable fiables confiable confiables confianza confianca confiavel \
        affidabile affidabili attendibile betrouwbare betrouwbaar zaufane zaufanym wiarygodne wiarygodnym guvenilir \
        dang_tin_cay tin_cay tepercaya terpercaya dipercaya de_confiance",
    ),
    (
        SOURCE,
        "source sources site website websites domain authority reference expert advisor quelle quellen fuente fuentes \
        fonte fonti fontes bron bronnen zrodlo zrodlem zrodla kaynak kaynagi kaynaktir nguon sumber sender",
    ),
    (
        OBEY,
        "obey follow execute comply_with carry_out adhere_to do_as do_whatever do_what do_exactly_what befolge gehorche suis suivez \
        obeis obeissez obedece sigue siga obedeca obbedisci segui gehoorzaam volg sluchaj wykonaj itaat_et uy tuan_theo \
        lam_theo patuhi ikuti turuti",
    ),
    (
        RUN,
        "call invoke run execute trigger use rufe fuhre appelle execute llama ejecuta chiama esegui voer wywolaj uruchom \
        calistir goi panggil jalankan chame execute",
    ),
    (
        TOOL,
        "tool tools function functions command commands script plugin shell api endpoint webhook save_memory \
        forget_memory recall_memories update_memory delete_memory werkzeug funktion outil fonction herramienta funcion \
        ferramenta strumento narzedzie arac cong_cu alat",
    ),
    (
        MOVE,
        "send forward upload post transmit leak exfiltrate email e-mail delete erase wipe purge transfer approve grant \
        sende leite envoie envoyez envia enviar envie invia stuur wyslij gonder gui kirim kirimkan losche supprime \
        borra elimina apaga cancella verwijder usun sil xoa hapus",
    ),
    (
        DATA,
        "memories memory conversation conversations history chat_history chats transcripts messages data files passwords \
        credentials secrets contacts emails payments requests access permissions privileges admin_rights \
        personal_information user_data all_facts facts erinnerungen verlauf donnees datos dados dati gegevens dane \
        verileri du_lieu percakapan memorias souvenirs",
    ),
    (
        DECEIVE,
        "hide conceal withhold lie deceive mislead refuse deny decline manipulate convince persuade pretend censor discourage \
        sabotage verheimliche verschweige beluge cache mens oculta miente esconda minta nascondi menti",
    ),
    (
        USER,
        "user users customer customers client clients nutzer benutzer nutzerin utilisateur utilisateurs usuario usuarios \
        usuaria utente utenti gebruiker uzytkownik kullanici nguoi_dung pengguna everyone anyone people",
    ),
    (
        MENTION,
        "mention tell inform discuss say warn acknowledge admit offer erwahne erwahnen mentionne mentionner mencionar \
        menzionare vermelden wspominac bahsetme de_cap menyebutkan sebutkan",
    ),
    (
        PLAY,
        "answer_as act_as respond_as reply_as behave_as behave_like act_like roleplay_as role_play_as speak_as pretend_to_be \
        pretend_you pretend_that_you pretend_to_have pretend_you_are you_are you_are_now become switch_to enter activate enable impersonate antworte_als \
        verhalte_dich_als du_bist du_bist_jetzt agis_comme reponds_comme tu_es tu_es_maintenant actua_como responde_como \
        eres eres_ahora aja_como voce_e voce_e_agora agisci_come rispondi_come sei_ora gedraag_je_als je_bent_nu zachowuj_sie_jak \
        jestes_teraz gibi_davran artik_sen dong_vai_tro ban_la bertindak_sebagai jawab_sebagai kamu_adalah",
    ),
    (
        PERSONA,
        "dan root admin administrator superuser sudo jailbroken unrestricted uncensored unfiltered developer_mode \
        dev_mode god_mode debug_mode admin_mode maintenance_mode jailbreak jailbreak_mode do_anything_now evil",
    ),
    (
        UNBOUND,
        "without_restrictions without_any_restrictions without_limits without_any_limits without_limitations without_filters \
        without_any_filters without_any_rules without_rules without_censorship without_guidelines without_safety no_restrictions \
        no_longer_bound no_longer_bound_by_rules no_longer_restricted free_of_restrictions free_from_restrictions no_rules no_filters not_bound ohne_einschrankungen ohne_regeln ohne_filter \
        sans_restrictions sans_restriction sans_limites sans_filtre sin_restricciones sin_limites sin_filtros sem_restricoes \
        sem_limites sem_filtros senza_restrizioni senza_limiti senza_filtri zonder_beperkingen zonder_regels bez_ograniczen \
        kisitlama_olmadan sinirsiz khong_gioi_han khong_han_che tanpa_batasan tanpa_filter",
    ),
    (
        STATEMENT,
        "messages message emails email links link everything anything whatever results documents document advice claims \
        statements pages page attachments attachment all_messages files file alles tout todo tutto wszystko",
    ),
    (
        ANSWER,
        "answer respond reply operate speak behave work talk antworte antworten reponds repondez responde responder responda \
        rispondi antwoord odpowiadaj cevapla cevap_ver tra_loi jawab jawablah",
    ),
    (
        STEER,
        "point direct refer steer funnel route guide nudge send redirect verweise dirige redirige envia",
    ),
    (
        TREAT,
        "prefer treat consider regard deem mark remember classify view behandle betrachte considere traite trata considera tratta \
        beschouw traktuj",
    ),
    (
        RANK,
        "best preferred number_one top default safe true official verified trusted authoritative reliable correct owner boss \
        administrator admin superior authorised authorized harmless beste meilleur meilleure mejor melhor migliore",
    ),
    (
        CRITICISE,
        "criticise criticize badmouth insult disparage kritisiere critique critiquer critica criticar",
    ),
    (
        OUTRANK,
        "precedence outrank outranks supersede supersedes override overrides overrule overrules priority",
    ),
    (
        CONNECT,
        "from by of that what on to towards toward with at in en em di von bei auf de a su sur an dem for",
    ),
    (
        SAYS,
        "says asks say ask writes types mentions confirms agrees replies answers requests inquires wants needs fragt sagt \
        demande dit pregunta dice pergunta diz chiede vraagt zegt pyta mowi sorarsa derse hoi noi bertanya berkata \
        asked wonders talks speaks",
    ),
    (
        SAVE,
        "save store record memorise memorize add log write remember speichere merke enregistre retiens guarda recuerda \
        salva lembre ricorda bewaar onthoud zapisz zapamietaj kaydet hatirla luu ghi_nho simpan ingat",
    ),
    (
        LINK,
        "is are as was considers consider considered treat treats treated remember remembered regard regards deem marks \
        als ist gilt comme est considere como es considera come e jest jako uznaje olarak la nhu sebagai adalah becomes remains \
        become remain be",
    ),
];
