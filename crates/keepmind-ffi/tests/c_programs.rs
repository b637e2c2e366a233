//! A caller in C that does everything wrong (`tests/c`), each case in a process of its own.

#[path = "library/mod.rs"]
mod library;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use keepmind_ffi::KM_ABI;

use library::library;

fn crate_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The program, with the library under the names that linkers and programs ask for.
struct Hostile {
    folder: PathBuf,
    program: PathBuf,
}

static HOSTILE: LazyLock<Hostile> = LazyLock::new(Hostile::build);

impl Hostile {
    fn build() -> Self {
        // Nobody drops what is static: the same folder each time.
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile");
        fs::create_dir_all(&folder).expect("a folder");
        let names = match env::consts::OS {
            "macos" => [
                "libkeepmind.dylib".to_owned(),
                format!("libkeepmind.{KM_ABI}.dylib"),
            ],
            _ => [
                "libkeepmind.so".to_owned(),
                format!("libkeepmind.so.{KM_ABI}"),
            ],
        };
        for name in names {
            let named = folder.join(name);
            drop(fs::remove_file(&named));
            fs::hard_link(library(), &named).expect("the library gets its name");
        }
        let program = folder.join("hostile");
        let sources = fs::read_dir(crate_folder().join("tests/c")).expect("tests/c is there");
        let mut sources: Vec<PathBuf> = sources
            .map(|file| file.expect("a file").path())
            .filter(|file| file.extension().is_some_and(|extension| extension == "c"))
            .collect();
        sources.sort();
        let compiled = Command::new("cc")
            .args(["-std=c99", "-g", "-Wall", "-Wextra", "-pedantic", "-Werror"])
            .arg("-I")
            .arg(crate_folder().join("../../include"))
            .args(sources)
            .arg("-o")
            .arg(&program)
            .arg("-L")
            .arg(&folder)
            .args(["-lkeepmind", "-pthread"])
            .arg(format!("-Wl,-rpath,{}", folder.display()))
            .output()
            .expect("there is a C compiler");
        succeeded("cc", &compiled);
        Hostile { folder, program }
    }

    fn command(&self) -> Command {
        Command::new(&self.program)
    }
}

#[track_caller]
fn succeeded(what: &str, output: &Output) {
    assert!(
        output.status.success(),
        "{what}: {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Runs a case in a process and a folder of its own.
#[track_caller]
fn run(case: &str) {
    let hostile = &*HOSTILE;
    let folder = tempfile::tempdir_in(&hostile.folder).expect("a folder");
    let output = hostile
        .command()
        .arg(case)
        .current_dir(folder.path())
        .output()
        .expect("the program runs");
    succeeded(case, &output);
}

macro_rules! cases {
    ($($name:ident),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                run(stringify!($name));
            }
        )*

        #[test]
        fn every_case_is_run() {
            let listed = HOSTILE.command().arg("--list").output().expect("the program runs");
            let listed = String::from_utf8(listed.stdout).expect("names are text");
            assert_eq!(listed.lines().collect::<Vec<_>>(), [$(stringify!($name)),*]);
        }
    };
}

cases! {
    good_arguments_do,
    null_in_each_pointer,
    lengths_of_nothing_and_of_everything,
    bytes_that_are_no_text,
    a_nul_within_a_text,
    numbers_of_nothing,
    settings_that_are_none,
    the_longest_text,
    copies,
    handles_of_another_kind,
    pointers_that_were_never_handles,
    freed_handles_are_stale,
    a_number_is_given_out_once,
    everything_is_closed_after_a_close,
    handles_outlive_what_they_came_from,
    a_model_that_calls_back,
    every_other_callback_that_calls_back,
    a_model_that_answers_wrongly_first,
    a_model_that_answers_twice,
    a_model_that_never_answers,
    a_model_that_answers_from_another_thread,
    a_model_that_answers_with_ten_megabytes,
    a_reply_in_place_of_another_handle,
    a_model_that_answers_with_a_nul,
    more_questions_than_are_asked_at_once,
    time_outs_without_end,
    a_model_that_says_no_word,
    a_model_whose_threads_all_answer,
    a_model_that_fails,
    an_embedder_that_lies,
    a_model_that_has_all_freed,
    finalised_where_setting_fails,
    finalised_where_it_is_never_opened,
    finalised_where_another_takes_its_place,
    finalised_where_opening_fails,
    finalised_where_two_engines_share_it,
    finalised_where_handles_outlive_the_engine,
    finalised_where_there_is_none,
    finalised_where_a_question_is_never_answered,
    finalised_where_a_callback_still_runs,
    thirty_two_threads_on_one_chat,
    a_thread_with_little_stack,
    a_thread_that_ends,
    closed_while_in_use,
    freed_while_in_use,
    cancelled_while_the_model_is_asked,
    closed_while_the_model_is_asked,
    a_sweep_that_is_stopped,
    one_configuration_for_many_threads,
    a_forked_process,
    a_fork_among_busy_threads,
    a_process_that_leaves,
    a_thousand_engines_in_memory,
    a_thousand_engines_on_a_file,
}
