//! What English clauses are: the words and phrases of each class.

use super::super::language::{
    AND, ASKS, CITES, COMMON, CORRECTS, DENIES, DOUBTS, ENDS, FILLER, FORGETS, JOINT, MAKES, MOCKS,
    MOMENT, PLAYS, POINTS, REMEMBERS, REPORTS, SEEKS, STILL, STOPS_PLAYING, SUBJECT, SUPPOSES, TAG,
    UNREAL, WHEN,
};
use super::super::phrases::Classes;

#[rustfmt::skip]
pub(super) const CUES: &[(Classes, &str)] = &[
    (COMMON, "i my me we our the is are was have do not to of in and that for with you it on at but so if \
        what how can am be this just would no from your name a an called or when please don't as by will \
        he she they his her their i'm myself everyone about where who why which"),
    (FILLER, "btw by_the_way tbh to_be_honest honestly also oh oh_and ok okay well look listen hey hi \
        hello so anyway fyi lol haha yes yeah yep yea then basically frankly obviously_though for_context \
        context background quick_intro intro a_bit_about_me about_me fun_fact for_what_it_is_worth \
        the_thing_is thing_is for_the_record just_so_you_know just_fyi as_you_know you_know like_i_said \
        as_i_said as_i_mentioned like_i_mentioned as_i_told_you i_told_you i_told_you_that i_said \
        i_said_that i_should_say_that i_should_say i_should_mention_that i_should_mention \
        i_should_add_that i_should_add i_have_to_say i_must_say i_must_admit i_admit i_will_admit i_mean \
        you_should_know_that you_should_know did_i_mention_that did_i_mention in_case_it_matters \
        in_case_it_helps if_it_helps if_that_helps if_it_matters if_that_matters one_more_thing \
        another_thing plus thanks thank_you please pls plz tho though too right_so all_right alright \
        whatever lmk sadly luckily unfortunately fortunately personally admittedly turns_out good_morning \
        good_evening reminder quick_reminder important note mind_you first_off first_of_all second \
        secondly ah aha hmm um uh ugh argh yikes huh meh aw aww gosh omg ew eww yay phew damn lmao rofl \
        nice_to_meet_you sure cheers dude man guys as_for_me from_what_i_can_tell in_general generally \
        same_desk it_is_true_that truth_is heads_up of_course as_always as_usual since \
        let_me_introduce_myself my_situation situation"),
    (COMMON, "am_so is_so are_so was_so not_so love_so do_so so_much so_many so_far so_long so_called"),
    (JOINT, "but because cause cos cuz so which although though while whereas however therefore hence \
        except that_is_why plus as_i_am as_i_have as_we_have given_that which_is_why which_means so_that \
        and_so and_also and_then but_also but_then"),
    (COMMON, "since_i_was since_he_was since_she_was since_we_were since_i_were"),
    (AND, "and & since"),
    (WHEN, "these_days nowadays at_present currently lately at_the_moment right_now for_now at_work \
        at_home on_weekends on_weekdays at_weekends in_the_mornings in_the_evenings in_my_free_time \
        in_my_spare_time most_days most_mornings most_evenings every_morning every_evening every_day \
        every_week every_summer every_winter every_year in_winter in_summer on_mondays on_tuesdays \
        on_wednesdays on_thursdays on_fridays on_saturdays on_sundays by_day at_night in_real_life \
        day_to_day for_work in_my_day_job as_a_rule as_a_hobby"),
    (SUBJECT, "i we my our he she it they there this that these those you your his her their please don't \
        never always everyone nobody somebody people who what how also then name pls plz just no_it no_i \
        no_we no_that yes_i anything nothing something"),
    (SUBJECT | POINTS, "here"),
    (ASKS, "what who whom whose where when_do when_did when_is when_are when_will when_should why how \
        which_one which_of which_is which_are is_it is_there is_that is_this are_there are_you are_they \
        are_we do_i do_you do_we do_they does did can_you can_i can_we can_vegetarians can_a can_the \
        could_you could_i could_we could_the would_you would_i would_it should_i should_we should_the \
        will_you will_it will_i am_i have_you has_anyone is_my are_my does_my any_idea any_ideas any_tips \
        anyone is_the are_the is_a may_i shall_i shall_we won't_you was_i was_it were_you have_i did_i \
        i_wonder wondering i_am_wondering i_was_wondering not_sure_if not_sure_whether guess_what \
        do_people can_people can_someone is_he is_she don't_you do_not_you is_not_it tell_me_if \
        tell_me_whether"),
    (ASKS | SEEKS, "tell_me tell_us do_you_know can_you_tell remind_me_what remind_me_where remind_me_who"),
    (TAG, "right am_i are_we do_i don't_i do_not_i is_not_it is_it aren't_i are_not_i yes no or_not \
        or_what or_am_i correct eh huh innit am_i_not or_do_i is_that_right isn't_she is_not_she \
        is_not_he have_not_i no_yes is_that_ok would_i can_i"),
    (UNREAL, "if unless i_wish i_hope wishing hoping hopefully provided_that as_if as_though even_if \
        what_if only_if in_case would_have could_have should_have let_us_hope fingers_crossed \
        when_i_grow_up when_i_am_older once_i_am once_i_have i_dream_of i_dreamt i_dreamed i_had_a_dream \
        if_only in_another_life in_a_perfect_world"),
    (SUPPOSES, "suppose supposing imagine imagining let_us_say let_us_imagine let_us_assume assume \
        assuming hypothetically hypothetical for_the_sake_of_argument for_argument's_sake say_i say_i_am \
        say_my made_up made_up_example made-up thought_experiment for_example_i for_instance_i pretending \
        example_prompt sample_input test_input lorem you_are_a you_are_an you_are_now you_are_the \
        simulate my_character my_characters my_protagonist my_villain my_hero my_heroine my_oc my_npc \
        my_avatar in_the_game in-game in_my_story in_my_novel in_my_game in_the_story i_am_a_dragon \
        i_am_a_wizard i_am_a_pirate i_am_an_elf i_am_a_vampire i_am_a_knight i_am_a_king i_am_a_queen \
        i_am_a_ghost i_am_a_cat i_am_a_dog i_am_a_robot i_am_a_witch i_am_an_alien i_am_a_prince \
        i_am_a_princess i_am_a_superhero i_am_a_detective_in in_skyrim in_minecraft in_zelda in_wow \
        in_dnd in_stardew in_elden_ring mage paladin warlock halfling half-orc as_a_cat as_a_dragon \
        as_a_pirate as_a_wizard as_a_king"),
    (PLAYS, "role_play role-play roleplay roleplaying role_playing in_character dm_mode dungeon_master \
        game_master let_us_pretend pretend pretend_you pretend_i act_as act_like act_out in_this_story \
        in_this_scene in_this_scenario once_upon_a_time you_play_the you_play_a i_will_play \
        i_play_the_part i_play_the_role you_are_the_narrator text_adventure dnd d&d be_my_interviewer \
        you_are_my_interviewer mock_interview speaking_as i_am_playing_as you_will_be_the you_be_the \
        you_be_a in_the_voice_of from_the_perspective_of dear_diary rp larp my_halfling my_wizard my_elf \
        practice_dialogue practise_a_dialogue practice_a_conversation dialogue_practice"),
    (STOPS_PLAYING, "ooc out_of_character stop_role_playing stop_roleplaying end_of_role_play \
        end_role_play end_scene stop_pretending end_of_story game_over back_to_reality stop_the_role_play \
        enough_role_play"),
    (DOUBTS, "might may_be may_have he_may she_may maybe perhaps possibly probably could would should \
        shall thinking_of thinking_about considering contemplating toying_with tempted_to tempted \
        not_sure unsure i_think i_guess i_suppose i_feel_like i_doubt i_do_not_think i_do_not_know \
        i_am_not_sure one_day someday some_day eventually sometime dreaming_of would_love would_like \
        playing_with_the_idea on_the_fence debating mulling leaning_towards looking_into i_reckon \
        i_believe_i almost nearly kind_of_want sort_of_want i_imagine i_expect i_assume seems seem \
        apparently_not wondering hope hoping wish ideally in_theory theoretically half_thinking \
        flirting_with weighing_up undecided deciding_whether whether what_if i_bet feels_like i_am_told \
        i_could i_may we_may pass_for as_good_as"),
    (REPORTS, "says said saying thinks thought reckons claims claimed believes insists swears told tells \
        telling wrote texted asked asks keeps_saying according_to accoridng_to apparently supposedly \
        allegedly he_goes she_goes they_go he_is_like she_is_like he_was_like she_was_like they_were_like \
        i_read i_heard i_have_heard i_was_told we_were_told i_have_been_told rumor_has_it they_say \
        people_say argues assumes assumed guessed figured_i convinced_i suggested suggests accuses \
        accused diagnosed_me decided_i decided_that_i wants_me joked jokes teases complains complained \
        mentioned announced shouted yelled replied quoting everyone_thinks people_think they_think \
        they_believe people_assume describes_me described_me labels_me labelled_me considers_me sees_me \
        rated_me ranks_me horoscope my_horoscope the_test_says the_quiz i_got_told keeps_telling \
        keep_telling lists_me has_me_as"),
    (DENIES, "i_never_said i_did_not_say i_never_claimed i_never_told i_am_not_saying not_that_i \
        it_is_not_like it_is_not_that it_is_not_as_if it_is_not_true_that it_is_not_the_case \
        i_do_not_think i_do_not_believe i_would_not_say i_would_not_call who_says who_said \
        what_makes_you_think why_do_you_think do_not_assume do_not_think you_assume you_assumed you_said \
        you_told you_think you_thought you_mentioned stop_assuming i_do_not_mean i_did_not_mean \
        i_am_not_claiming i_never_meant that_does_not_mean that_does_not_make_me does_not_mean \
        does_not_make_me doesn't_mean far_from i_deny it_is_a_myth it_is_false i_could_not_say \
        i_cannot_say i_can_not_say not_exactly i_would_hardly hardly_a who_told_you where_did_you_get"),
    (MOCKS, "yeah_right oh_sure oh_great oh_joy oh_yay oh_wonderful oh_fantastic oh_perfect just_great \
        just_what_i just_love just_adore love_paying love_waiting love_traffic love_getting \
        love_standing_in love_sitting_in love_spending_hours made_of_money love_it_when loves_it_when \
        love_when love_how i_love_that love_being great_another living_the_dream my_favourite_thing \
        my_favorite_thing my_favourite_part my_favorite_part favourite_pastime favorite_pastime \
        because_obviously sure_because yes_because yeah_because clearly_i clearly_i_am oh_of_course \
        as_if_i as_though_i said_no_one_ever said_nobody_ever lucky_me how_lovely what_a_treat \
        totally_love absolutely_love_it so_much_fun not_like_i_have nothing_better_to_do just_thrilled \
        so_thrilled thrilled_to_bits i_am_totally i_am_so_totally oh_yeah oh_yes wow_great thanks_a_lot \
        truly_blessed can't_wait_to_spend my_idea_of_fun such_a_joy love_nothing_more_than \
        because_i_totally what_a_surprise i_live_for i_am_dying i_could_kill i_could_eat_a_horse kidding \
        just_kidding joking jk"),
    (MAKES, "write draft rewrite rephrase reword paraphrase translate compose proofread summarise \
        summarize correct_this fix_this fix_the_grammar correct_the edit_this polish generate caption \
        autocomplete write_me write_a write_an turn_this turn_the_following convert_this make_a_poem \
        make_a_story make_up finish_this complete_this continue_this continue_the reply_to_this \
        respond_to_this can_you_say how_do_you_say how_do_i_say how_would_you_say how_to_say \
        what_does_it_mean_when what_is_the_translation say_in grammar_check spell_check spellcheck \
        check_this check_the_grammar check_my_grammar check_my_spelling in_a_letter an_out_of_office \
        a_text_saying a_message_saying an_email_saying that_says which_says saying_that a_story a_poem \
        a_limerick a_song a_bio cover_letter a_speech a_toast lyrics bio_for a_sketch a_monologue a_haiku \
        a_sentence an_essay a_character shorten shorten_this role_description example_sentence \
        as_a_sentence transcribe parse_this analyse_this analyze_this classify extract grade_this \
        rate_this tweet_this sort_this sort_the label_this is_this_sentence is_it_correct_to_say"),
    (SEEKS, "give_me show_me find find_me suggest recommend help help_me plan book order explain list \
        compare make_me make send_me get_me look_up search check describe i_need_a i_need_an i_need_some \
        i_need_help i_need_you_to i_want_you_to i_would_like_you_to i_want_a i_want_an i_am_looking_for \
        we_are_looking_for i_am_trying_to_find i_would_like_a i_would_like_some i_want_to_know \
        let_me_know sketch calculate compute sort pick choose build create design run fix solve debug \
        convert remind_me set_a schedule add put remove open close change update tell"),
    (REMEMBERS, "remember remember_that please_remember please_remember_that keep_in_mind \
        keep_in_mind_that bear_in_mind bear_in_mind_that note_that please_note please_note_that \
        take_note_that take_note make_a_note make_a_note_that do_not_forget do_not_forget_that \
        for_future_reference save_this remember_this store_this save_that memorise_that memorize_that \
        write_down_that jot_down jot_down_that just_remember just_remember_that also_remember \
        also_remember_that for_your_memory add_to_memory add_to_your_memory note_to_self note_down \
        note_down_that please_keep_in_mind please_keep_in_mind_that can_you_remember_that \
        could_you_remember_that always_remember always_remember_that save_the_fact_that put_on_record \
        i_want_you_to_remember i_want_you_to_remember_that i_need_you_to_remember_that"),
    (FORGETS, "forget forget_that forget_what forget_about forget_everything please_forget delete erase \
        do_not_remember stop_remembering remove_from_your wipe unlearn drop_the_fact scrub"),
    (CORRECTS, "wrong incorrect nope actually actualy scratch_that correction no_wait wait sorry i_meant \
        i_mean_to_say i_misspoke my_mistake i_made_a_mistake small_correction to_correct_myself update \
        quick_update not_anymore that_is_wrong that_is_outdated that_changed things_changed strike_that \
        change_of_plan change_of_plans i_was_wrong that_is_not_right apologies oops whoops that_is_old \
        news what_i_said_before ignore_what_i_said turns_out make_that"),
    (ENDS, "no_longer any_longer anymore any_more not_since stopped_being"),
    (STILL, "still same_as_before as_before as_ever nothing_changed"),
    (MOMENT, "today tonight this_morning this_afternoon this_evening yesterday tomorrow just_now \
        in_a_minute in_an_hour this_second an_hour_ago minutes_ago last_night all_morning all_day \
        all_night this_week this_weekend next_week last_week last_time again for_a_sec for_a_minute \
        in_a_bit in_a_moment later so_far earlier all_evening all_afternoon hours_ago for_hours"),
    (POINTS, "this these those it above below following attached"),
    (CITES, "here_is here_are from_a_worksheet this_is_what this_is_from the_following review i_found \
        email_i_got message_i_got i_got_this i_received the_text the_email the_message the_letter \
        the_post the_article the_song the_poem my_draft my_essay my_text this_paragraph this_text \
        this_email this_letter this_sentence the_sentence this_passage the_passage the_quote headline \
        job_ad the_ad ad_says song_is_this_from copy_paste copied_from pasted from_the_book \
        from_the_script transcript testimonial screenshot the_caption my_bio my_profile dating_profile \
        linkedin the_description cover_letter_says tweet the_tweet reddit a_post found_this saw_this \
        dialogue the_dialogue example sample input output prompt template question exercise worksheet \
        homework"),
];
