//! `tokenpath open`: the page on a loopback port, with the given files beside it.
//!
//! Serves nothing but the page and these files, to this machine only; requests that name another host are refused, so
//! that a foreign page cannot reach the files by rebinding its name.

use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;

use tiny_http::{Header, Method, Request, Response, Server, StatusCode};
use tokenpath_core::bundle;

use crate::args::Open;
use crate::files::{Source, name};
use crate::output::{Failure, note, print};
use crate::{Done, page, run};

/// Serves until interrupted.
pub(crate) fn run(open: &Open) -> Done {
    page::present()?;
    // A wrong path is told here rather than as a failed request in the page. Several files are joined here too, so
    // that the page opens one run.
    let joined = |files: &[PathBuf]| run::open(files, true, open.of).map(|opened| bundle::write_gzip(&opened.run));
    let joined = match open.files.as_slice() {
        [] => None,
        // A trace is read where it lies: its run is small, and the page would have to be sent all of it.
        [path] if run::is_sqlite(&Source::open(path)?) => Some(joined(&open.files)?),
        [_] if open.of.device.is_some() => Some(joined(&open.files)?),
        [path] => Source::open(path).map(|_| None)?,
        several => Some(joined(several)?),
    };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, open.port));
    let server = Server::http(address).map_err(|error| {
        Failure::new(format!("listening on {address} failed: {error}")).advise("Choose another --port.")
    })?;
    let port = server.server_addr().to_ip().map_or(open.port, |address| address.port());
    let url = format!("http://127.0.0.1:{port}/");
    print(&format!("{url}\n"))?;
    if open.no_browser {
        note("Serving to this machine only. Ctrl-C ends it.");
    } else if let Err(error) = webbrowser::open(&url) {
        note(format!("No browser could be started ({error}). Open the address above. Ctrl-C ends it."));
    } else {
        note("Opened in the browser. Serving to this machine only. Ctrl-C ends it.");
    }
    for request in server.incoming_requests() {
        // A client that went away is no reason to stop.
        let _ = answer(request, &open.files, joined.as_deref(), port);
    }
    Ok(ExitCode::SUCCESS)
}

fn answer(request: Request, files: &[PathBuf], joined: Option<&[u8]>, port: u16) -> std::io::Result<()> {
    if !is_from_here(&request, port) {
        return refuse(request, 403, "This server answers to its loopback address only.");
    }
    if !matches!(request.method(), Method::Get | Method::Head) {
        return refuse(request, 405, "Only GET and HEAD are served.");
    }
    let url = request.url().to_owned();
    let path = url.split('?').next().unwrap_or("").trim_start_matches('/');
    let path = if path.is_empty() { "index.html" } else { path };
    if path.starts_with(OPENED) {
        return match (joined, files.first()) {
            (Some(bundle), _) => {
                let headers = headers(&[("Content-Type", "application/gzip")]);
                let (length, content) = (bundle.len(), Cursor::new(bundle));
                request.respond(Response::new(StatusCode(200), headers, content, Some(length), None))
            }
            (None, Some(file)) => send_file(request, file),
            (None, None) => refuse(request, 404, "There is no such file."),
        };
    }
    match page::file(path) {
        Some(content) => {
            let content = match path {
                "index.html" => with_files(&String::from_utf8_lossy(content), files).into_bytes(),
                _ => content.to_vec(),
            };
            let length = content.len();
            let headers = headers(&[("Content-Type", page::media_type(path)), ("Cache-Control", "no-store")]);
            request.respond(Response::new(StatusCode(200), headers, Cursor::new(content), Some(length), None))
        }
        None => refuse(request, 404, "There is nothing here."),
    }
}

fn refuse(request: Request, status: u16, text: &str) -> std::io::Result<()> {
    request.respond(Response::from_string(text).with_status_code(status))
}

/// Header names and values are ours and plain ASCII; one that is not would be left out.
fn headers(pairs: &[(&str, &str)]) -> Vec<Header> {
    pairs.iter().filter_map(|(name, value)| Header::from_bytes(*name, *value).ok()).collect()
}

/// Under this path the page finds what it was started with.
const OPENED: &str = "open/";

/// The page with the address of what it was started with, where it looks for a run to open.
fn with_files(html: &str, files: &[PathBuf]) -> String {
    let name = match files {
        [] => return html.to_owned(),
        [file] => encoded(&name(file)),
        _ => "run.json.gz".to_owned(),
    };
    html.replacen("<body", &format!("<body data-bundle=\"{OPENED}{name}\""), 1)
}

/// A file name as one part of an address.
fn encoded(name: &str) -> String {
    let mut out = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

fn is_from_here(request: &Request, port: u16) -> bool {
    let host = request.headers().iter().find(|header| header.field.equiv("Host")).map(|header| header.value.as_str());
    matches!(host, Some(host) if host == format!("127.0.0.1:{port}") || host == format!("localhost:{port}"))
}

/// Sends a file, or the part of it that a Range header asks for: a model of many gigabytes is read by its header only.
fn send_file(request: Request, path: &PathBuf) -> std::io::Result<()> {
    let Ok(mut file) = File::open(path) else { return refuse(request, 404, "The file is gone.") };
    let length = file.metadata()?.len();
    let asked = request.headers().iter().find(|header| header.field.equiv("Range"));
    let range = asked.map(|header| parse_range(header.value.as_str(), length));
    let (status, from, to) = match range {
        None => (200, 0, length),
        Some(Some((from, to))) => (206, from, to),
        Some(None) => return refuse(request, 416, "The file has no such range."),
    };
    file.seek(SeekFrom::Start(from))?;
    let mut headers = headers(&[("Content-Type", "application/octet-stream"), ("Accept-Ranges", "bytes")]);
    if status == 206 {
        let range = format!("bytes {from}-{}/{length}", to.saturating_sub(1));
        headers.extend(Header::from_bytes("Content-Range", range.as_str()).ok());
    }
    let size = usize::try_from(to - from).ok();
    request.respond(Response::new(StatusCode(status), headers, file.take(to - from), size, None))
}

/// `bytes=from-to` with `to` inclusive, as a half-open range inside a file of `length` bytes.
fn parse_range(text: &str, length: u64) -> Option<(u64, u64)> {
    let (from, to) = text.strip_prefix("bytes=")?.split_once('-')?;
    let (from, to) = match (from, to) {
        ("", last) => (length.saturating_sub(last.parse().ok()?), length),
        (from, "") => (from.parse().ok()?, length),
        (from, to) => (from.parse().ok()?, to.parse::<u64>().ok()?.saturating_add(1).min(length)),
    };
    (from < to).then_some((from, to))
}
