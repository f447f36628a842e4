//! Bodies that arrive whole, in drops, by half, or never end.

use std::convert::Infallible;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::stream;
use hyper::Response;

use super::answer::Manner;
use super::formats::Whole;
use super::line::{End, Fuse};
use super::truth::InFlight;

/// Time for what was written to leave before the connection is reset.
const TO_LEAVE: Duration = Duration::from_millis(20);
const SPACES: Bytes = Bytes::from_static(&[b' '; 1 << 16]);

/// Called once the last byte is on its way.
pub type Sent = Box<dyn FnOnce() + Send>;

/// The response with this body, delivered in this manner over the connection of `fuse`. The request counts as in flight
/// until it is over.
pub fn deliver(
    whole: Whole,
    manner: Manner,
    fuse: Arc<Fuse>,
    sent: Sent,
    in_flight: InFlight,
) -> Response<Body> {
    let Whole { status, headers, body, .. } = whole;
    let mut head = Response::builder().status(status);
    for (name, value) in headers {
        head = head.header(name, value);
    }
    let half = Bytes::copy_from_slice(&body[..body.len() / 2]);
    let whole_length = body.len();
    let body = match manner {
        Manner::Whole => {
            sent();
            Body::from(body)
        }
        Manner::Gzip => {
            head = head.header(CONTENT_ENCODING, "gzip");
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(&body).unwrap();
            sent();
            Body::from(encoder.finish().unwrap())
        }
        Manner::Drip(pause) => {
            let drops = stream::unfold((0, Some(sent), in_flight), move |(at, mut sent, in_flight)| {
                let (byte, last) = (body.get(at).copied(), at + 1 == body.len());
                async move {
                    let byte = Bytes::copy_from_slice(&[byte?]);
                    tokio::time::sleep(pause).await;
                    if last && let Some(sent) = sent.take() {
                        sent();
                    }
                    Some((Ok::<_, Infallible>(byte), (at + 1, sent, in_flight)))
                }
            });
            Body::from_stream(drops)
        }
        Manner::HalfThenReset => begun(half, Then::Reset(fuse), in_flight),
        Manner::HalfThenClose => begun(half, Then::Close, in_flight),
        Manner::HalfOfItsLength => {
            head = head.header(CONTENT_LENGTH, whole_length);
            begun(half, Then::Close, in_flight)
        }
        Manner::HalfThenHang => begun(half, Then::Hang, in_flight),
        Manner::Endless => begun(Bytes::from(body), Then::Spaces, in_flight),
    };
    head.body(body).unwrap()
}

/// What comes after the beginning of a body.
#[derive(Clone)]
enum Then {
    Reset(Arc<Fuse>),
    Close,
    Hang,
    Spaces,
}

impl Then {
    async fn next(&self) -> io::Result<Bytes> {
        match self {
            Then::Reset(fuse) => {
                tokio::time::sleep(TO_LEAVE).await;
                fuse.blow(End::Reset);
                std::future::pending().await
            }
            Then::Close => {
                tokio::time::sleep(TO_LEAVE).await;
                Err(io::Error::other("cut"))
            }
            Then::Hang => std::future::pending().await,
            Then::Spaces => Ok(SPACES),
        }
    }
}

/// A body that begins so, and goes on so for as long as the client stays.
fn begun(first: Bytes, then: Then, in_flight: InFlight) -> Body {
    Body::from_stream(stream::unfold((Some(first), then, in_flight), |(first, then, in_flight)| async {
        let part = match first {
            Some(first) => Ok(first),
            None => then.next().await,
        };
        Some((part, (None, then, in_flight)))
    }))
}
