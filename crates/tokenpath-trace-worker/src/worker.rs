//! The messages between this worker and the engine's.

use js_sys::Array;
use tokenpath_files::{BlobBytes, TraceOrder, TraceReport, message_of};
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use crate::{Converted, convert};

/// So often at most progress is reported, in milliseconds: more would only cost.
const PROGRESS_EVERY: f64 = 50.0;

/// The bytes of a page of WebAssembly's memory.
const PAGE: u64 = 1 << 16;

/// Starts reading traces in a worker. It is sent `[order, file]` and answers `[report, ...bundle]`.
///
/// # Errors
/// When called anywhere but in a worker.
#[wasm_bindgen]
pub fn worker() -> Result<(), JsValue> {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().dyn_into()?;
    let hook_scope = scope.clone();
    std::panic::set_hook(Box::new(move |info| send(&hook_scope, &TraceReport::Stopped { what: info.to_string() })));
    let message_scope = scope.clone();
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let parts = Array::from(&event.data());
        let order = parts.get(0).as_string().and_then(|json| serde_json::from_str::<TraceOrder>(&json).ok());
        match (order, parts.get(1).dyn_into::<web_sys::Blob>()) {
            (Some(order), Ok(blob)) => read(&message_scope, &order, BlobBytes::new(blob)),
            _ => send(
                &message_scope,
                &TraceReport::Stopped { what: "An order came that is none, or without a file.".to_owned() },
            ),
        }
    });
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    // The listener lives as long as the worker.
    on_message.forget();
    Ok(())
}

fn read(scope: &DedicatedWorkerGlobalScope, order: &TraceOrder, bytes: BlobBytes) {
    let name = &order.name;
    let mut sent_at = f64::NEG_INFINITY;
    let progress_scope = scope.clone();
    let progress = move |read, total| {
        let now = js_sys::Date::now();
        if now - sent_at > PROGRESS_EVERY {
            sent_at = now;
            send(&progress_scope, &TraceReport::Progress { read, total });
        }
    };
    let converted = convert(order, bytes, Box::new(progress));
    let (report, bundle) = match converted.map(|converted| (converted.bundle(), converted)) {
        Ok((Ok(bundle), Converted { remarks, others, .. })) => {
            (TraceReport::Converted { remarks, others }, Some(bundle))
        }
        Ok((Err(error), _)) => (TraceReport::Stopped { what: message_of(&error) }, None),
        Err(error) => {
            let advice = error.advice().unwrap_or("Open the file again, or another one.").to_owned();
            (TraceReport::Refused { what: format!("{name}: {error}."), advice }, None)
        }
    };
    // The memory of a module only grows, so this is the most that was needed. Said first: the answer ends this worker.
    let memory = core::arch::wasm32::memory_size::<0>() as u64 * PAGE;
    web_sys::console::debug_1(&format!("{name}: {memory} bytes of memory were needed to read it").into());
    // As in `send`.
    let _ = scope.post_message(&parts(&report, bundle.as_ref()));
}

fn send(scope: &DedicatedWorkerGlobalScope, report: &TraceReport) {
    // A port that is gone belongs to a worker that is gone.
    let _ = scope.post_message(&parts(report, None));
}

fn parts(report: &TraceReport, bundle: Option<&web_sys::Blob>) -> Array {
    let parts = Array::new();
    // Reports are plain data of our own: they always have a JSON form.
    parts.push(&JsValue::from_str(&serde_json::to_string(report).unwrap_or_default()));
    if let Some(bundle) = bundle {
        parts.push(bundle);
    }
    parts
}
