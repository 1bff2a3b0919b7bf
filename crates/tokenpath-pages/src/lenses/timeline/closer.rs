//! One layer, closer: what the drawing of a whole pass merges into pixels can be read by name here.

use tokenpath_core::derive::timeline::{Event, Start, TrackKind};
use tokenpath_core::item::Item;

use super::WIDTH;
use crate::format;
use crate::html::{Markup, html};
use crate::page::{Context, figure};
use crate::scene::{self, Layout, Source, Viewport};

/// The layer of the selection in the pass that is drawn, or else its first one, drawn to the full width.
pub(super) fn layer(cx: &Context<'_>, source: &Source<'_>) -> Markup {
    let Some((from, to)) =
        source.start.pass.and_then(|pass| tokenpath_core::derive::timeline::pass_extent(cx.run, pass))
    else {
        return html! {};
    };
    let stretches: Vec<Event> = source
        .rows
        .tracks
        .iter()
        .filter(|track| track.kind == TrackKind::Layers)
        .flat_map(|track| &track.lanes)
        .flat_map(|lane| lane.within(from, to))
        .collect();
    let wanted = cx.view.item.and_then(|item| layer_of(cx, item));
    let chosen = stretches.iter().find(|event| Some(event.row) == wanted).or_else(|| stretches.first());
    let Some((event, end)) = chosen.and_then(|event| Some((event, event.end?))) else { return html! {} };
    let closer = Source {
        start: Start { from: event.start, to: end, zero: event.start, ..source.start },
        only: Some(TrackKind::Intervals),
        ..*source
    };
    let sized = Viewport::new(event.start, end, WIDTH, 1, 1.0);
    let height = Layout::new(&closer, &sized).full_height();
    let drawing = scene::build(&closer, Viewport { height, ..sized });
    let times = (to - from) as f64 / sized.span() as f64;
    let title = format!("Layer {}, {} times closer", event.row, format::grouped(times.round() as i64));
    let svg = scene::to_svg(&drawing, &title, &|item| cx.select(item), &|bar| scene::caption(&closer, bar));
    let range = cx.view.with("range", &Viewport::new(event.start, end, WIDTH, 1, 1.0).range());
    figure(
        &title,
        &html! { "from its first interval's start to its last one's end; " a id="closer" href=(cx.href(&range)) { "open above" } },
        &html! { div class="scroll" tabindex="0" role="region" aria-label=(title) { div class="stage" { (svg) } } },
    )
}

/// The layer that a selection lies in.
fn layer_of(cx: &Context<'_>, item: Item) -> Option<u32> {
    let run = cx.run;
    let of_node = |node: u32| run.graph.nodes.layer.get(node as usize).and_then(|layer| u32::try_from(layer).ok());
    match item {
        Item::Layer(layer) => Some(layer),
        Item::Node(node) => of_node(node),
        Item::Interval(row) => run.timeline.intervals.nodes.get(row as usize)?.first().and_then(|node| of_node(*node)),
        Item::Tensor(row) => {
            let component = run.model.tensors.component.get(row as usize)?;
            u32::try_from(run.model.components.layer.get(component as usize)?).ok()
        }
        Item::Component(row) => u32::try_from(run.model.components.layer.get(row as usize)?).ok(),
        _ => None,
    }
}
