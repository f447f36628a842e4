//! Maintenance of a store outside of a run: check, prune, merge.

#[cfg(feature = "postgres")]
use super::postgres;
use super::stored_reply::StoredReply;
use super::{Fingerprint, ReplyKind, StoreError, StorePlace, sqlite};
use crate::domain::Taking;

/// A store that exists, without a writer of its own: each operation is one transaction.
#[derive(Debug)]
pub struct Archive(Kind);

#[derive(Debug)]
enum Kind {
    Sqlite(sqlite::archive::Archive),
    #[cfg(feature = "postgres")]
    Postgres(postgres::archive::Archive),
}

/// What a store holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Contents {
    /// Bytes of the file, or of the tables and their indexes.
    pub bytes: u64,
    pub replies: u64,
    /// Replies that are turns of agents.
    pub turns: u64,
    /// Replies whose bytes are no longer what was written: they count as absent.
    pub damaged: u64,
    /// Questions whose last attempt failed.
    pub failures: u64,
    /// What was paid for answers that were of no use and are part of no reply.
    pub wasted: Wasted,
    /// Questions that a run is asking right now.
    pub claims: u64,
    pub runs: u64,
    /// Runs that did not end with a table.
    pub unfinished: u64,
    /// Replies with their prompt beside them.
    pub prompts: u64,
    /// When the first and the last reply came, RFC 3339.
    pub span: Option<(String, String)>,
    pub models: Vec<ModelContents>,
    /// Limits on cost that runs share, by name.
    pub purses: Vec<PurseContents>,
    /// What was found out about endpoints.
    pub adaptations: Vec<LearntAdaptation>,
}

/// What runs have taken of a limit on cost that they share, in US dollars.
#[derive(Debug, Clone, PartialEq)]
pub struct PurseContents {
    /// As `--purse` names it.
    pub purse: String,
    /// What the next run finds gone: what was spent, and what runs have taken in advance that are running or were killed.
    pub taken_usd: f64,
    /// Of that, what runs have said that they spent.
    pub spent_usd: f64,
    /// What runs had taken beyond that and are not seen to live, as after a kill: nobody knows whether they spent it.
    pub lost_usd: f64,
}

impl PurseContents {
    /// Of amounts in the units of [`Taking`](crate::domain::Taking).
    pub(super) fn new(purse: String, [taken, spent, lost]: [u64; 3]) -> PurseContents {
        let dollars = |amount: u64| amount as f64 / Taking::UNITS;
        PurseContents { purse, taken_usd: dollars(taken), spent_usd: dollars(spent), lost_usd: dollars(lost) }
    }
}

/// Answers of no use, to questions that ended without a reply.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Wasted {
    pub questions: u64,
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    /// US dollars, of the questions with a known price.
    pub cost_usd: f64,
    pub unpriced: u64,
}

/// The replies of one model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelContents {
    /// As it names itself; absent where it does not.
    pub model: Option<String>,
    pub replies: u64,
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    /// US dollars, of the replies with a known price.
    pub cost_usd: f64,
    pub unpriced: u64,
}

/// Which replies go. A reply must meet all conditions that are given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pruning {
    /// Answered before this moment, RFC 3339 in UTC.
    pub before: Option<String>,
    /// Of this model, as it names itself.
    pub model: Option<String>,
    /// Paid for by this run.
    pub run: Option<String>,
    /// Verdicts or turns.
    pub kind: Option<ReplyKind>,
}

/// What a merge brought.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Merged {
    pub added: u64,
    /// Replies to questions that were answered already: ours stay.
    pub known: u64,
    /// Replies left behind because they are damaged.
    pub damaged: u64,
    /// Damaged replies of ours whose place a sound one has taken.
    pub mended: u64,
}

/// What was dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropped {
    /// How many.
    pub count: u64,
    /// Why the file is as large as before; the next time that something is dropped, it is made smaller.
    pub not_shrunk: Option<StoreError>,
}

