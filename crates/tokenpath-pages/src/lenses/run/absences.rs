//! The absence list, grouped by reason and starred pointer; a group opens to its full list.

use std::collections::BTreeMap;

use tokenpath_core::ReasonCode;
use tokenpath_core::absence::{Absence, AbsenceGroup, group};

use crate::format;
use crate::html::{Markup, html};
use crate::page::{Context, figure};
use crate::stated::int;

/// Pointers that differ in more than their last part are listed one by one, so many at most.
const LISTED: usize = 500;

/// The figure.
pub(super) fn list(cx: &Context<'_>) -> Markup {
    let absent = &cx.run.absent;
    let groups = group(absent);
    let reasons = by_reason(&groups);
    let aside = html! {
        (format::plural(int(absent.len()), "entry", "entries")) ", grouped by reason; what the instrument never records is not among them"
    };
    figure(
        "What is absent, and why",
        &aside,
        &html! {
            @if reasons.is_empty() { p class="note" { "The bundle lists no absence." } }
            @else {
                div class="tw txt" {
                    table class="absences" {
                        thead { tr { th scope="col" class="n" { "Entries" } th scope="col" { "Where" } th scope="col" { "Reason" } } }
                        tbody {
                            @for groups in &reasons {
                                tr {
                                    td class="n" { (format::grouped(int(groups.iter().map(|group| group.members.len()).sum()))) }
                                    td { (places(absent, groups)) }
                                    td { @if let Some(first) = groups.first() { (first.reason) " " small class="code" { (first.code.word().replace('_', " ")) } } }
                                }
                            }
                        }
                    }
                }
            }
        },
    )
}

/// Groups that share a reason, in the order in which reasons first appear.
fn by_reason(groups: &[AbsenceGroup]) -> Vec<Vec<&AbsenceGroup>> {
    let mut reasons: Vec<Vec<&AbsenceGroup>> = Vec::new();
    let mut index: BTreeMap<(&str, ReasonCode), usize> = BTreeMap::new();
    for group in groups {
        let at = *index.entry((&group.reason, group.code)).or_insert_with(|| {
            reasons.push(Vec::new());
            reasons.len() - 1
        });
        if let Some(known) = reasons.get_mut(at) {
            known.push(group);
        }
    }
    reasons
}

/// The places of one reason: a few in place, more of them open.
fn places(absent: &[Absence], groups: &[&AbsenceGroup]) -> Markup {
    let list = html! { @for group in groups { div { (pointer(absent, group)) } } };
    html! {
        @match groups {
            [] | [_] | [_, _] | [_, _, _] => (list),
            [first, ..] => details class="more" {
                summary { code { (first.pointer) } " and " (int(groups.len() - 1)) " more" }
                (list)
            },
        }
    }
}

fn pointer(absent: &[Absence], group: &AbsenceGroup) -> Markup {
    let members: Vec<&str> =
        group.members.iter().filter_map(|member| absent.get(*member)).map(|absence| absence.pointer.as_str()).collect();
    html! {
        @if members.len() < 2 { code { (members.first().copied().unwrap_or(&group.pointer)) } }
        @else {
            details class="more" {
                summary { code { (group.pointer) } }
                @match rows(&group.pointer, &members) {
                    Some(rows) => p class="rows" { "Rows " (rows) },
                    None => ul class="rows" {
                        @for member in members.iter().take(LISTED) { li { code { (member) } } }
                        @if members.len() > LISTED { li { "and " (format::grouped(int(members.len() - LISTED))) " more" } }
                    },
                }
            }
        }
    }
}

/// The rows of pointers that differ in their last part only, in order, neighbours drawn together: 0 to 29, 31.
fn rows(starred: &str, members: &[&str]) -> Option<String> {
    let column = starred.strip_suffix("/*").filter(|column| !column.contains('*'))?;
    let mut rows: Vec<u64> = members
        .iter()
        .map(|member| member.strip_prefix(column)?.strip_prefix('/')?.parse().ok())
        .collect::<Option<_>>()?;
    rows.sort_unstable();
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for row in rows {
        match runs.last_mut() {
            Some((_, last)) if row == *last + 1 => *last = row,
            _ => runs.push((row, row)),
        }
    }
    let words = runs.iter().map(|(first, last)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first} to {last}"),
    });
    Some(words.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_drawn_together() {
        let members = ["/a/b/3", "/a/b/0", "/a/b/1", "/a/b/2", "/a/b/7", "/a/b/8"];
        assert_eq!(rows("/a/b/*", &members).as_deref(), Some("0 to 3, 7, 8"));
        assert_eq!(rows("/a/*/b/*", &["/a/1/b/2", "/a/2/b/2"]), None);
    }
}
