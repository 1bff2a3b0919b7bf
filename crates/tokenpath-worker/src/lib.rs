//! The browser's worker: the engine alone with the run, the files it reads, and the messages between it and the page.
//!
//! It is a module of its own, so that a visitor who has opened no file has not downloaded the engine either. A
//! cancelled opening is a worker that is ended, and nothing that a file does can freeze the page.
//!
//! Must never contain: a decision about what is shown (that is the engine's) or a view of the document.
//! On any target but a browser's it compiles and does nothing.
#![cfg(target_arch = "wasm32")]

mod trace;

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Uint8Array};
use tokenpath_engine::message::{Effect, Opening, Order, Progress, Report};
use tokenpath_engine::{Engine, File};
use tokenpath_files::{BlobBytes, message_of};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent, Request, RequestInit, RequestMode, Response};

/// So often at most a progress report is sent, in milliseconds: more would only cost.
const PROGRESS_EVERY: f64 = 50.0;

/// Starts the engine in a worker. The page sends `[order, ...files]` and gets `[report, ...buffers]`.
///
/// # Errors
/// When called anywhere but in a worker.
#[wasm_bindgen]
pub fn worker() -> Result<(), JsValue> {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().dyn_into()?;
    let hook_scope = scope.clone();
    std::panic::set_hook(Box::new(move |info| send(&hook_scope, &Report::Stopped { what: info.to_string() })));

    let engine = Rc::new(RefCell::new(Engine::default()));
    let message_scope = scope.clone();
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let parts = Array::from(&event.data());
        let Some(Ok(order)) = parts.get(0).as_string().map(|json| serde_json::from_str::<Order>(&json)) else {
            send(&message_scope, &Report::Stopped { what: "The page sent an order that is none.".to_owned() });
            return;
        };
        match order {
            Order::Open(opening) => {
                let (scope, engine) = (message_scope.clone(), Rc::clone(&engine));
                spawn_local(async move { open(&scope, &engine, files_beside(&parts), &opening).await });
            }
            Order::Fetch { address, opening } => {
                let (scope, engine) = (message_scope.clone(), Rc::clone(&engine));
                spawn_local(async move {
                    match fetch(&scope, &address).await {
                        Ok(blob) => {
                            let mut files = vec![(name_of(&address), BlobBytes::new(blob))];
                            files.extend(files_beside(&parts));
                            open(&scope, &engine, files, &opening).await;
                        }
                        Err(what) => {
                            let effects = Engine::refuse_address(&address, &what, &opening);
                            send(&scope, &Report::Refused { effects });
                        }
                    }
                });
            }
            Order::Update { message } => {
                let effects = engine.borrow_mut().update(&message);
                let drawn = effects.iter().any(|effect| matches!(effect, Effect::Frame { .. }));
                let report = Report::Updated { effects };
                if drawn {
                    send_with_pixels(&message_scope, &report, engine.borrow().pixels());
                } else {
                    send(&message_scope, &report);
                }
            }
        }
    });
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    // The listener lives as long as the worker.
    on_message.forget();
    Ok(())
}

/// The files that travel beside an order.
fn files_beside(parts: &Array) -> Vec<(String, BlobBytes)> {
    let files = parts.iter().skip(1).filter_map(|file| file.dyn_into::<web_sys::File>().ok());
    files.map(|file| (file.name(), BlobBytes::new(file.into()))).collect()
}

async fn open(
    scope: &DedicatedWorkerGlobalScope,
    engine: &Rc<RefCell<Engine>>,
    files: Vec<(String, BlobBytes)>,
    opening: &Opening,
) {
    let trace_scope = scope.clone();
    let of_trace: trace::Progress = Rc::new(move |name, done, total| {
        let progress = Progress { stage: format!("Reading {name}"), done, total, unit: "bytes".to_owned() };
        send(&trace_scope, &Report::Progress(progress));
    });
    let files = match trace::given(files, opening, &of_trace).await {
        Ok(files) => files,
        Err(failure) => {
            send(scope, &Report::Refused { effects: Engine::refuse(&failure, opening) });
            return;
        }
    };
    let files: Vec<File<'_>> = files
        .iter()
        .map(|file| File {
            remarks: file.remarks.clone(),
            other_devices: file.others.clone(),
            ..File::new(&file.name, &file.bytes)
        })
        .collect();
    let mut sent_at = 0.0;
    let mut stage = String::new();
    let mut progress = |progress: Progress| {
        let now = js_sys::Date::now();
        if stage != progress.stage || now - sent_at > PROGRESS_EVERY {
            sent_at = now;
            stage.clone_from(&progress.stage);
            send(scope, &Report::Progress(progress));
        }
    };
    let report = match engine.borrow_mut().open(&files, opening, &mut progress) {
        Ok(opened) => Report::Opened { effects: opened.effects, joined: opened.joined },
        Err(effects) => Report::Refused { effects },
    };
    send(scope, &report);
}

/// Fetches a bundle of this origin; whatever leaves the origin, even by a redirect, fails.
async fn fetch(scope: &DedicatedWorkerGlobalScope, address: &str) -> Result<web_sys::Blob, String> {
    let init = RequestInit::new();
    init.set_mode(RequestMode::SameOrigin);
    let message = |error: JsValue| message_of(&error);
    let request = Request::new_with_str_and_init(address, &init).map_err(message)?;
    let response = JsFuture::from(scope.fetch_with_request(&request)).await.map_err(message)?;
    let response: Response = response.dyn_into().map_err(message)?;
    if !response.ok() {
        return Err(format!("the server answers {}", response.status()));
    }
    let blob = JsFuture::from(response.blob().map_err(message)?).await.map_err(message)?;
    blob.dyn_into().map_err(message)
}

fn name_of(address: &str) -> String {
    let path = address.split(['?', '#']).next().unwrap_or(address);
    path.rsplit('/').next().unwrap_or(path).to_owned()
}

/// Sends a report with the frame that it names. The copy goes to the page without being copied again.
fn send_with_pixels(scope: &DedicatedWorkerGlobalScope, report: &Report, pixels: &[u8]) {
    let parts = Array::new();
    parts.push(&JsValue::from_str(&serde_json::to_string(report).unwrap_or_default()));
    let buffer = Uint8Array::from(pixels).buffer();
    parts.push(&buffer);
    let _ = scope.post_message_with_transfer(&parts, &Array::of1(&buffer));
}

fn send(scope: &DedicatedWorkerGlobalScope, report: &Report) {
    let parts = Array::new();
    // Reports are plain data of our own: they always have a JSON form.
    parts.push(&JsValue::from_str(&serde_json::to_string(report).unwrap_or_default()));
    // A port that is gone belongs to a page that is gone.
    let _ = scope.post_message(&parts);
}
