//! A server of the built site for working on it: this machine only, nothing cached.
//!
//! It serves files and nothing else. Anything but GET and HEAD of a file below the folder is
//! refused.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Result, anyhow};
use tiny_http::{Header, Method, Request, Response, Server};

use crate::process;

/// Serves `site` until the program is ended. Port 0 takes a free one.
pub(crate) fn serve(site: &Path, port: u16, open_browser: bool) -> Result<()> {
    let server = Server::http(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
        .map_err(|error| anyhow!("could not listen on 127.0.0.1:{port}: {error}"))?;
    let address = format!("http://{}/", server.server_addr());
    println!("    serving at {address} (Ctrl+C ends it)");
    if open_browser {
        open(&address);
    }
    for request in server.incoming_requests() {
        // A reader that went away is no reason to stop serving the others.
        let _ = answer(site, request);
    }
    Ok(())
}

fn answer(site: &Path, request: Request) -> Result<()> {
    let found = match request.method() {
        Method::Get | Method::Head => {
            file_of_url(site, request.url()).and_then(|file| Some((fs::read(&file).ok()?, file)))
        }
        _ => None,
    };
    let response = match found {
        Some((bytes, file)) => Response::from_data(bytes)
            .with_header(header("Content-Type", media_type(&file))?)
            .with_header(header("Cache-Control", "no-store")?),
        None => Response::from_string("not found\n").with_status_code(404),
    };
    Ok(request.respond(response)?)
}

fn header(name: &str, value: &str) -> Result<Header> {
    Header::from_bytes(name, value).map_err(|()| anyhow!("{name}: {value} is no header"))
}

/// The file that a request's path names, or `None` when it would leave the site. Names are used as
/// they are: no file of the site needs percent-encoding.
fn file_of_url(site: &Path, url: &str) -> Option<PathBuf> {
    let path = url.split(['?', '#']).next()?.trim_start_matches('/');
    let relative = Path::new(if path.is_empty() { "index.html" } else { path });
    relative
        .components()
        .all(|component| matches!(component, Component::Normal(_)))
        .then(|| site.join(relative))
        .filter(|file| file.is_file())
}

fn media_type(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        Some("gz") => "application/gzip",
        _ => "application/octet-stream",
    }
}

/// Opens the address in the desktop's browser, where there is a desktop. It is a convenience: the
/// address is printed either way.
fn open(address: &str) {
    let desktop =
        cfg!(target_os = "macos") || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    if desktop && process::find_program(&[opener]).is_some() {
        let _ =
            Command::new(opener).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::thread;

    use super::*;

    fn site(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("xtask-{name}-{}", std::process::id()));
        fs::create_dir_all(folder.join("site/samples")).unwrap();
        fs::write(folder.join("secret"), "outside").unwrap();
        fs::write(folder.join("site/index.html"), "<p>page").unwrap();
        fs::write(folder.join("site/a.wasm"), b"\0asm").unwrap();
        folder.join("site")
    }

    #[test]
    fn only_files_of_the_site_have_a_path() {
        let site = site("paths");
        assert_eq!(file_of_url(&site, "/"), Some(site.join("index.html")));
        assert_eq!(file_of_url(&site, "/a.wasm?x=1"), Some(site.join("a.wasm")));
        assert_eq!(file_of_url(&site, "/../secret"), None);
        assert_eq!(file_of_url(&site, "//../secret"), None);
        assert_eq!(file_of_url(&site, "/samples"), None);
        assert_eq!(file_of_url(&site, "/samples/../../secret"), None);
        assert_eq!(file_of_url(&site, "/none.js"), None);
    }

    #[test]
    fn a_module_is_served_with_its_type_and_uncached_and_a_post_is_refused() {
        let site = site("http");
        let server = Server::http((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = server.server_addr().to_ip().unwrap();
        thread::spawn(move || {
            for request in server.incoming_requests() {
                answer(&site, request).unwrap();
            }
        });
        let ask = |request: &str| {
            let mut stream = TcpStream::connect(address).unwrap();
            write!(stream, "{request} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
            let mut bytes = Vec::new();
            stream.read_to_end(&mut bytes).unwrap();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let module = ask("GET /a.wasm");
        assert!(module.starts_with("HTTP/1.1 200"), "{module}");
        assert!(module.contains("Content-Type: application/wasm\r\n"), "{module}");
        assert!(module.contains("Cache-Control: no-store\r\n"), "{module}");
        assert!(module.ends_with("\0asm"), "{module}");
        assert!(ask("GET /../secret").starts_with("HTTP/1.1 404"));
        assert!(ask("POST /a.wasm").starts_with("HTTP/1.1 404"));
    }
}
