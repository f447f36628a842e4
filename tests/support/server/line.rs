//! A connection that can be made to end as no HTTP server would end it.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::Notify;

/// How a connection ends before its time.
#[derive(Debug, Clone, PartialEq)]
pub enum End {
    /// With a TCP reset.
    Reset,
    /// With these bytes, which need not be HTTP, in place of a response; for HTTP/1.1 without TLS.
    Bytes(Vec<u8>),
}

/// Ends one connection when it is blown.
#[derive(Debug, Default)]
pub struct Fuse {
    end: Mutex<Option<End>>,
    blown: Notify,
}

impl Fuse {
    pub fn blow(&self, end: End) {
        *self.end.lock().unwrap() = Some(end);
        self.blown.notify_one();
    }

    /// Waits until it is blown.
    pub async fn blown(&self) {
        self.blown.notified().await;
    }

    pub fn end(&self) -> Option<End> {
        self.end.lock().unwrap().clone()
    }
}

/// The socket below a connection.
pub struct Line {
    stream: TcpStream,
    fuse: Arc<Fuse>,
    /// Bytes sent over all connections.
    sent: Arc<AtomicU64>,
}

impl Line {
    pub fn new(stream: TcpStream, fuse: Arc<Fuse>, sent: Arc<AtomicU64>) -> Line {
        Line { stream, fuse, sent }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if self.fuse.end() == Some(End::Reset) {
            // Closing without lingering sends a reset.
            self.stream.set_zero_linger().unwrap();
        }
    }
}

impl AsyncRead for Line {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, into)
    }
}

impl AsyncWrite for Line {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        if let Poll::Ready(Ok(count)) = written {
            self.sent.fetch_add(count as u64, Ordering::SeqCst);
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