/// A reply, and what lies beside it.
#[derive(Debug)]
pub(super) struct ArchivedReply {
    pub fingerprint: Fingerprint,
    /// Absent where its bytes are no longer what was written.
    pub reply: Option<StoredReply>,
    pub prompt: Option<String>,
    /// RFC 3339.
    pub answered_at: String,
}

/// What an endpoint does not support.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LearntAdaptation {
    pub endpoint: String,
    pub model: String,
    pub adaptation: String,
    /// RFC 3339.
    pub learnt_at: String,
}

/// A run, with its manifest.
#[derive(Debug)]
pub(super) struct ArchivedRun {
    pub id: String,
    /// RFC 3339, as the next.
    pub started_at: String,
    pub finished_at: Option<String>,
    pub manifest: String,
}

/// Does the same with whichever there is.
macro_rules! with {
    ($archive:expr, $method:ident($($argument:expr),*)) => {
        match $archive {
            Kind::Sqlite(archive) => archive.$method($($argument),*),
            #[cfg(feature = "postgres")]
            Kind::Postgres(archive) => archive.$method($($argument),*),
        }
    };
}

impl Archive {
    /// # Errors
    /// When there is no store at `place`, or none of ours.
    pub fn open(place: &StorePlace) -> Result<Archive, StoreError> {
        match place {
            StorePlace::File(path) => sqlite::archive::Archive::open(path).map(Kind::Sqlite).map(Archive),
            #[cfg(feature = "postgres")]
            StorePlace::Server(address) => {
                postgres::archive::Archive::open(address).map(Kind::Postgres).map(Archive)
            }
            #[cfg(not(feature = "postgres"))]
            StorePlace::Server(address) => Err(StoreError::NoServers { place: address.to_string() }),
        }
    }

    /// The same, of a store that is made if there is none.
    ///
    /// # Errors
    /// When it cannot be made, or what is there is none of ours.
    pub fn open_or_create(place: &StorePlace) -> Result<Archive, StoreError> {
        match place {
            StorePlace::File(path) => {
                sqlite::archive::Archive::open_or_create(path).map(Kind::Sqlite).map(Archive)
            }
            #[cfg(feature = "postgres")]
            StorePlace::Server(address) => {
                postgres::archive::Archive::open_or_create(address).map(Kind::Postgres).map(Archive)
            }
            #[cfg(not(feature = "postgres"))]
            StorePlace::Server(_) => Archive::open(place),
        }
    }

    /// Counts everything, and checks every reply against its checksum.
    ///
    /// # Errors
    /// When a file's own order is broken: then replies may be in it that nobody finds.
    pub fn contents(&self) -> Result<Contents, StoreError> {
        with!(&self.0, contents())
    }

    /// Drops the replies that `pruning` means, and gives their room back; with `rehearse`, only counts them.
    pub fn prune(&self, pruning: &Pruning, rehearse: bool) -> Result<Dropped, StoreError> {
        with!(&self.0, prune(pruning, rehearse))
    }

    /// Drops the prompts kept beside replies, and gives their room back.
    pub fn forget_prompts(&self) -> Result<Dropped, StoreError> {
        with!(&self.0, forget_prompts())
    }

    /// Forgets what endpoints were found not to support, so that it is found out again; returns how much that was.
    pub fn forget_adaptations(&self) -> Result<u64, StoreError> {
        with!(&self.0, forget_adaptations())
    }

    /// Takes over what `other` has and this store lacks or has damaged: replies, runs that have come to an end meanwhile, and what is known
    /// of endpoints. Runs that write the store meanwhile go on. If it fails, a part may be taken over; to do it again does the rest.
    pub fn merge(&mut self, other: &Archive) -> Result<Merged, StoreError> {
        with!(&mut self.0, merge(other))
    }

    pub(super) fn each_reply(
        &self,
        visit: &mut dyn FnMut(ArchivedReply) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        with!(&self.0, each_reply(visit))
    }

    pub(super) fn learnt(&self) -> Result<Vec<LearntAdaptation>, StoreError> {
        with!(&self.0, learnt())
    }

    pub(super) fn runs(&self) -> Result<Vec<ArchivedRun>, StoreError> {
        with!(&self.0, runs())
    }
}
