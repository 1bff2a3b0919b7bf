//! The passes with what the timeline holds of them, and the recorded time within each.
//!
//! A time within a pass is stated only where the instrument recorded everything in it; where graphs hide kernels, or a
//! stretch was not recorded, it is a range; otherwise the reason stands in its place.

use super::cell_pointer;
use super::join::request_time;
use crate::derive::counted::{count, int, sum, weakest};
use crate::derive::grouped::Grouped;
use crate::fact::{Fact, Missing, Quantity, Reading};
use crate::model::Run;

/// The passes of the run with what belongs to each. Building it is linear in submissions, segments and intervals.
#[derive(Clone, Debug)]
pub struct PassTable<'a> {
    run: &'a Run,
    intervals: Grouped,
    segments: Grouped,
    submissions: Grouped,
    /// Whether a segment holds an interval of its own, by row.
    opened: Vec<bool>,
}

/// One pass, ready to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct PassRow {
    /// Its row in `/passes/rows`.
    pub pass: u32,
    /// Its kind.
    pub kind: Reading,
    /// Its start on the trace clock.
    pub start: Reading,
    /// Its start on the request clock, where the clocks are joined.
    pub request_start: Reading,
    /// Its start after that of the first pass of its execution.
    pub relative_start: Reading,
    /// Start to end.
    pub span: Reading,
    /// Start to the next start of the same execution.
    pub period: Reading,
    /// Tokens it takes in.
    pub tokens: Reading,
    /// The token sampled from its result, where the bundle keeps text.
    pub token_text: Option<String>,
    /// Submissions that belong to it.
    pub submissions: Reading,
    /// Intervals that fell in it.
    pub intervals: Reading,
    /// Durations of its intervals, added up.
    pub time_sum: Reading,
    /// Time in which at least one of its intervals ran; a range where something was not recorded.
    pub time_union: Reading,
    /// The same ÷ period.
    pub share: Reading,
}

