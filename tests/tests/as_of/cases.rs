//! The table of the design: scripts for one fact, and what the past answers about it.

use Step::*;
use When::*;

/// What is done to the one fact of a case.
#[derive(Debug, Clone, Copy)]
pub enum Step {
    /// A new fact.
    Save(&'static str),
    /// Saved as true since earlier.
    SaveSince(&'static str, i64),
    /// Saved to vanish by itself at a minute.
    SaveUntil(&'static str, i64),
    /// A candidate.
    Hold(&'static str),
    /// The candidate is believed.
    Promote,
    /// The next version, true from now on.
    Update(&'static str),
    /// Updated, true since a minute.
    UpdateSince(&'static str, i64),
    /// The next version; the old one was never right.
    Correct(&'static str),
    /// Ended, kept for audit.
    Forget,
    /// Ended, restorable.
    Trash,
    /// Back from the trash.
    Restore,
    /// Ended as done.
    Done,
    /// The sweep ends what has expired.
    Sweep,
    /// Takes back the step of that place in the case, counted from 0.
    Undo(usize),
    /// Brings that step back.
    Redo(usize),
}

/// A moment of a question.
#[derive(Debug, Clone, Copy)]
pub enum When {
    /// That minute.
    At(i64),
    /// The stamp of a step, counted from 0.
    Stamp(usize),
    /// Just before that stamp.
    Before(usize),
    /// After everything.
    End,
}

/// A script and what may be asked about it.
pub struct Case {
    /// What it is about.
    pub name: &'static str,
    /// The minute the clock shows, and what is done.
    pub steps: &'static [(i64, Step)],
    /// True when, known when, and what is answered.
    pub questions: &'static [(When, When, Option<&'static str>)],
}

/// Every way a fact can change, and what the past answers.
pub const CASES: &[Case] = &[
    Case {
        name: "plain change",
        steps: &[(10, Save("Rome")), (20, Update("Oslo"))],
        questions: &[
            (At(15), At(9), None),
            (At(9), At(15), None),
            (At(10), At(10), Some("Rome")),
            (At(15), At(19), Some("Rome")),
            (At(25), At(19), Some("Rome")),
            (At(15), At(20), Some("Rome")),
            (Before(1), End, Some("Rome")),
            (At(20), End, Some("Oslo")),
            (At(25), End, Some("Oslo")),
        ],
    },
    Case {
        name: "two changes",
        steps: &[
            (10, Save("Rome")),
            (20, Update("Oslo")),
            (30, Update("Bern")),
        ],
        questions: &[
            (At(15), End, Some("Rome")),
            (At(25), End, Some("Oslo")),
            (At(35), End, Some("Bern")),
            (At(35), At(25), Some("Oslo")),
            (At(35), At(15), Some("Rome")),
        ],
    },
    Case {
        name: "back-dated change",
        steps: &[(10, Save("Rome")), (30, UpdateSince("Oslo", 20))],
        questions: &[
            (At(25), At(29), Some("Rome")),
            (At(25), At(30), Some("Oslo")),
            (At(20), End, Some("Oslo")),
            (At(19), End, Some("Rome")),
            (At(9), End, None),
        ],
    },
    Case {
        name: "change back-dated before the first version",
        steps: &[(10, Save("Rome")), (30, UpdateSince("Oslo", 5))],
        questions: &[
            (At(7), At(29), None),
            (At(7), End, Some("Oslo")),
            (At(15), End, Some("Oslo")),
            (At(15), At(29), Some("Rome")),
            (At(4), End, None),
        ],
    },
    Case {
        name: "saved as true since earlier",
        steps: &[(30, SaveSince("Rome", 10))],
        questions: &[
            (At(10), At(30), Some("Rome")),
            (At(9), End, None),
            (At(20), At(29), None),
        ],
    },
    Case {
        name: "correction",
        steps: &[
            (10, Save("Rome")),
            (20, Correct("Roma")),
            (30, Update("Oslo")),
        ],
        questions: &[
            (At(15), At(19), Some("Rome")),
            (At(15), At(20), Some("Roma")),
            (At(10), End, Some("Roma")),
            (At(29), End, Some("Roma")),
            (At(30), End, Some("Oslo")),
        ],
    },
    Case {
        name: "undo",
        steps: &[(10, Save("Rome")), (20, Update("Oslo")), (30, Undo(1))],
        questions: &[
            (At(25), At(25), Some("Oslo")),
            (At(15), At(25), Some("Rome")),
            (At(25), At(30), Some("Rome")),
            (At(35), End, Some("Rome")),
            (At(10), End, Some("Rome")),
            (At(9), End, None),
        ],
    },
    Case {
        name: "undo of the first save",
        steps: &[(10, Save("Rome")), (20, Undo(0))],
        questions: &[
            (At(15), At(15), Some("Rome")),
            (At(15), At(20), None),
            (End, End, None),
        ],
    },
    Case {
        name: "redo",
        steps: &[
            (10, Save("Rome")),
            (20, Update("Oslo")),
            (30, Undo(1)),
            (40, Redo(1)),
        ],
        questions: &[
            (At(25), At(25), Some("Oslo")),
            (At(25), At(35), Some("Rome")),
            (At(25), At(40), Some("Oslo")),
            (At(15), End, Some("Rome")),
            (At(45), End, Some("Oslo")),
        ],
    },
    Case {
        name: "redo of a forgetting",
        steps: &[
            (10, Save("Rome")),
            (20, Forget),
            (30, Undo(1)),
            (40, Redo(1)),
        ],
        questions: &[
            (At(15), At(19), Some("Rome")),
            (At(15), At(20), None),
            (At(15), At(30), Some("Rome")),
            (At(35), At(39), Some("Rome")),
            (At(15), At(40), None),
            (End, End, None),
        ],
    },
    Case {
        name: "forget",
        steps: &[(10, Save("Rome")), (20, Update("Oslo")), (30, Forget)],
        questions: &[
            (At(25), At(29), Some("Oslo")),
            (At(15), At(29), Some("Rome")),
            (At(25), At(30), None),
            (At(15), At(30), None),
            (End, End, None),
        ],
    },
    Case {
        name: "trash and restore",
        steps: &[
            (10, Save("Rome")),
            (20, Trash),
            (30, Restore),
            (40, Update("Oslo")),
        ],
        questions: &[
            (At(15), At(19), Some("Rome")),
            (At(15), At(20), None),
            (At(25), At(25), None),
            (At(15), At(30), Some("Rome")),
            (At(25), At(30), Some("Rome")),
            (At(15), End, Some("Rome")),
            (At(45), End, Some("Oslo")),
        ],
    },
    Case {
        name: "expiry not yet swept",
        steps: &[(10, SaveUntil("Rome", 20))],
        questions: &[
            (At(19), At(15), Some("Rome")),
            (At(20), At(15), None),
            (At(19), End, Some("Rome")),
            (End, End, None),
        ],
    },
    Case {
        name: "expiry, swept late",
        steps: &[(10, SaveUntil("Rome", 20)), (50, Sweep)],
        questions: &[
            (At(19), At(45), Some("Rome")),
            (At(25), At(45), None),
            (At(19), At(50), Some("Rome")),
            (At(20), At(50), None),
            (End, End, None),
        ],
    },
    Case {
        name: "an expired version over an older one",
        steps: &[(10, Save("Rome")), (20, Update("Oslo")), (30, Done)],
        questions: &[
            (At(15), End, Some("Rome")),
            (At(25), End, Some("Oslo")),
            (At(30), End, None),
            (At(35), At(29), Some("Oslo")),
        ],
    },
    Case {
        name: "held candidates",
        steps: &[(10, Hold("Rome")), (20, Promote)],
        questions: &[
            (At(15), At(15), None),
            (At(15), End, Some("Rome")),
            (At(25), At(19), None),
            (At(25), End, Some("Rome")),
            (At(9), End, None),
        ],
    },
    Case {
        name: "a candidate beside what is believed",
        steps: &[(10, Save("Rome")), (20, Hold("Oslo"))],
        questions: &[(At(25), End, Some("Rome")), (At(15), At(15), Some("Rome"))],
    },
    Case {
        name: "clock jumping back",
        steps: &[
            (100, Save("Rome")),
            (50, Update("Oslo")),
            (10, Update("Bern")),
            (60, Forget),
        ],
        questions: &[
            (At(99), End, None),
            (Stamp(0), Stamp(0), Some("Rome")),
            (Stamp(0), Stamp(1), Some("Rome")),
            (Stamp(1), Stamp(1), Some("Oslo")),
            (Stamp(1), Stamp(2), Some("Oslo")),
            (Stamp(2), Stamp(2), Some("Bern")),
            (Stamp(2), Before(3), Some("Bern")),
            (Stamp(2), Stamp(3), None),
            (At(100), At(99), None),
        ],
    },
    Case {
        name: "undo while the clock jumps back",
        steps: &[
            (100, Save("Rome")),
            (110, Update("Oslo")),
            (20, Undo(1)),
            (10, Redo(1)),
        ],
        questions: &[
            (At(105), At(109), Some("Rome")),
            (At(115), At(110), Some("Oslo")),
            (At(115), Stamp(2), Some("Rome")),
            (At(115), Stamp(3), Some("Oslo")),
            (At(105), Stamp(3), Some("Rome")),
        ],
    },
];
