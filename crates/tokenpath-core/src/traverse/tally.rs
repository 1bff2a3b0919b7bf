//! Counting where chains end, grouped, with memory and time linear in what is counted.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::gap::{End, Gap, Place};
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
pub(super) struct Events<'r> {
    ids: HashMap<(Hop, Event), EventId>,
    list: Vec<Known>,
    groups: Vec<Group>,
    by_key: HashMap<Key, u32>,
    /// Reasons and codes, each once: absence entries for a million cells seldom have many.
    texts: HashMap<Cow<'r, str>, u32>,
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

/// What the events of a group share: the hop, the place without its row, the reason and the code by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    hop: Hop,
    place: Option<(&'static str, bool)>,
    reason: u32,
    code: Option<u32>,
}

impl<'r> Events<'r> {
    /// The number of an event.
    pub(super) fn id(&mut self, hop: Hop, event: Event, run: &'r Run) -> EventId {
        if let Some(id) = self.ids.get(&(hop, event)) {
            return *id;
        }
        let (place, reason, code) = match event {
            Event::Gap(gap) => {
                let is_cell = matches!(gap.place, Place::Cell(..));
                (Some((gap.place.column(), is_cell)), gap.reason(run), None)
            }
            Event::End(end) => (None, Cow::Borrowed(end.text(run)), end.code(run)),
        };
        let code = code.map(Cow::Borrowed);
        let key = Key { hop, place, reason: self.text(reason.clone()), code: code.clone().map(|code| self.text(code)) };
        let groups = &mut self.groups;
        let group = *self.by_key.entry(key).or_insert_with(|| {
            let pointer = match event {
                Event::Gap(gap) => gap.place.starred(),
                Event::End(_) => String::new(),
            };
            groups.push(Group { hop, pointer, code: code.map(Cow::into_owned), reason: reason.into_owned() });
            number(groups.len() - 1)
        });
        let id = number(self.list.len());
        self.list.push(Known { event, group });
        self.ids.insert((hop, event), id);
        id
    }

    fn text(&mut self, text: Cow<'r, str>) -> u32 {
        let next = number(self.texts.len());
        *self.texts.entry(text).or_insert(next)
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
    pub(super) fn meet(&mut self, events: &Events<'_>, id: EventId, chains: u64, start: Item) {
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
    pub(super) fn finish(&mut self, events: &Events<'_>, run: &Run) -> Ending {
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
