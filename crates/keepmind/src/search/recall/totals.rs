//! What speaks for each place, summed; and which are the best, told exactly from rough cosines.

use crate::search::floor_of_best;
use crate::search::recall::space::Space;
use crate::search::scenes::{Neighbours, Scenes};
use crate::search::vectors::Cosines;

/// How much the meaning of the line before or after counts.
const BESIDE: f64 = 0.2;
/// How much the best line of a chat counts for the others.
const CHAT: f64 = 0.5;

/// The score of what is not found. Whatever is added, it stays that.
pub(super) const NOT_FOUND: f64 = f64::NEG_INFINITY;

/// What speaks for each place.
#[derive(Default)]
pub(super) struct Totals<'a> {
    /// All but its meaning and its chat; what has a meaning is not [`NOT_FOUND`].
    pub(super) base: Vec<f64>,
    pub(super) meant: Option<Meant<'a>>,
    /// Where places are, if that counts.
    pub(super) scenes: Option<&'a Scenes>,
}

/// How near the meaning of each place is.
pub(super) struct Meant<'a> {
    cosines: &'a Cosines<'a>,
    /// Rough ones, by place; no number where there is none.
    rough: Vec<f32>,
    /// The row of each place among the cosines; empty where that is the place itself.
    rows: Vec<u32>,
    farthest: f64,
    span: f64,
    share: f64,
}

impl<'a> Meant<'a> {
    pub(super) fn new(cosines: &'a Cosines<'a>, space: &Space<'a>, share: f64) -> Self {
        let (farthest, nearest) = cosines.range();
        let mut meant = Meant {
            cosines,
            rough: cosines.rough().to_vec(),
            rows: Vec::new(),
            farthest: f64::from(farthest),
            span: f64::from(nearest) - f64::from(farthest),
            share,
        };
        if !space.is(cosines.documents()) {
            meant.rough = vec![f32::NAN; space.len()];
            meant.rows = vec![0; space.len()];
            for (row, place) in space.places(cosines.documents()) {
                meant.rough[place] = cosines.rough()[row];
                meant.rows[place] = row as u32;
            }
        }
        meant
    }

    /// Whether anything is known of what is meant there.
    pub(super) fn holds(&self, place: usize) -> bool {
        !self.rough[place].is_nan()
    }

    fn exact(&self, place: usize) -> f32 {
        let row = self.rows.get(place).map_or(place, |row| *row as usize);
        self.cosines.exact(row)
    }

    /// From 0 for the farthest to 1 for the nearest.
    fn nearness(&self, cosine: f32) -> f64 {
        match self.span > 0.0 {
            true => (f64::from(cosine) - self.farthest) / self.span,
            // Of equals each is as near as can be.
            false => 1.0,
        }
    }

    /// How far a nearness that was told from a rough cosine may be off.
    fn blur(&self) -> f64 {
        match self.span > 0.0 {
            true => f64::from(self.cosines.blur()) / self.span,
            false => 0.0,
        }
    }
}

/// What was summed so far.
struct Sums {
    /// What speaks for each place by itself and by what is beside it.
    own: Vec<f64>,
    /// The best of each chat.
    chats: Vec<f64>,
}

