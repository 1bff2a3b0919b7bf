//! The server of `tokenpath open`, spoken to over a plain socket: what it serves, and to whom.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails loudly and says what it skips")]

mod page;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{IpAddr, SocketAddr, TcpStream, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A running server, ended with the test.
struct Served {
    program: Child,
    port: u16,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name).join("run.json.gz")
}

fn serve(file: &Path) -> Served {
    let mut program = Command::new(env!("CARGO_BIN_EXE_tokenpath"))
        .args(["open", "--no-browser"])
        .arg(file)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(program.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let port = line.trim().trim_end_matches('/').rsplit(':').next().unwrap().parse().unwrap();
    Served { program, port }
}

/// Status, head and body of the answer to a request with these lines after the first.
fn ask(served: &Served, first: &str, lines: &str) -> (u16, String, Vec<u8>) {
    let mut socket = TcpStream::connect(("127.0.0.1", served.port)).unwrap();
    let host = if lines.contains("Host:") { String::new() } else { format!("Host: 127.0.0.1:{}\r\n", served.port) };
    write!(socket, "{first} HTTP/1.1\r\n{host}{lines}Connection: close\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    socket.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|part| part == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(answer[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, head, answer[end + 4..].to_vec())
}

#[test]
fn it_serves_the_page_and_the_file_and_parts_of_it() {
    if !page::is_there() {
        return;
    }
    let file = fixture("tiny-dense");
    let bytes = std::fs::read(&file).unwrap();
    let served = serve(&file);
    let (status, head, page) = ask(&served, "GET /", "");
    assert_eq!(status, 200);
    assert!(head.contains("text/html"), "{head}");
    assert!(String::from_utf8(page).unwrap().contains("data-bundle=\"open/run.json.gz\""));
    assert_eq!(ask(&served, "GET /open/run.json.gz", "").2, bytes);
    assert_eq!(ask(&served, "HEAD /open/run.json.gz", "").2, b"");
    let last = bytes.len() - 1;
    for (range, part) in [
        ("bytes=0-9", Some(&bytes[..10])),
        ("bytes=5-5", Some(&bytes[5..6])),
        ("bytes=-7", Some(&bytes[bytes.len() - 7..])),
        (&*format!("bytes={last}-"), Some(&bytes[last..])),
        (&*format!("bytes=3-{}", u64::MAX), Some(&bytes[3..])),
        (&*format!("bytes={}-", bytes.len()), None),
        ("bytes=9-3", None),
        ("bytes=a-b", None),
        ("lines=1-2", None),
    ] {
        let (status, head, body) = ask(&served, "GET /open/run.json.gz", &format!("Range: {range}\r\n"));
        match part {
            Some(part) => {
                assert_eq!((status, body.as_slice()), (206, part), "{range}");
                assert!(head.contains(&format!("/{}", bytes.len())), "{head}");
            }
            None => assert_eq!(status, 416, "{range}"),
        }
    }
}

#[test]
fn it_serves_nothing_else_and_nobody_else() {
    if !page::is_there() {
        return;
    }
    let served = serve(&fixture("tiny-dense"));
    for path in [
        "/../Cargo.toml",
        "/..%2fCargo.toml",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/./../../../../etc/passwd",
        "/assets/../../Cargo.toml",
        "/etc/passwd",
    ] {
        let (status, _, body) = ask(&served, &format!("GET {path}"), "");
        assert_eq!(status, 404, "{path}: {}", String::from_utf8_lossy(&body));
    }
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"] {
        assert_eq!(ask(&served, &format!("{method} /"), "Content-Length: 0\r\n").0, 405, "{method}");
    }
    for host in ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example", "0.0.0.0"] {
        assert_eq!(ask(&served, "GET /", &format!("Host: {host}\r\n")).0, 403, "{host}");
    }
    assert_eq!(ask(&served, "GET /", &format!("Host: localhost:{}\r\n", served.port)).0, 200);
}

/// No packet is sent: connecting a datagram socket only asks which address this machine would use.
#[test]
fn it_listens_on_the_loopback_address_only() {
    if !page::is_there() {
        return;
    }
    let served = serve(&fixture("tiny-dense"));
    let own = UdpSocket::bind("0.0.0.0:0").and_then(|socket| {
        socket.connect("192.0.2.1:9")?;
        socket.local_addr()
    });
    let other = match own.map(|address| address.ip()) {
        Ok(ip) if !ip.is_loopback() => ip,
        // On a machine without another address the whole of 127/8 is still not 127.0.0.1.
        _ => IpAddr::from([127, 0, 0, 2]),
    };
    assert!(TcpStream::connect(SocketAddr::new(other, served.port)).is_err(), "{other} answers");
    assert!(TcpStream::connect(("127.0.0.1", served.port)).is_ok());
}

/// The page reads no SQLite: what is served for a trace is the run of its device, as a bundle, and the trace itself is not
/// to be had.
#[test]
fn a_trace_is_served_as_a_run() {
    if !page::is_there() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trace.sqlite");
    rusqlite::Connection::open(&file)
        .unwrap()
        .execute_batch(
            r#"CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
               INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'cudaLaunchKernel');
               CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, "end", deviceId, correlationId, globalPid, shortName);
               INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100, 200, 0, 1, 16777216, 1), (300, 450, 0, 2, 16777216, 1);
               CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, "end", globalTid, correlationId, nameId);
               INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (50, 60, 16777223, 1, 2);"#,
        )
        .unwrap();
    let served = serve(&file);
    let (status, _, body) = ask(&served, "GET /open/trace.sqlite", "");
    assert_eq!(status, 200);
    let mut text = String::new();
    flate2::read::GzDecoder::new(&body[..]).read_to_string(&mut text).unwrap();
    let bundle: serde_json::Value = serde_json::from_str(&text).unwrap();
    // By hand: two kernels of 100 and 150 ns, the first launched by the one call.
    assert_eq!(bundle["timeline"]["intervals"]["duration"], serde_json::json!([100, 150]));
    assert_eq!(bundle["timeline"]["intervals"]["submission"], serde_json::json!([0, null]));
    assert_eq!(bundle["timeline"]["submissions"]["start"], serde_json::json!([50]));
}
