//! What no chain touches: intervals in no pass, nodes that no interval reaches, kernels that no node names.

use std::collections::BTreeMap;

use super::relation::Read;
use super::relations::Relations;
use super::verdict::{Leftover, LeftoverGroup};

/// Rows by the reason for which they are left over.
#[derive(Default)]
pub(super) struct Reasons {
    rows: BTreeMap<String, Vec<u32>>,
}

impl Reasons {
    /// One more row.
    pub(super) fn add(&mut self, reason: &str, row: u32) {
        match self.rows.get_mut(reason) {
            Some(rows) => rows.push(row),
            None => {
                self.rows.insert(reason.to_owned(), vec![row]);
            }
        }
    }

    /// All of them, of `of` rows.
    pub(super) fn leftover(self, of: usize) -> Leftover {
        let groups: Vec<LeftoverGroup> = self
            .rows
            .into_iter()
            .map(|(reason, rows)| LeftoverGroup { reason, count: rows.len() as u64, rows })
            .collect();
        Leftover {
            count: Some(groups.iter().map(|group| group.count).sum()),
            of: Some(of as u64),
            reason: None,
            groups,
        }
    }
}

/// The intervals of the whole run that fell in no pass. Their rows are not listed: there can be millions.
pub(super) fn intervals(relations: &Relations<'_>) -> Leftover {
    let run = relations.run;
    if let Some(missing) = relations.interval_pass.missing() {
        return Leftover { reason: Some(missing.reason(run).into_owned()), ..Leftover::default() };
    }
    let count = run.timeline.intervals.rows();
    let mut reasons: BTreeMap<String, u64> = BTreeMap::new();
    // Neighbouring rows nearly always share their reason; then no text is made for the second.
    let mut last: Option<(Kind, u64)> = None;
    let flush = |last: Option<(Kind, u64)>, reasons: &mut BTreeMap<String, u64>| {
        if let Some((kind, many)) = last {
            let text = match kind {
                Kind::End(end) => end.text(run).to_owned(),
                Kind::Gap(gap) => gap.reason(run).into_owned(),
            };
            *reasons.entry(text).or_default() += many;
        }
    };
    for interval in 0..u32::try_from(count).unwrap_or(u32::MAX) {
        let kind = match relations.interval_pass.read(interval) {
            Read::To(..) => continue,
            Read::End(end, _) => Kind::End(end),
            Read::Gap(gap) => Kind::Gap(gap),
        };
        match &mut last {
            Some((same, many)) if same.same(kind) => *many += 1,
            _ => flush(last.replace((kind, 1)), &mut reasons),
        }
    }
    flush(last, &mut reasons);
    let groups: Vec<LeftoverGroup> =
        reasons.into_iter().map(|(reason, count)| LeftoverGroup { reason, count, rows: Vec::new() }).collect();
    Leftover { count: Some(groups.iter().map(|group| group.count).sum()), of: Some(count as u64), reason: None, groups }
}

#[derive(Clone, Copy)]
enum Kind {
    End(super::gap::End),
    Gap(super::gap::Gap),
}

impl Kind {
    fn same(self, other: Kind) -> bool {
        match (self, other) {
            (Kind::End(a), Kind::End(b)) => a == b,
            (Kind::Gap(a), Kind::Gap(b)) => a.why == b.why && a.place.column() == b.place.column(),
            _ => false,
        }
    }
}

/// The kernels of the whole run that no node names.
pub(super) fn kernels(relations: &Relations<'_>) -> Leftover {
    let run = relations.run;
    if let Some(missing) = relations.no_kernels.or_else(|| relations.node_kernels.missing()) {
        return Leftover { reason: Some(missing.reason(run).into_owned()), ..Leftover::default() };
    }
    let mut named = vec![false; run.kernels.rows()];
    let mut some_do_not_say = false;
    for node in 0..u32::try_from(run.graph.nodes.rows()).unwrap_or(u32::MAX) {
        match relations.node_kernels.read(node) {
            Read::To(kernels, _) => {
                for kernel in kernels {
                    if let Some(named) = named.get_mut(*kernel as usize) {
                        *named = true;
                    }
                }
            }
            Read::End(..) => {}
            Read::Gap(_) => some_do_not_say = true,
        }
    }
    let reason = if some_do_not_say {
        "No node names it, and some nodes do not say which kernels they run as."
    } else {
        "No node names it, and every node says which kernels it runs as."
    };
    let mut reasons = Reasons::default();
    for (kernel, named) in (0..).zip(&named) {
        if !named {
            reasons.add(reason, kernel);
        }
    }
    reasons.leftover(named.len())
}
