//! TLS: an endpoint whose authority is not known to the system.
//!
//! `tests/fixtures/tls` holds an authority's certificate (its key was thrown away), one it signed for localhost, and two that
//! call themselves an authority's, as `openssl req -x509` makes them for localhost, one of which has expired.

use std::io::{Read, Write};
use std::sync::Arc;

use tokio_rustls::rustls;
use tooljudge::judge::AskError;

use crate::providers::{ask, remote, target};
use crate::support::workspace::repository;

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(repository(&format!("tests/fixtures/tls/{name}"))).unwrap()
}

/// Answers every connection with one chat completion; returns the base URL.
fn serve(name: &str) -> String {
    use rustls::pki_types::pem::PemObject;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer};
    let certificate = CertificateDer::from_pem_slice(&fixture(&format!("{name}.pem"))).unwrap();
    let key = PrivateKeyDer::from_pem_slice(&fixture(&format!("{name}.key"))).unwrap();
    let config =
        rustls::ServerConfig::builder().with_no_client_auth().with_single_cert(vec![certificate], key);
    let config = Arc::new(config.unwrap());
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://localhost:{}/v1", listener.local_addr().unwrap().port());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = rustls::StreamOwned::new(connection, stream.unwrap());
            // Whoever does not trust us hangs up here.
            if stream.read(&mut [0; 65_536]).is_ok() {
                let body = r#"{"choices":[{"message":{"content":"correct"}}]}"#;
                let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close", body.len());
                let _ = stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes());
                stream.conn.send_close_notify();
                let _ = stream.flush();
            }
        }
    });
    url
}

#[test]
fn a_strange_authority_is_distrusted_unless_it_is_given() {
    let url = serve("server");
    let Err(AskError::Run { code, message }) = ask(&remote(target(&url))) else { panic!("trusted") };
    assert_eq!(code, "tls");
    assert!(
        message.contains("localhost") && message.contains("ca_cert") && message.contains("UnknownIssuer"),
        "{message}"
    );

    let mut trusting = target(&url);
    trusting.endpoint = trusting.endpoint.with_ca_certificates(&fixture("ca.pem")).unwrap();
    assert_eq!(ask(&remote(trusting)).unwrap().reply.text, "correct");
}

#[test]
fn a_server_may_have_the_given_certificate_for_its_own_under_its_name_only() {
    let url = serve("self_signed");
    let refused = |url: &str, given: &str, words: &str| {
        let mut target = target(url);
        target.endpoint = target.endpoint.with_ca_certificates(&fixture(given)).unwrap();
        let Err(AskError::Run { code, message }) = ask(&remote(target)) else { panic!("trusted") };
        assert!(code == "tls" && message.contains(words), "{message}");
    };
    refused(&url, "ca.pem", "CaUsedAsEndEntity");
    // Another certificate with the same key and name is another.
    refused(&url, "expired.pem", "CaUsedAsEndEntity");
    refused(&serve("expired"), "expired.pem", "expired");
    refused(&url.replace("localhost", "127.0.0.1"), "self_signed.pem", "not valid for name");

    let mut trusting = target(&url);
    trusting.endpoint = trusting.endpoint.with_ca_certificates(&fixture("self_signed.pem")).unwrap();
    assert_eq!(ask(&remote(trusting)).unwrap().reply.text, "correct");
}

#[test]
fn a_server_without_tls_is_no_passing_failure() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://localhost:{}/v1", listener.local_addr().unwrap().port());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 1024]);
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    let error = ask(&remote(target(&url))).unwrap_err();
    assert!(matches!(&error, AskError::Run { code, .. } if code == "tls"), "{error:?}");
}
