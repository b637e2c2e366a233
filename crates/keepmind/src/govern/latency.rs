//! How long something takes, in a few counts: which share was done within which time. In memory only.

use serde::Serialize;

/// How many buckets there are. The last holds everything longer than two minutes.
const BUCKETS: usize = 55;

/// How long operations took: buckets that grow by half from one microsecond on.
#[derive(Debug, Clone)]
pub(crate) struct Histogram {
    buckets: [u64; BUCKETS],
    count: u64,
    failed: u64,
    longest: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram {
            buckets: [0; BUCKETS],
            count: 0,
            failed: 0,
            longest: 0,
        }
    }
}

/// How long an operation takes, in microseconds. A percentile is at most half too high.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Latency {
    /// How often it was done.
    pub count: u64,
    /// How often it failed.
    pub failed: u64,
    /// Half of them took no longer.
    pub p50: u64,
    /// 9 of 10 took no longer.
    pub p90: u64,
    /// 99 of 100 took no longer.
    pub p99: u64,
    /// The longest.
    pub longest: u64,
}

/// The longest time that belongs into each bucket.
const ENDS: [u64; BUCKETS] = {
    let mut ends = [1; BUCKETS];
    let mut bucket = 1;
    while bucket < BUCKETS {
        let half = ends[bucket - 1] / 2;
        // By half, and at least by one.
        ends[bucket] = ends[bucket - 1] + if half == 0 { 1 } else { half };
        bucket += 1;
    }
    ends
};

impl Histogram {
    pub(crate) fn add(&mut self, micros: u64, is_failure: bool) {
        let bucket = ENDS.partition_point(|end| *end < micros);
        self.buckets[bucket.min(BUCKETS - 1)] += 1;
        self.count += 1;
        self.failed += u64::from(is_failure);
        self.longest = self.longest.max(micros);
    }

    pub(crate) fn latency(&self) -> Latency {
        Latency {
            count: self.count,
            failed: self.failed,
            p50: self.percentile(50),
            p90: self.percentile(90),
            p99: self.percentile(99),
            longest: self.longest,
        }
    }

    /// So many of a hundred took no longer; never more than the longest.
    fn percentile(&self, percent: u64) -> u64 {
        let wanted = self.count.saturating_mul(percent).div_ceil(100);
        let mut passed = 0;
        for (bucket, count) in self.buckets.iter().enumerate() {
            passed += count;
            if passed >= wanted && passed > 0 {
                return ENDS[bucket].min(self.longest);
            }
        }
        self.longest
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nothing_takes_no_time_and_the_last_bucket_holds_the_rest() {
        assert_eq!(Histogram::default().latency(), Latency::default());
        let mut long = Histogram::default();
        long.add(u64::MAX, true);
        let latency = long.latency();
        assert_eq!((latency.failed, latency.longest), (1, u64::MAX));
        assert!(ENDS[BUCKETS - 2] >= 120_000_000, "{ENDS:?}");
    }

    proptest! {
        #[test]
        fn percentiles_are_at_most_half_too_high(mut times in prop::collection::vec(0_u64..100_000_000, 1..200)) {
            let mut histogram = Histogram::default();
            for time in &times {
                histogram.add(*time, false);
            }
            times.sort_unstable();
            let latency = histogram.latency();
            for (percent, told) in [(50, latency.p50), (90, latency.p90), (99, latency.p99)] {
                let exact = times[(times.len() * percent).div_ceil(100) - 1];
                prop_assert!(told >= exact && told <= exact + exact / 2 + 1, "{} {} {}", percent, exact, told);
            }
            prop_assert_eq!(latency.longest, *times.last().unwrap());
        }
    }
}