impl<'a> PassTable<'a> {
    /// Groups what the timeline holds by pass.
    pub fn new(run: &'a Run) -> PassTable<'a> {
        let timeline = &run.timeline;
        let passes = run.passes.rows.rows();
        let (submissions, segments, intervals) = (&timeline.submissions, &timeline.segments, &timeline.intervals);
        let of_segment = (0..segments.rows())
            .map(|row| segments.submission.get(row).and_then(|submission| submissions.pass.get(submission as usize)));
        let mut opened = vec![false; segments.rows()];
        for segment in (0..intervals.rows()).filter_map(|row| intervals.segment.get(row)) {
            if let Some(cell) = opened.get_mut(segment as usize) {
                *cell = true;
            }
        }
        PassTable {
            run,
            intervals: Grouped::by(passes, (0..intervals.rows()).map(|row| intervals.pass.get(row))),
            segments: Grouped::by(passes, of_segment),
            submissions: Grouped::by(passes, (0..submissions.rows()).map(|row| submissions.pass.get(row))),
            opened,
        }
    }

    /// The intervals that fell in a pass.
    pub fn intervals(&self, pass: u32) -> &[u32] {
        self.intervals.of(pass)
    }

    /// One pass with everything that is shown of it.
    pub fn row(&self, pass: u32) -> PassRow {
        let run = self.run;
        let rows = &run.passes.rows;
        let row = pass as usize;
        let read = |quantity: Option<Quantity>, column: &str| {
            let pointer = format!("/passes/rows/{column}");
            let pointer = match quantity {
                Some(_) => format!("{pointer}/{row}"),
                None => cell_pointer(run, &pointer, pass),
            };
            run.reading(quantity, rows.label(column, row), &pointer)
        };
        let start = read(rows.start.get(row).map(Quantity::Nanos), "start");
        let end = read(rows.end.get(row).map(Quantity::Nanos), "end");
        let period = read(rows.period.get(row).map(Quantity::Nanos), "period");
        let time_union = self.time_union(pass);
        PassRow {
            pass,
            kind: read(rows.kind.get(row).map(|kind| Quantity::Text(kind.to_owned())), "kind"),
            request_start: request_time(run, &start, "start"),
            relative_start: self.relative_start(pass, &start),
            span: length(&start, &end),
            share: self.share(pass, &time_union, &period),
            tokens: read(rows.tokens.get(row).map(Quantity::Count), "tokens"),
            token_text: rows.token_text.get(row).map(str::to_owned),
            submissions: self.counted(
                run.timeline.submissions.given,
                "/timeline/submissions",
                self.submissions.of(pass),
            ),
            intervals: self.counted(run.timeline.intervals.given, "/timeline/intervals", self.intervals.of(pass)),
            time_sum: self.time_sum(pass),
            time_union,
            start,
            period,
        }
    }

    fn relative_start(&self, pass: u32, start: &Reading) -> Reading {
        let rows = &self.run.passes.rows;
        let execution = rows.execution.get(pass as usize);
        // Passes stand in order of their start, so the first row of an execution is its first pass.
        let first = (0..rows.rows()).find(|row| rows.execution.get(*row) == execution);
        let Some(first) = first else { return Err(self.run.missing("/passes/rows/start")) };
        let pointer = format!("/passes/rows/start/{first}");
        let first = self.run.reading(rows.start.get(first).map(Quantity::Nanos), rows.label("start", first), &pointer);
        length(&first, start)
    }

    fn counted(&self, given: bool, table: &str, rows: &[u32]) -> Reading {
        if !given {
            return Err(self.run.missing(table));
        }
        let labels = match table {
            "/timeline/submissions" => &self.run.timeline.submissions.labels,
            _ => &self.run.timeline.intervals.labels,
        };
        let rows: Vec<usize> = rows.iter().map(|row| *row as usize).collect();
        Ok(count(labels, "pass", &format!("{table}/pass"), &rows))
    }

    /// Start and end of every interval of the pass, by start; or why their times do not cover it.
    fn covered(&self, pass: u32) -> Result<(Vec<(i64, i64)>, Fact), Missing> {
        let run = self.run;
        let intervals = &run.timeline.intervals;
        if !intervals.given {
            return Err(run.missing("/timeline/intervals"));
        }
        let instrument = "/identity/instrument/kernel_timing";
        match run.identity.instrument.kernel_timing.as_deref() {
            Some("complete") => {}
            Some("sparse") => {
                return Err(Missing {
                    pointer: instrument.to_owned(),
                    reason: "The instrument records some executions only; what they add up to is no time of the pass."
                        .to_owned(),
                });
            }
            _ => {
                return Err(Missing {
                    pointer: instrument.to_owned(),
                    reason: "The instrument does not record the duration of every execution.".to_owned(),
                });
            }
        }
        let rows = self.intervals.of(pass);
        if rows.is_empty() {
            return Err(Missing {
                pointer: "/timeline/intervals/pass".to_owned(),
                reason: "No interval of this pass is recorded.".to_owned(),
            });
        }
        let mut times = Vec::with_capacity(rows.len());
        for row in rows {
            let (start, duration) = (intervals.start.get(*row as usize), intervals.duration.get(*row as usize));
            let (Some(start), Some(duration)) = (start, duration) else {
                return Err(run.missing(&cell_pointer(run, "/timeline/intervals/duration", *row)));
            };
            times.push((start, start.saturating_add(duration)));
        }
        if !times.is_sorted() {
            times.sort_unstable();
        }
        let rows: Vec<usize> = rows.iter().map(|row| *row as usize).collect();
        Ok((times, count(&intervals.labels, "duration", "/timeline/intervals/duration", &rows)))
    }

    /// Stretches of the pass in which the instrument may have missed something: graph launches whose kernels it does
    /// not tell apart, and time that it says it did not record.
    fn hidden(&self, pass: u32) -> Vec<(i64, i64)> {
        let timeline = &self.run.timeline;
        let mut hidden = Vec::new();
        if self.run.identity.instrument.graphs.as_deref() == Some("graph") {
            for segment in self.segments.of(pass).iter().map(|segment| *segment as usize) {
                if self.opened.get(segment) == Some(&false)
                    && let (Some(start), Some(end)) =
                        (timeline.segments.start.get(segment), timeline.segments.end.get(segment))
                {
                    hidden.push((start, end));
                }
            }
        }
        // After its result is there a pass has no work left that could be missing.
        let rows = &self.run.passes.rows;
        let own = rows.start.get(pass as usize).zip(rows.end.get(pass as usize)).or_else(|| self.extent(pass));
        if let Some((from, to)) = own {
            let unrecorded = &timeline.unrecorded;
            for row in 0..unrecorded.rows() {
                if let (Some(start), Some(end)) = (unrecorded.start.get(row), unrecorded.end.get(row))
                    && start < to
                    && end > from
                {
                    hidden.push((start.max(from), end.min(to)));
                }
            }
        }
        hidden
    }

    /// Start to next start, or to its end when there is no next.
    fn extent(&self, pass: u32) -> Option<(i64, i64)> {
        let rows = &self.run.passes.rows;
        let start = rows.start.get(pass as usize)?;
        let end = rows.period.get(pass as usize).map(|period| start.saturating_add(period));
        Some((start, end.or_else(|| rows.end.get(pass as usize))?))
    }

    /// Whether the instrument sees graph launches as wholes, so that kernels of this pass may be missing.
    fn graphs_hide(&self, pass: u32) -> bool {
        self.run.identity.instrument.graphs.as_deref() == Some("graph")
            && self.segments.of(pass).iter().any(|segment| self.opened.get(*segment as usize) == Some(&false))
    }

    fn time_sum(&self, pass: u32) -> Reading {
        let (times, source) = self.covered(pass)?;
        if self.graphs_hide(pass) {
            return Err(Missing {
                pointer: "/identity/instrument/graphs".to_owned(),
                reason: "Graph launches hide their kernels; what is recorded does not add up to the pass.".to_owned(),
            });
        }
        let total = sum(times.iter().map(|(start, end)| end - start)).ok_or_else(|| Missing {
            pointer: "/timeline/intervals/duration".to_owned(),
            reason: "The durations add up to more than 64 bits hold.".to_owned(),
        })?;
        let inputs = vec![("intervals of the pass".to_owned(), source)];
        Ok(Fact::derived(Quantity::Nanos(total), "sum of the durations of the pass's intervals", inputs))
    }

    fn time_union(&self, pass: u32) -> Reading {
        let (mut times, source) = self.covered(pass)?;
        let known = union(&times);
        let mut inputs = vec![("intervals of the pass".to_owned(), source)];
        let hidden = self.hidden(pass);
        if hidden.is_empty() {
            let text = "time in which at least one interval of the pass ran; overlaps count once";
            return Ok(Fact::derived(Quantity::Nanos(known), text, inputs));
        }
        times.extend(&hidden);
        times.sort_unstable();
        let label = weakest(&self.run.timeline.segments.labels, "start", std::iter::empty());
        inputs.push((
            "stretches whose kernels are not recorded".to_owned(),
            Fact::stored(Quantity::Count(int(hidden.len())), label, "/timeline/segments"),
        ));
        let text = "from the time in which at least one recorded interval ran, to that and the stretches whose \
                    kernels are not recorded";
        Ok(Fact::derived(Quantity::NanosRange(known, union(&times)), text, inputs))
    }

    fn share(&self, pass: u32, time: &Reading, period: &Reading) -> Reading {
        let time = time.as_ref().map_err(Clone::clone)?;
        let period = period.as_ref().map_err(Clone::clone)?;
        let Quantity::Nanos(whole) = period.quantity else { return Err(self.run.missing("/passes/rows/period")) };
        if let Some((from, to)) = self.extent(pass) {
            let (times, _) = self.covered(pass)?;
            if times.iter().any(|(start, end)| *start < from || *end > to) {
                return Err(Missing {
                    pointer: "/timeline/intervals/pass".to_owned(),
                    reason: "Intervals of this pass reach outside its period, so their time is no part of it."
                        .to_owned(),
                });
            }
        }
        if whole == 0 {
            let reason = "The period is zero; nothing to divide by.".to_owned();
            return Err(Missing { pointer: period.pointer.clone(), reason });
        }
        let most = match time.quantity {
            Quantity::Nanos(part) | Quantity::NanosRange(_, part) => part,
            _ => return Err(self.run.missing("/timeline/intervals/duration")),
        };
        if most > whole {
            return Err(Missing {
                pointer: "/timeline/segments".to_owned(),
                reason: "What may have run reaches outside the period, so it is no part of it.".to_owned(),
            });
        }
        let quantity = match time.quantity {
            Quantity::Nanos(part) => Quantity::Share(part as f64 / whole as f64),
            Quantity::NanosRange(from, to) => {
                Quantity::ShareRange(from as f64 / whole as f64, to as f64 / whole as f64)
            }
            _ => return Err(self.run.missing("/timeline/intervals/duration")),
        };
        let inputs = vec![("time with an interval".to_owned(), time.clone()), ("period".to_owned(), period.clone())];
        Ok(Fact::derived(quantity, "time with at least one interval ÷ period", inputs))
    }
}

/// The length of the union of intervals sorted by start.
pub fn union(sorted: &[(i64, i64)]) -> i64 {
    let mut total = 0_i64;
    let mut reached = i64::MIN;
    for (start, end) in sorted {
        let from = (*start).max(reached);
        if *end > from {
            total = total.saturating_add(end.saturating_sub(from));
            reached = *end;
        }
    }
    total
}

fn length(start: &Reading, end: &Reading) -> Reading {
    let (start, end) = (start.as_ref().map_err(Clone::clone)?, end.as_ref().map_err(Clone::clone)?);
    match (&start.quantity, &end.quantity) {
        (Quantity::Nanos(from), Quantity::Nanos(to)) if to >= from => Ok(Fact::derived(
            Quantity::Nanos(to.saturating_sub(*from)),
            "later time − earlier time",
            vec![("later".to_owned(), end.clone()), ("earlier".to_owned(), start.clone())],
        )),
        _ => Err(Missing { pointer: end.pointer.clone(), reason: "The end lies before the start.".to_owned() }),
    }
}
