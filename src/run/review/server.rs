//! The server: one page, and the requests that store its marks. It listens only on 127.0.0.1.

use std::net::{Ipv4Addr, SocketAddr};
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{get, post};
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::ReviewError;
use super::correction::Fault;
use super::desk::{Asked, Desk, Told};
use super::guard::{Aim, Claims, Guard, new_token};
use super::table::{Reported, ReviewTable};
use crate::bench::columns;
use crate::domain::gold_columns;
use crate::report::counted;
use crate::run::settings::{ReviewQueue, ReviewSettings};
use crate::run::{Control, RunError};
use crate::store::MarkStore;

/// Bytes of what a page may send.
const BODY: usize = 256 * 1024;
/// How long a page may take to send it.
const SENDING: Duration = Duration::from_secs(15);
/// How long answers may take that are under way when the server is told to stop.
const LAST: Duration = Duration::from_secs(2);
/// Characters of a reviewer's name.
const NAME: usize = 100;

/// Characters that nobody sees: names that differ in them would be two reviewers.
const HIDDEN: [RangeInclusive<char>; 4] =
    ['\u{200b}'..='\u{200f}', '\u{202a}'..='\u{202e}', '\u{2060}'..='\u{2064}', '\u{feff}'..='\u{feff}'];

/// The page may load nothing and speak to nobody but this server, and no other page may hold it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/// A server that is ready to answer.
pub struct ReviewServer {
    listener: TcpListener,
    address: SocketAddr,
    token: String,
    once: String,
    office: Arc<Office>,
    control: Control,
}

/// What answers share.
struct Office {
    guard: Guard,
    token: String,
    page: Bytes,
    desk: Mutex<Desk>,
}

/// Makes a server that shows a labelled table to browsers of this machine and keeps the marks that are made there. It answers once
/// [`ReviewServer::serve`] is awaited.
///
/// # Errors
/// If the table cannot be read or has no labels, the marks are those of another table or cannot be written, or the port is taken.
pub async fn review(settings: ReviewSettings, control: &Control) -> Result<ReviewServer, RunError> {
    let reviewer = settings.reviewer.trim().to_owned();
    let is_hidden = |c: char| c.is_control() || HIDDEN.iter().any(|range| range.contains(&c));
    if reviewer.is_empty() || reviewer.chars().count() > NAME || reviewer.chars().any(is_hidden) {
        return Err(ReviewError::Reviewer.into());
    }
    if settings.blind && settings.queue.is_some() {
        return Err(ReviewError::BlindQueue.into());
    }
    let port = settings.port;
    let taken = |why: std::io::Error| ReviewError::Port { port, why: why.to_string() };
    // Before the table is read, which may take a while.
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(taken)?;
    let address = listener.local_addr().map_err(taken)?;
    let prepared = control.clone();
    let prepared = spawn_blocking(move || prepare(&settings, reviewer, &prepared)).await;
    let (page, desk) = prepared.map_err(|error| RunError::Worker(error.to_string()))??;
    let new_token = || new_token().map_err(ReviewError::Server);
    let (token, once) = (new_token()?, new_token()?);
    let guard = Guard::new(address, &token, &once);
    let office = Office { guard, token: token.clone(), page: Bytes::from(page), desk: Mutex::new(desk) };
    Ok(ReviewServer { listener, address, token, once, office: Arc::new(office), control: control.clone() })
}

