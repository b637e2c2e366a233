//! A server opened by its URL through the C interface: the same memory there, copies there and back, and no password
//! in anything that is said.

use keepmind_ffi::host::{Host, copy};
use keepmind_ffi::{KM_INVALID, KM_IO, KM_NOT_FOUND, KM_UNSUPPORTED};
use keepmind_tests::cluster::Cluster;
use serde_json::{Value, json};

fn read(answer: &str) -> Value {
    serde_json::from_str(answer).expect("JSON")
}

fn contents(host: &Host) -> Vec<Value> {
    let listed = host.request(r#"{"user": "alice", "query": "list"}"#);
    let listed = read(&listed.expect("a list"));
    let rows = listed["rows"].as_array().expect("rows");
    let content = |row: &Value| row["body"]["claim"]["content"].clone();
    rows.iter().map(content).collect()
}

#[test]
fn a_url_opens_the_same_memory_as_a_path() {
    let Some(cluster) = Cluster::start("") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("memories.db");
    let file = file.to_str().expect("a path");
    let url = cluster.url();
    let save = |host: &Host, content: &str| {
        let request = json!({"user": "alice", "command": "save", "content": content});
        host.request(&request.to_string()).expect("a save");
    };

    let host = Host::open(&[("store", file)], None).expect("a file");
    save(&host, "Lives in Ghent");
    host.close().expect("a close");
    let report = read(&copy(file, &url, false).expect("a copy"));
    assert_eq!(report["copied"], 1, "{report}");

    // More than one at once, as from several processes.
    let settings = [
        ("store", url.as_str()),
        ("readers", "2"),
        ("busy_timeout_ms", "5000"),
    ];
    let hosts = [(); 2].map(|()| Host::open(&settings, None).expect("a server"));
    assert_eq!(contents(&hosts[0]), ["Lives in Ghent"]);
    save(&hosts[0], "Drinks tea");
    assert_eq!(contents(&hosts[1]), ["Lives in Ghent", "Drinks tea"]);
    for host in hosts {
        host.close().expect("a close");
    }
    let report = read(&copy(&url, file, false).expect("a copy"));
    assert_eq!(
        report["refused"][0]["error"]["kind"], "conflict",
        "{report}"
    );
    let report = read(&copy(&url, file, true).expect("a copy"));
    assert_eq!(report["replaced"], 1, "{report}");
    let host = Host::open(&[("store", file)], None).expect("a file");
    assert_eq!(contents(&host), ["Lives in Ghent", "Drinks tea"]);
    host.close().expect("a close");
}

#[test]
fn no_error_says_a_password() {
    let mut urls = vec![
        ("postgres://alice:s3cret@127.0.0.1:1/none".to_owned(), KM_IO),
        (
            "postgres://alice:s3cret@127.0.0.1:x/none".to_owned(),
            KM_INVALID,
        ),
        ("postgres://alice:s3cret@[/none".to_owned(), KM_INVALID),
    ];
    let cluster = Cluster::start("");
    if let Some(cluster) = &cluster {
        let server = format!("127.0.0.1:{}", cluster.port());
        for nobody in ["alice:s3cret@", "keepmind:s3cret@"] {
            let url = format!("postgres://{nobody}{server}/none?sslmode=disable");
            urls.push((url, KM_UNSUPPORTED));
        }
    }
    for (url, status) in urls {
        let failed = Host::open(&[("store", &url)], None).expect_err("no server");
        assert_eq!(failed.status, status, "{failed}");
        assert!(
            !format!("{failed} {failed:?}").contains("s3cret"),
            "{failed}"
        );
        let failed = copy(&url, "nowhere.db", false).expect_err("no server");
        assert_eq!(failed.status, status, "{failed}");
        assert!(
            !format!("{failed} {failed:?}").contains("s3cret"),
            "{failed}"
        );
    }
}

#[test]
fn what_cannot_be_copied_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| {
        folder
            .path()
            .join(name)
            .to_str()
            .expect("a path")
            .to_owned()
    };
    for (from, to, status) in [
        (place("none.db"), place("to.db"), KM_NOT_FOUND),
        (place("none.db"), place("none.db"), KM_INVALID),
        ("memory:".to_owned(), place("to.db"), KM_INVALID),
        (place("none.db"), "memory:".to_owned(), KM_INVALID),
        (String::new(), place("to.db"), KM_INVALID),
    ] {
        let failed = copy(&from, &to, false).expect_err("nothing to copy");
        assert_eq!(failed.status, status, "{from} to {to}: {failed}");
    }
    assert!(!folder.path().join("to.db").exists(), "nothing was made");
}
