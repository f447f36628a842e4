//! Lets clients in: plain HTTP/1.1, or TLS with whatever version of HTTP both sides prefer.

use std::collections::HashSet;
use std::future::Future;
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::AsyncWriteExt;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::line::{End, Fuse, Line};
use crate::support::workspace::repository;

/// What is spoken at the door.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Protocol {
    #[default]
    Http1,
    /// HTTP/1.1 over TLS, by the certificate in `tests/fixtures/tls`.
    Https1,
    /// HTTP/2 over TLS, by the same.
    Http2,
}

impl Protocol {
    pub fn is_tls(self) -> bool {
        self != Protocol::Http1
    }
}

/// Who is connected, by the client's address.
pub type Clients = Arc<Mutex<HashSet<SocketAddr>>>;

/// Serves `listener` on a thread of its own, as long as the process lives. `answer` gets each request, and the fuse of
/// the connection that it came by.
pub fn open<F, A>(
    listener: TcpListener,
    protocol: Protocol,
    sent: Arc<AtomicU64>,
    clients: Clients,
    answer: A,
) where
    F: Future<Output = Response<Body>> + Send + 'static,
    A: Fn(Request<Incoming>, Arc<Fuse>) -> F + Clone + Send + Sync + 'static,
{
    listener.set_nonblocking(true).unwrap();
    let tls = protocol.is_tls().then(|| TlsAcceptor::from(Arc::new(tls(protocol))));
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            loop {
                let (stream, client) = listener.accept().await.unwrap();
                clients.lock().unwrap().insert(client);
                stream.set_nodelay(true).unwrap();
                let fuse = Arc::new(Fuse::default());
                let line = Line::new(stream, Arc::clone(&fuse), Arc::clone(&sent));
                let conversation = converse(line, fuse, protocol, tls.clone(), answer.clone());
                let clients = Arc::clone(&clients);
                tokio::spawn(async move {
                    conversation.await;
                    clients.lock().unwrap().remove(&client);
                });
            }
        });
    });
}

/// Serves one connection until it ends. Whatever goes wrong with it is the client's to notice.
async fn converse<F, A>(line: Line, fuse: Arc<Fuse>, protocol: Protocol, tls: Option<TlsAcceptor>, answer: A)
where
    F: Future<Output = Response<Body>> + Send + 'static,
    A: Fn(Request<Incoming>, Arc<Fuse>) -> F + Clone + Send + Sync + 'static,
{
    let service = service_fn({
        let fuse = Arc::clone(&fuse);
        move |request| {
            let answering = answer(request, Arc::clone(&fuse));
            async move { Ok::<_, std::convert::Infallible>(answering.await) }
        }
    });
    let Some(tls) = tls else {
        let mut connection = http1::Builder::new().serve_connection(TokioIo::new(line), service);
        tokio::select! {
            _ = &mut connection => {}
            () = fuse.blown() => if let Some(End::Bytes(bytes)) = fuse.end() {
                let mut line = connection.into_parts().io.into_inner();
                let _ = line.write_all(&bytes).await;
                let _ = line.shutdown().await;
            },
        }
        return;
    };
    let Ok(stream) = tls.accept(line).await else { return };
    let stream = TokioIo::new(stream);
    if protocol == Protocol::Http2 {
        tokio::select! {
            _ = http2::Builder::new(TokioExecutor::new()).serve_connection(stream, service) => {}
            () = fuse.blown() => {}
        }
    } else {
        tokio::select! {
            _ = http1::Builder::new().serve_connection(stream, service) => {}
            () = fuse.blown() => {}
        }
    }
}

fn tls(protocol: Protocol) -> ServerConfig {
    let fixture = |name: &str| std::fs::read(repository(&format!("tests/fixtures/tls/{name}"))).unwrap();
    let certificate = CertificateDer::from_pem_slice(&fixture("server.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_slice(&fixture("server.key")).unwrap();
    let config = ServerConfig::builder().with_no_client_auth().with_single_cert(vec![certificate], key);
    let mut config = config.unwrap();
    let version: &[u8] = if protocol == Protocol::Http2 { b"h2" } else { b"http/1.1" };
    config.alpn_protocols = vec![version.to_vec()];
    config
}