/// Reads the table and opens its marks.
fn prepare(
    settings: &ReviewSettings,
    reviewer: String,
    control: &Control,
) -> Result<(Vec<u8>, Desk), RunError> {
    let observer = control.observer.as_ref();
    let table = ReviewTable::open(&settings.inputs, settings.id.as_deref(), observer)?;
    let path = table.marks(settings.marks.as_deref())?;
    let store = MarkStore::open(&path)?;
    // The spool has no name; what it is on is only a matter of space.
    let Reported { watch, names, turns, disputed } =
        table.report(&std::env::temp_dir().join("page"), settings.blind)?;
    if names.rows.is_empty() {
        return Err(ReviewError::NoRows { table: settings.inputs.join(" ") }.into());
    }
    let about = json!({
        "command": "review",
        "version": env!("CARGO_PKG_VERSION"),
        "created_at": Timestamp::now().to_string(),
        "review": {
            "reviewer": reviewer,
            "table": names.table,
            "blind": settings.blind,
            "queue": settings.queue.map(ReviewQueue::as_str),
            "disputed": settings.queue.map(|_| disputed),
            // The columns of gold whose rows can get a corrected call.
            "corrects": table.golds().into_iter().filter(|gold| gold_columns::is_of_calls(gold)).collect::<Vec<_>>(),
            "drawn": columns::has_draws(table.source.table.schema().names()),
        },
    });
    let page = watch.served(&title(&settings.inputs), &about)?;
    let desk = Desk::new(store, &table, (names, turns), reviewer, settings.blind);
    let (marked, strange) = desk.marked()?;
    if marked > 0 && strange == marked {
        return Err(ReviewError::OtherTable { path, rows: marked }.into());
    }
    if strange > 0 {
        observer.warning(&format!(
            "{} holds marks on {} that this table does not have: {}. They are kept, and shown on no other row",
            desk.store().path().display(),
            counted(strange as u64, "row"),
            if strange == 1 { "it is gone or has changed" } else { "they are gone or have changed" },
        ));
    }
    desk.tell_of_draws(observer)?;
    table.tell_of_labels(observer);
    if table.id.is_none() {
        observer.note(
            "no column names the rows (`id`, `row_id`, `source_id`), so marks are kept by what each row says. Exported marks then train and \
             test judges, but label --errata needs ids; name another column with --id",
        );
    }
    Ok((page, desk))
}

/// The names of the files, without their folders.
fn title(inputs: &[String]) -> String {
    let name = |input: &String| {
        Path::new(input).file_name().map_or_else(|| input.clone(), |name| name.to_string_lossy().into_owned())
    };
    inputs.iter().map(name).collect::<Vec<_>>().join(", ")
}

impl ReviewServer {
    /// The address with its token, as a reviewer opens it.
    #[must_use]
    pub fn address(&self) -> String {
        format!("http://{}/?token={}", self.address, self.token)
    }

    /// The same with a token that lets in once: for the arguments of a browser, which others on this machine can see.
    #[must_use]
    pub fn address_for_once(&self) -> String {
        format!("http://{}/?token={}", self.address, self.once)
    }

    /// The file of marks.
    #[must_use]
    pub fn marks(&self) -> std::path::PathBuf {
        self.office.desk().store().path().to_owned()
    }

    /// Answers until the job is told to stop.
    ///
    /// # Errors
    /// If the server fails.
    pub async fn serve(self) -> Result<(), RunError> {
        let ReviewServer { listener, office, control, .. } = self;
        control.observer.begins();
        let app = Router::new()
            .route("/", get(page))
            .route("/marks", get(since).post(asked))
            .route("/undo", post(asked))
            .route("/draws", post(asked))
            .layer(middleware::from_fn_with_state(Arc::clone(&office), guarded))
            .with_state(office);
        let (stop, late) = (control.stop.clone(), control.stop.clone());
        let served =
            axum::serve(listener, app).with_graceful_shutdown(async move { stop.gently.cancelled().await });
        // A request that never ends must not keep the server; marks that were acknowledged are on the disk.
        let late = async move {
            late.gently.cancelled().await;
            tokio::time::sleep(LAST).await;
        };
        tokio::select! {
            served = served => served.map_err(|why| ReviewError::Server(why.to_string()).into()),
            () = late => Ok(()),
        }
    }
}

