//! A reply as a row on the server: read one at a time, written in batches.

use std::borrow::Cow;
use std::error::Error;

use tokio_postgres::Row;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, accepts, to_sql_checked};

use super::text::{escaped, unescaped};
use crate::domain::{Reply, Stop, Usage};
use crate::store::stored_reply::{StoredReply, checksum, probabilities_text, read_probabilities};
use crate::store::{Fingerprint, ReplyKind};

/// What [`read`] reads, from a place on; behind that comes whatever else is wanted.
pub(super) const COLUMNS: &str = "replies.text, replies.stop, replies.prompt_tokens, replies.cached_tokens, \
     replies.completion_tokens, replies.model, replies.latency_ms, replies.attempts, replies.adapted, replies.probabilities, \
     replies.cost_usd, replies.run, replies.checksum, replies.kind";

/// Takes what [`Rows::into_parameters`] gives, of which a condition may leave some out, and then goes by [`IN_ORDER`]. A time that is
/// not given is the server's now.
pub(super) const INSERT: &str = "INSERT INTO replies (fingerprint, run, text, stop, prompt_tokens, cached_tokens, \
     completion_tokens, model, latency_ms, attempts, adapted, probabilities, cost_usd, prompt, answered_at, checksum, kind) \
     SELECT fingerprint, run, text, stop, prompt_tokens, cached_tokens, completion_tokens, model, latency_ms, attempts, \
     adapted, probabilities, cost_usd, prompt, coalesce(answered_at::timestamptz, clock_timestamp()), checksum, kind \
     FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[], \
     $9::bigint[], $10::bigint[], $11::text[], $12::text[], $13::float8[], $14::text[], $15::text[], $16::bytea[], $17::text[]) \
     AS new (fingerprint, run, text, stop, prompt_tokens, cached_tokens, completion_tokens, model, latency_ms, attempts, \
     adapted, probabilities, cost_usd, prompt, answered_at, checksum, kind)";

/// The order in which all runs write, so that none waits for another.
pub(super) const IN_ORDER: &str = " ORDER BY fingerprint";

/// What becomes of a reply whose question has one already: the new one takes its place.
pub(super) const IN_ITS_PLACE: &str = " ON CONFLICT (fingerprint) DO UPDATE SET run = excluded.run, text = excluded.text, \
     stop = excluded.stop, prompt_tokens = excluded.prompt_tokens, cached_tokens = excluded.cached_tokens, \
     completion_tokens = excluded.completion_tokens, model = excluded.model, latency_ms = excluded.latency_ms, \
     attempts = excluded.attempts, adapted = excluded.adapted, probabilities = excluded.probabilities, \
     cost_usd = excluded.cost_usd, prompt = excluded.prompt, answered_at = excluded.answered_at, \
     checksum = excluded.checksum, kind = excluded.kind";

/// Replies on their way to the server, column by column.
#[derive(Default)]
pub(super) struct Rows<'a> {
    pub fingerprints: Vec<Fingerprint>,
    runs: Vec<&'a str>,
    texts: Vec<Cow<'a, str>>,
    stops: Vec<&'static str>,
    prompt_tokens: Vec<Option<i64>>,
    cached_tokens: Vec<Option<i64>>,
    completion_tokens: Vec<Option<i64>>,
    models: Vec<Option<Cow<'a, str>>>,
    latencies: Vec<i64>,
    attempts: Vec<i64>,
    adapted: Vec<String>,
    probabilities: Vec<String>,
    costs: Vec<Option<f64>>,
    prompts: Vec<Option<Cow<'a, str>>>,
    times: Vec<Option<&'a str>>,
    checksums: Vec<Vec<u8>>,
    kinds: Vec<&'static str>,
}

