//! Traces, which a worker of their own makes bundles of before the engine opens them.

use std::rc::Rc;

use js_sys::{Array, Function, Promise};
use tokenpath_engine::Failure;
use tokenpath_engine::message::Opening;
use tokenpath_files::{BlobBytes, TraceOrder, TraceReport, message_of};
use tokenpath_import::read_at::head;
use tokenpath_import::sniff::HEAD;
use tokenpath_import::{Format, ReadAt, sniff};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Event, MessageEvent, Worker};

#[wasm_bindgen]
extern "C" {
    /// Starts the worker that reads traces. The program that starts this worker provides it.
    #[wasm_bindgen(js_name = startTraceWorker, catch)]
    fn start_trace_worker() -> Result<Worker, JsValue>;
}

/// Is told of a file how many of its bytes have been read, and of how many.
pub(crate) type Progress = Rc<dyn Fn(&str, u64, u64)>;

/// A file as the engine is given it.
pub(crate) struct Given {
    pub(crate) name: String,
    pub(crate) bytes: BlobBytes,
    /// What was found odd about it before.
    pub(crate) remarks: Vec<String>,
    /// Of a trace, the devices whose run it could have been.
    pub(crate) others: Vec<i64>,
}

/// The files, with a bundle in place of a trace. The first are those of the open run, which are read again only
/// when model files join them.
///
/// # Errors
/// When a trace cannot be read, or there are several.
pub(crate) async fn given(
    files: Vec<(String, BlobBytes)>,
    opening: &Opening,
    progress: &Progress,
) -> Result<Vec<Given>, Failure> {
    let earlier = opening.earlier;
    let formats: Vec<Format> = files.iter().map(|(_, bytes)| format(bytes)).collect();
    let joins = formats.iter().skip(earlier).all(|format| format.is_model());
    let is_read = |at: usize| joins || at >= earlier;
    if formats.iter().enumerate().filter(|(at, format)| is_read(*at) && **format == Format::Sqlite).count() > 1 {
        return Err(Failure {
            what: "Two traces were given; a run is made from one.".to_owned(),
            advice: "Open them one at a time.".to_owned(),
        });
    }
    let mut given = Vec::new();
    for (at, ((name, bytes), format)) in files.into_iter().zip(formats).enumerate() {
        given.push(if format == Format::Sqlite && is_read(at) {
            convert(TraceOrder { name, device: opening.device }, &bytes, progress).await?
        } else {
            Given { name, bytes, remarks: Vec::new(), others: Vec::new() }
        });
    }
    Ok(given)
}

fn format(bytes: &BlobBytes) -> Format {
    head(bytes, HEAD).map_or(Format::Unknown, |head| sniff(&head, Some(bytes.len())))
}

/// The bundle of a trace.
async fn convert(order: TraceOrder, bytes: &BlobBytes, progress: &Progress) -> Result<Given, Failure> {
    let stopped = |what: &str| Failure {
        what: format!("{} was not read: {what}.", order.name),
        advice: "Record for a shorter time, or open it with `tokenpath open`, which has more memory.".to_owned(),
    };
    // A trap that nobody explained: the panic hook reports every other fault before its trap.
    let failed = |error: JsValue| match message_of(&error) {
        trap if trap.contains("unreachable") || trap.contains("memory") => stopped("the memory for its run ran out"),
        what => stopped(&what),
    };
    let worker = start_trace_worker().map_err(failed)?;
    let answer = answer(&worker, &order, bytes, progress).await;
    worker.terminate();
    let parts = answer.map_err(failed)?;
    match report_of(&parts) {
        Some(TraceReport::Converted { remarks, others }) => {
            let bundle: web_sys::Blob = parts.get(1).dyn_into().map_err(failed)?;
            Ok(Given { name: order.name.clone(), bytes: BlobBytes::new(bundle), remarks, others })
        }
        Some(TraceReport::Refused { what, advice }) => Err(Failure { what, advice }),
        Some(TraceReport::Stopped { what }) => Err(stopped(&what)),
        Some(TraceReport::Progress { .. }) | None => Err(stopped("its reader gave no answer")),
    }
}

/// The first message of the worker that is no progress.
async fn answer(worker: &Worker, order: &TraceOrder, bytes: &BlobBytes, progress: &Progress) -> Result<Array, JsValue> {
    // Both live until the answer is there; nothing calls them then, for the worker is ended.
    let mut listeners = None;
    let promise = Promise::new(&mut |resolve: Function, reject: Function| {
        let (progress, name) = (Rc::clone(progress), order.name.clone());
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            let parts = Array::from(&event.data());
            match report_of(&parts) {
                Some(TraceReport::Progress { read, total }) => progress(&name, read, total),
                _ => {
                    let _ = resolve.call1(&JsValue::NULL, &parts);
                }
            }
        });
        // A module that does not load, or memory that cannot grow.
        let on_error = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            // Otherwise the event goes on to the page, as an error of this worker.
            event.prevent_default();
            let _ = reject.call1(&JsValue::NULL, &event);
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        listeners = Some((on_message, on_error));
    });
    // Orders are plain data of our own: they always have a JSON form.
    let json = serde_json::to_string(order).unwrap_or_default();
    worker.post_message(&Array::of2(&JsValue::from_str(&json), bytes.blob()))?;
    let answer = JsFuture::from(promise).await;
    drop(listeners);
    Ok(Array::from(&answer?))
}

fn report_of(parts: &Array) -> Option<TraceReport> {
    serde_json::from_str(&parts.get(0).as_string()?).ok()
}