impl Office {
    fn desk(&self) -> std::sync::MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets pass what may be answered, and says in every answer what a browser may do with it.
async fn guarded(State(office): State<Arc<Office>>, request: Request, next: Next) -> Response {
    let claimed = {
        let headers = request.headers();
        let texts = |name: HeaderName| -> Vec<&str> {
            headers.get_all(name).iter().map(|value| value.to_str().unwrap_or("?")).collect()
        };
        let (hosts, cookies) = (texts(header::HOST), texts(header::COOKIE));
        let one = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let aim = match *request.method() {
            Method::GET if request.uri().path() == "/" => Aim::Page,
            Method::GET | Method::HEAD => Aim::Read,
            _ => Aim::Write,
        };
        office.guard.check(Claims {
            aim,
            hosts: &hosts,
            origin: one(header::ORIGIN),
            site: one(HeaderName::from_static("sec-fetch-site")),
            token: query(request.uri().query(), "token"),
            cookies: &cookies,
        })
    };
    let mut response = match claimed {
        Ok(()) => next.run(request).await,
        Err(refusal) => text(StatusCode::FORBIDDEN, refusal.why()),
    };
    if response.status() == StatusCode::NOT_FOUND {
        response = text(StatusCode::NOT_FOUND, "There is nothing here.");
    }
    let headers: &mut HeaderMap = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

async fn page(State(office): State<Arc<Office>>) -> Response {
    let mut response = answer(StatusCode::OK, "text/html; charset=utf-8", Body::from(office.page.clone()));
    if let Ok(cookie) = HeaderValue::from_str(&office.guard.cookie(&office.token)) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

async fn since(State(office): State<Arc<Office>>, request: Request) -> Response {
    let since = query(request.uri().query(), "since").unwrap_or("0");
    let Ok(since) = since.parse::<u64>() else {
        return wrong(StatusCode::BAD_REQUEST, "since is not the number of a mark");
    };
    at_the_desk(office, move |desk| Ok(Told::Done(desk.since(since)?))).await
}

async fn asked(State(office): State<Arc<Office>>, request: Request) -> Response {
    let (path, kind) = (request.uri().path().to_owned(), request.headers().get(header::CONTENT_TYPE));
    if kind.is_none_or(|kind| kind.as_bytes() != b"application/json") {
        return wrong(StatusCode::UNSUPPORTED_MEDIA_TYPE, "the content type is not application/json");
    }
    let body = match timeout(SENDING, to_bytes(request.into_body(), BODY)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => return wrong(StatusCode::PAYLOAD_TOO_LARGE, "more was sent than a mark can be"),
        Err(_) => return wrong(StatusCode::REQUEST_TIMEOUT, "the mark did not arrive in time"),
    };
    let asked = match serde_json::from_slice::<Asked>(&body) {
        Ok(asked) if asked.path() == path => asked,
        _ => return wrong(StatusCode::BAD_REQUEST, "what was sent is not what this page sends"),
    };
    at_the_desk(office, move |desk| desk.take(asked)).await
}

/// Lets a thread work that may wait for the disk.
async fn at_the_desk(
    office: Arc<Office>,
    work: impl FnOnce(&mut Desk) -> Result<Told, crate::store::MarksError> + Send + 'static,
) -> Response {
    match spawn_blocking(move || work(&mut office.desk())).await {
        Ok(Ok(Told::Done(said))) => json_answer(StatusCode::OK, &said),
        Ok(Ok(Told::Conflict(said))) => json_answer(StatusCode::CONFLICT, &said),
        Ok(Ok(Told::Faulty(faults))) => {
            let faults: Vec<Value> = faults.iter().map(Fault::to_json).collect();
            let said = json!({ "error": "the corrected call is not saved", "faults": faults });
            json_answer(StatusCode::UNPROCESSABLE_ENTITY, &said)
        }
        Ok(Ok(Told::Wrong(why))) => wrong(StatusCode::BAD_REQUEST, &why),
        Ok(Err(error)) => wrong(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
        Err(error) => wrong(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    }
}

impl Asked {
    /// Where it is to be sent.
    fn path(&self) -> &'static str {
        match self {
            Asked::Mark { .. } => "/marks",
            Asked::Undo { .. } => "/undo",
            Asked::Draw { .. } => "/draws",
        }
    }
}

fn json_answer(status: StatusCode, said: &Value) -> Response {
    answer(status, "application/json", Body::from(said.to_string()))
}

fn wrong(status: StatusCode, why: &str) -> Response {
    json_answer(status, &json!({ "error": why }))
}

fn text(status: StatusCode, why: &'static str) -> Response {
    answer(status, "text/plain; charset=utf-8", Body::from(why))
}

fn answer(status: StatusCode, kind: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// A value of an address's query. Those that matter here need no decoding.
fn query<'a>(query: Option<&'a str>, name: &str) -> Option<&'a str> {
    query?
        .split('&')
        .filter_map(|part| part.split_once('='))
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value)
}