impl<'a> Rows<'a> {
    pub(super) fn push(
        &mut self,
        fingerprint: Fingerprint,
        run: &'a str,
        (kind, reply): (ReplyKind, &'a Reply),
        prompt: Option<&'a str>,
        answered_at: Option<&'a str>,
    ) {
        let tokens = |count: Option<u64>| count.map(u64::cast_signed);
        self.fingerprints.push(fingerprint);
        self.runs.push(run);
        self.texts.push(escaped(&reply.text));
        self.stops.push(reply.stop.as_str());
        self.prompt_tokens.push(tokens(reply.usage.prompt_tokens));
        self.cached_tokens.push(tokens(reply.usage.cached_tokens));
        self.completion_tokens.push(tokens(reply.usage.completion_tokens));
        self.models.push(reply.model.as_deref().map(escaped));
        self.latencies.push(reply.latency_ms.cast_signed());
        self.attempts.push(reply.attempts.into());
        self.adapted.push(serde_json::to_string(&reply.adapted).unwrap_or_default());
        self.probabilities.push(probabilities_text(&reply.probabilities));
        self.costs.push(reply.cost_usd);
        self.prompts.push(prompt.map(escaped));
        self.times.push(answered_at);
        self.checksums.push(checksum(fingerprint, run, kind, reply).to_vec());
        self.kinds.push(kind.as_str());
    }

    /// For [`INSERT`].
    pub(super) fn into_parameters(self) -> Vec<Box<dyn ToSql + Sync + Send + 'a>> {
        vec![
            Box::new(self.fingerprints),
            Box::new(self.runs),
            Box::new(self.texts),
            Box::new(self.stops),
            Box::new(self.prompt_tokens),
            Box::new(self.cached_tokens),
            Box::new(self.completion_tokens),
            Box::new(self.models),
            Box::new(self.latencies),
            Box::new(self.attempts),
            Box::new(self.adapted),
            Box::new(self.probabilities),
            Box::new(self.costs),
            Box::new(self.prompts),
            Box::new(self.times),
            Box::new(self.checksums),
            Box::new(self.kinds),
        ]
    }
}

/// Reads the columns of [`COLUMNS`], the first of which stands at `first`; `None` where they are damaged.
pub(super) fn read(fingerprint: Fingerprint, row: &Row, first: usize) -> Option<StoredReply> {
    let text = |column: usize| row.try_get::<_, &str>(first + column).ok();
    let tokens = |column: usize| {
        row.try_get::<_, Option<i64>>(first + column).ok().map(|count| count.map(i64::cast_unsigned))
    };
    let stop = text(1)?;
    let stop = Stop::ALL.into_iter().find(|known| known.as_str() == stop)?;
    let kind = ReplyKind::named(text(13)?)?;
    let reply = Reply {
        text: unescaped(text(0)?),
        stop,
        usage: Usage { prompt_tokens: tokens(2)?, cached_tokens: tokens(3)?, completion_tokens: tokens(4)? },
        model: row.try_get::<_, Option<&str>>(first + 5).ok()?.map(unescaped),
        latency_ms: row.try_get::<_, i64>(first + 6).ok()?.cast_unsigned(),
        attempts: row.try_get::<_, i64>(first + 7).ok()?.try_into().ok()?,
        adapted: serde_json::from_str(text(8)?).ok()?,
        probabilities: read_probabilities(text(9)?)?,
        cost_usd: row.try_get(first + 10).ok()?,
    };
    let run = text(11)?;
    let stored: &[u8] = row.try_get(first + 12).ok()?;
    let is_sound = checksum(fingerprint, run, kind, &reply) == stored;
    is_sound.then(|| StoredReply { reply, kind, run: run.to_owned() })
}

impl ToSql for Fingerprint {
    fn to_sql(&self, _: &Type, to: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        to.extend_from_slice(&self.0);
        Ok(IsNull::No)
    }

    accepts!(UUID);
    to_sql_checked!();
}

impl<'a> FromSql<'a> for Fingerprint {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Fingerprint, Box<dyn Error + Sync + Send>> {
        Ok(Fingerprint(raw.try_into()?))
    }

    accepts!(UUID);
}
