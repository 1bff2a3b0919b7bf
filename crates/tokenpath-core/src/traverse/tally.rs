//! Counting where chains end, grouped, with memory and time linear in what is counted.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::gap::{End, Gap, Place, Why};
use super::hop::Hop;
use super::verdict::{GapGroup, GapMember, TerminalGroup};
use crate::item::Item;
use crate::model::Run;

/// How a hop ended without a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Event {
    Gap(Gap),
    End(End),
}

/// An event at a hop, by number.
pub(super) type EventId = u32;

/// Events met so far in a run, each with the group it is shown in.
#[derive(Default)]
pub(super) struct Events {
    ids: HashMap<(Hop, Event), EventId>,
    list: Vec<Known>,
    groups: Vec<Group>,
    by_key: HashMap<(Hop, Key), u32>,
    by_text: BTreeMap<(Hop, String, String, Option<String>), u32>,
}

#[derive(Clone, Copy)]
struct Known {
    event: Event,
    group: u32,
}

struct Group {
    hop: Hop,
    /// The starred pointer of gaps; empty for terminals.
    pointer: String,
    code: Option<String>,
    reason: String,
}

/// What decides an event's group before any text is made: most events differ only by row.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Gap(&'static str, bool, Why),
    End(End),
}

impl Events {
    /// The number of an event.
    pub(super) fn id(&mut self, hop: Hop, event: Event, run: &Run) -> EventId {
        if let Some(id) = self.ids.get(&(hop, event)) {
            return *id;
        }
        let key = match event {
            Event::Gap(Gap { place, why }) => Key::Gap(place.column(), matches!(place, Place::Cell(..)), why),
            Event::End(end) => Key::End(end),
        };
        let group = match self.by_key.get(&(hop, key)) {
            Some(group) => *group,
            None => {
                let (pointer, code, reason) = match event {
                    Event::Gap(gap) => (gap.place.starred(), None, gap.reason(run)),
                    Event::End(end) => (String::new(), end.code(run).map(str::to_owned), end.text(run).to_owned()),
                };
                let groups = &mut self.groups;
                let text = (hop, pointer.clone(), reason.clone(), code.clone());
                let group = *self.by_text.entry(text).or_insert_with(|| {
                    groups.push(Group { hop, pointer, code, reason });
                    number(groups.len() - 1)
                });
                self.by_key.insert((hop, key), group);
                group
            }
        };
        let id = number(self.list.len());
        self.list.push(Known { event, group });
        self.ids.insert((hop, event), id);
        id
    }
}

fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// How many chains met something, and the first of them.
#[derive(Clone, Copy, Default)]
struct Count {
    chains: u64,
    /// The number of the last chain that was counted; chains count from 1.
    last: u64,
    first: Option<Item>,
}

/// Counts the events of the chains of one verdict. Reused from pass to pass, so that a pass costs what it meets.
#[derive(Default)]
pub(super) struct Tally {
    events: Vec<Count>,
    groups: Vec<Count>,
    met: Vec<EventId>,
    chain: u64,
}

impl Tally {
    /// Begins a chain: an event counts once for each chain.
    pub(super) fn begin(&mut self) {
        self.chain += 1;
    }

    /// The chain, or `chains` alike, met the event.
    pub(super) fn meet(&mut self, events: &Events, id: EventId, chains: u64, start: Item) {
        let Some(group) = events.list.get(id as usize).map(|known| known.group) else { return };
        if self.events.len() < events.list.len() {
            self.events.resize(events.list.len(), Count::default());
        }
        if self.groups.len() < events.groups.len() {
            self.groups.resize(events.groups.len(), Count::default());
        }
        if let Some(count) = self.events.get_mut(id as usize)
            && count.last != self.chain
        {
            if count.chains == 0 {
                self.met.push(id);
            }
            count.chains += chains;
            count.last = self.chain;
            // The least, not the first that was met, so that it does not depend on the order of counting.
            count.first = Some(count.first.map_or(start, |first| first.min(start)));
        }
        if let Some(count) = self.groups.get_mut(group as usize)
            && count.last != self.chain
        {
            count.chains += chains;
            count.last = self.chain;
            count.first = Some(count.first.map_or(start, |first| first.min(start)));
        }
    }

    /// The groups of what was met, in the order of hops; forgets the counts.
    pub(super) fn finish(&mut self, events: &Events, run: &Run) -> Ending {
        let mut met = std::mem::take(&mut self.met);
        met.sort_by_key(|id| events.list.get(*id as usize).map(|known| known.event));
        let mut gaps: BTreeMap<u32, Vec<GapMember>> = BTreeMap::new();
        let mut terminals: BTreeSet<u32> = BTreeSet::new();
        let mut only_depth = true;
        let mut depth = None;
        for id in met {
            let (Some(known), Some(count)) = (events.list.get(id as usize), self.events.get_mut(id as usize)) else {
                continue;
            };
            let Count { chains, first, .. } = std::mem::take(count);
            match known.event {
                Event::Gap(gap) => {
                    if gap.is_depth(run) {
                        depth = depth.or(Some(gap));
                    } else {
                        only_depth = false;
                    }
                    let member = GapMember { pointer: gap.place.pointer(), chains, first };
                    gaps.entry(known.group).or_default().push(member);
                }
                Event::End(_) => {
                    terminals.insert(known.group);
                }
            }
        }
        let chains_of = |groups: &mut Vec<Count>, group: u32| {
            groups.get_mut(group as usize).map_or((0, None), |count| {
                let Count { chains, first, .. } = std::mem::take(count);
                (chains, first)
            })
        };
        let mut ending = Ending { depth: depth.filter(|_| only_depth), ..Ending::default() };
        for (id, members) in gaps {
            let (chains, _) = chains_of(&mut self.groups, id);
            if let Some(group) = events.groups.get(id as usize) {
                ending.gaps.push(GapGroup {
                    hop: group.hop,
                    pointer: group.pointer.clone(),
                    reason: group.reason.clone(),
                    chains,
                    members,
                });
            }
        }
        for id in terminals {
            let (chains, first) = chains_of(&mut self.groups, id);
            if let Some(group) = events.groups.get(id as usize) {
                ending.terminals.push(TerminalGroup {
                    hop: group.hop,
                    code: group.code.clone(),
                    reason: group.reason.clone(),
                    chains,
                    first,
                });
            }
        }
        ending.gaps.sort_by(|a, b| (a.hop, &a.pointer, &a.reason).cmp(&(b.hop, &b.pointer, &b.reason)));
        ending.terminals.sort_by(|a, b| (a.hop, &a.reason, &a.code).cmp(&(b.hop, &b.reason, &b.code)));
        ending
    }
}

/// What the chains of one verdict met.
#[derive(Default)]
pub(super) struct Ending {
    pub(super) gaps: Vec<GapGroup>,
    pub(super) terminals: Vec<TerminalGroup>,
    /// When every gap is a level that the capture mode does not reach: the first of them.
    pub(super) depth: Option<Gap>,
}
