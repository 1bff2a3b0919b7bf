//! What waits for the engine. It answers one message at a time; meanwhile newer ones make older ones pointless.

use std::collections::VecDeque;

use tokenpath_engine::message::{Hand, Message};

/// Adds a message, in place of one that it makes pointless or together with one that it continues.
pub(super) fn push(waiting: &mut VecDeque<Message>, message: Message) {
    let merged = waiting.back().and_then(|last| merge(last, &message));
    match merged {
        Some(merged) => {
            waiting.pop_back();
            waiting.push_back(merged);
        }
        None => waiting.push_back(message),
    }
}

/// The one message that does what the two do, if there is one.
fn merge(last: &Message, next: &Message) -> Option<Message> {
    match (last, next) {
        (Message::SetParam { name: last, .. }, Message::SetParam { name, .. }) => (last == name).then(|| next.clone()),
        (Message::Navigate { .. }, Message::Navigate { .. }) | (Message::Settle, Message::Settle) => Some(next.clone()),
        (Message::Find { again: false, .. }, Message::Find { again: false, .. }) => Some(next.clone()),
        (Message::Timeline { hand: last }, Message::Timeline { hand: next }) => {
            merge_hands(*last, *next).map(|hand| Message::Timeline { hand })
        }
        _ => None,
    }
}

fn merge_hands(last: Hand, next: Hand) -> Option<Hand> {
    match (last, next) {
        (Hand::Surface { .. }, Hand::Surface { .. })
        | (Hand::Drag { .. }, Hand::Drag { .. })
        | (Hand::Hover { .. } | Hand::Leave, Hand::Hover { .. } | Hand::Leave) => Some(next),
        // Zooming is exponential in the turn, so turns add up.
        (Hand::Wheel { dx, dy, zoom, .. }, Hand::Wheel { x, dx: more_x, dy: more_y, zoom: zooms }) => {
            (zoom == zooms).then_some(Hand::Wheel { x, dx: dx + more_x, dy: dy + more_y, zoom })
        }
        _ => None,
    }
}
