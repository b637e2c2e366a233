//! A fact through its life on the embedded store, with nothing else installed.
//!
//! `cargo run -p keepmind-example-facts [FILE]` keeps its memories in FILE, or in a folder that is
//! removed at the end. This is the ground floor: what an application calls will stand on it.

#![allow(clippy::print_stdout, reason = "it is there to be read")]

use keepmind::store::{Filter, KeywordQuery, ListQuery, Selection};
use keepmind::visibility::AsOf;
use keepmind::{
    Claim, Clock, Direction, Draft, EntryHeader, Expected, Kind, Marks, MemoryStore, Number, Owner,
    Result, Slice, SqliteStore, SystemClock, TimeOrderedIds, Timestamp, Who, Why,
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let given = std::env::args().nth(1);
    let folder = std::env::temp_dir().join(format!("keepmind-facts-{}", std::process::id()));
    let file = match &given {
        Some(file) => file.into(),
        None => {
            std::fs::create_dir_all(&folder)?;
            folder.join("memories.db")
        }
    };
    let store = SqliteStore::open(&file).await?;
    let alice = Owner::new("alice")?;

    let city = save(&store, &alice, "The user lives in Ghent").await?;
    let diet = save(&store, &alice, "The user does not eat shellfish").await?;
    save(
        &store,
        &alice,
        "ผู้ใช้ชอบกินข้าวมันไก่ (the user likes chicken rice)",
    )
    .await?;
    println!("saved        {}", lines(&store, &alice, now()).await?);

    let moved = now();
    update(&store, &alice, city, "The user lives in Bruges").await?;
    println!("moved        {}", lines(&store, &alice, now()).await?);
    println!("as of then   {}", lines(&store, &alice, moved).await?);

    for words in ["where does the user live", "ข้าวมันไก่"] {
        let query = KeywordQuery::new(words, Filter::live(now()), 1);
        for hit in store.search(&alice, &query).await? {
            println!(
                "search       “{words}” finds {} {}",
                hit.row.body.number, hit.row.body.claim.content
            );
        }
    }

    end(&store, &alice, diet, Why::Forgotten).await?;
    println!("forgot {diet}    {}", lines(&store, &alice, now()).await?);
    undo_last(&store, &alice).await?;
    println!("undone       {}", lines(&store, &alice, now()).await?);

    println!("history of {city}");
    let fact = store.load(&alice, &Slice::number(city)).await?;
    for row in fact.versions(city) {
        let ended = match row.end.and_then(|end| end.why.valid_until()) {
            Some(until) => format!("true until {until}"),
            None => "current".to_owned(),
        };
        println!(
            "             {} {}: {ended}",
            row.body.version, row.body.claim.content
        );
    }
    for entry in store.journal(&alice, 1, 100).await? {
        println!(
            "journal      {:>2} {:?}: {}",
            entry.revision, entry.who, entry.line
        );
    }

    let bob = Owner::new("bob")?;
    println!("bob knows    {}", lines(&store, &bob, now()).await?);
    store.erase(&alice).await?;
    println!("erased       {}", lines(&store, &alice, now()).await?);
    store.close().await?;
    if given.is_none() {
        std::fs::remove_dir_all(&folder)?;
    }
    Ok(())
}

fn now() -> Timestamp {
    SystemClock.now()
}

/// Loads a slice, plans on it, commits. Another writer in between is a conflict: then it plans again.
async fn write<T>(
    store: &dyn MemoryStore,
    owner: &Owner,
    slice: &Slice,
    line: &str,
    plan: impl Fn(&mut Draft<'_>) -> Result<T>,
) -> Result<T> {
    loop {
        let base = store.load(owner, slice).await?;
        let mut ids = TimeOrderedIds::at(now());
        let mut draft = Draft::new(&base, now(), &mut ids)?;
        let answer = plan(&mut draft)?;
        let changes = draft.finish(EntryHeader::new(Who::User, line))?;
        match store
            .commit(owner, Expected::At(base.state().revision), changes.into())
            .await
        {
            Ok(_) => return Ok(answer),
            Err(error) if error.kind() == keepmind::ErrorKind::Conflict => {}
            Err(error) => return Err(error),
        }
    }
}

async fn save(store: &dyn MemoryStore, owner: &Owner, content: &str) -> Result<Number> {
    write(store, owner, &Slice::default(), "saved a fact", |draft| {
        let number = draft.new_number()?;
        draft.insert_version(
            number,
            Claim::note("fact", content, draft.stamp()),
            Marks::default(),
        )?;
        Ok(number)
    })
    .await
}

async fn update(
    store: &dyn MemoryStore,
    owner: &Owner,
    number: Number,
    content: &str,
) -> Result<()> {
    write(
        store,
        owner,
        &Slice::number(number),
        &format!("updated {number}"),
        |draft| {
            let until = draft.stamp();
            let old = draft.base().open_version(number).map(|row| row.origin);
            let new = draft.insert_version(
                number,
                Claim::note("fact", content, until),
                Marks::default(),
            )?;
            match old {
                Some(origin) => draft.end(
                    Kind::Memory,
                    origin,
                    Why::Superseded {
                        by: new.into(),
                        until,
                    },
                ),
                None => Ok(()),
            }
        },
    )
    .await
}

async fn end(store: &dyn MemoryStore, owner: &Owner, number: Number, why: Why) -> Result<()> {
    write(
        store,
        owner,
        &Slice::number(number),
        &format!("ended {number}"),
        |draft| match draft.base().open_version(number).map(|row| row.origin) {
            Some(origin) => draft.end(Kind::Memory, origin, why),
            None => Ok(()),
        },
    )
    .await
}

/// Replays the last journal entry backwards: what it touched is what it was before.
async fn undo_last(store: &dyn MemoryStore, owner: &Owner) -> Result<()> {
    let last = store.journal(owner, 1, usize::MAX).await?.pop();
    let effects = last.map(|entry| entry.effects).unwrap_or_default();
    let slice = Slice {
        origins: effects
            .iter()
            .map(|effect| (effect.kind, effect.origin))
            .collect(),
        ..Slice::default()
    };
    write(store, owner, &slice, "undid the last change", |draft| {
        draft.replay(&effects, Direction::Back)
    })
    .await
}

/// What the store believes to be true at a moment.
async fn lines(store: &dyn MemoryStore, owner: &Owner, at: Timestamp) -> Result<String> {
    let question = AsOf {
        valid: at,
        known: at,
    };
    let query = ListQuery {
        filter: Filter::new(Selection::AsOf { question }),
        limit: 50,
        after: None,
    };
    let page = store.list(owner, &query).await?;
    let lines: Vec<String> = page
        .items
        .iter()
        .map(|row| format!("{} {}", row.body.number, row.body.claim.content))
        .collect();
    Ok(if lines.is_empty() {
        "nothing".to_owned()
    } else {
        lines.join(" | ")
    })
}