impl Totals<'_> {
    /// The best `count` with what they score, in no order and maybe with others among them.
    pub(super) fn candidates(&self, count: usize) -> Vec<(usize, f64)> {
        let rough = self.meant.as_ref().map_or(&[][..], |meant| &meant.rough);
        let mut sums = self.sums(rough);
        let all = || 0..self.base.len();
        let floor = floor_of_best(all().map(|place| self.total(&sums, place)), count);
        let off = self.off();
        // A chat's best is off by as much as a line's own.
        let floor = floor - 2.0 * (1.0 + CHAT) * off;
        let mut chosen: Vec<usize> = all()
            .filter(|place| {
                let total = self.total(&sums, *place);
                total >= floor && total > NOT_FOUND
            })
            .collect();
        if off > 0.0 {
            self.add_rivals(&sums, off, &mut chosen);
            self.sharpen(&mut sums, &chosen);
        }
        let scored = chosen.into_iter();
        scored
            .map(|place| (place, self.total(&sums, place)))
            .collect()
    }

    /// How far what speaks for a place by itself may be off.
    fn off(&self) -> f64 {
        let beside = match self.neighbours() {
            Some(_) => 1.0 + 2.0 * BESIDE,
            None => 1.0,
        };
        let off = |meant: &Meant<'_>| meant.share.abs() * meant.blur() * beside;
        // Sums are rounded too.
        self.meant.as_ref().map_or(0.0, off) * 1.001
    }

    fn neighbours(&self) -> Option<&Neighbours> {
        let neighbours = self.scenes?.neighbours();
        (!neighbours.is_empty()).then_some(neighbours)
    }

    fn chat(&self, place: usize) -> usize {
        self.scenes.map_or(0, |scenes| scenes.chat(place))
    }

    fn chat_count(&self) -> usize {
        self.scenes.map_or(0, Scenes::chat_count)
    }

    fn sums(&self, cosines: &[f32]) -> Sums {
        let own: Vec<f64> = match (&self.meant, self.neighbours()) {
            (None, _) => self.base.clone(),
            (Some(meant), None) => {
                let both = self.base.iter().zip(cosines);
                both.map(|(base, cosine)| match cosine.is_nan() {
                    true => *base,
                    false => base + meant.share * meant.nearness(*cosine),
                })
                .collect()
            }
            (Some(_), Some(_)) => (0..self.base.len())
                .map(|place| self.own(cosines, place))
                .collect(),
        };
        let mut chats = vec![0.0; self.chat_count() + 1];
        if chats.len() > 1 {
            for (place, own) in own.iter().enumerate() {
                let best = &mut chats[self.chat(place)];
                *best = f64::max(*best, *own);
            }
        }
        Sums { own, chats }
    }

    fn own(&self, cosines: &[f32], place: usize) -> f64 {
        let base = self.base[place];
        let Some(meant) = self.meant.as_ref().filter(|meant| meant.holds(place)) else {
            return base;
        };
        let near = meant.nearness(cosines[place]);
        let Some(neighbours) = self.neighbours() else {
            return base + meant.share * near;
        };
        let beside = [neighbours.before(place), neighbours.after(place)];
        let beside = beside.into_iter().flatten();
        let beside: f64 = beside
            .filter(|other| meant.holds(*other))
            .map(|other| meant.nearness(cosines[other]))
            .sum();
        base + meant.share * (near + BESIDE * beside)
    }

    /// The best of a chat lifts the others of it. What belongs to none is a chat of its own.
    fn total(&self, sums: &Sums, place: usize) -> f64 {
        let own = sums.own[place];
        if self.scenes.is_none() {
            return own;
        }
        match self.chat(place) {
            0 => own + CHAT * own,
            chat => own + CHAT * sums.chats[chat],
        }
    }

    /// Adds the lines that may be the best of the chats of those that are chosen.
    fn add_rivals(&self, sums: &Sums, off: f64, chosen: &mut Vec<usize>) {
        let mut is_asked = vec![false; self.chat_count() + 1];
        for place in chosen.iter() {
            is_asked[self.chat(*place)] = true;
        }
        is_asked[0] = false;
        if !is_asked.contains(&true) {
            return;
        }
        let may_be_best = |place: &usize| {
            let chat = self.chat(*place);
            is_asked[chat] && sums.own[*place] >= sums.chats[chat] - 2.0 * off
        };
        chosen.extend((0..self.base.len()).filter(may_be_best));
        chosen.sort_unstable();
        chosen.dedup();
    }

    /// Sums what speaks for the chosen from exact cosines, and the best of their chats from that.
    fn sharpen(&self, sums: &mut Sums, chosen: &[usize]) {
        let Some(meant) = &self.meant else {
            return;
        };
        let mut exact = meant.rough.clone();
        let mut look = |place: usize| {
            if meant.holds(place) {
                exact[place] = meant.exact(place);
            }
        };
        for &place in chosen {
            look(place);
            if let Some(neighbours) = self.neighbours() {
                let beside = [neighbours.before(place), neighbours.after(place)];
                beside.into_iter().flatten().for_each(&mut look);
            }
        }
        for &place in chosen {
            sums.chats[self.chat(place)] = 0.0;
        }
        for &place in chosen {
            let own = self.own(&exact, place);
            sums.own[place] = own;
            let best = &mut sums.chats[self.chat(place)];
            *best = f64::max(*best, own);
        }
    }
}
