//! The version of the tables: new schemas get the current one, older ones are upgraded in place.

use tokio_postgres::{Client, GenericClient};

use super::error::{Fault, Trouble};
use super::server::Server;
use crate::store::StoreError;

/// The version of the tables. That of SQLite files is another one.
const VERSION: i64 = 3;

/// What leads from a version to the next one. A version more is one line more here, and `schema.sql` as it then is.
const STEPS: [(i64, &str); 2] =
    [(1, include_str!("upgrades/1_to_2.sql")), (2, include_str!("upgrades/2_to_3.sql"))];

/// All tables that a run reads and writes, those of later versions last.
const TABLES: &[&str] = &[
    "replies",
    "failures",
    "wasted",
    "claims",
    "askers",
    "adaptations",
    "runs",
    "purses",
    "grants",
    "pauses",
];
/// How many of them version 1 had, by which a store is known.
const FIRST: usize = 7;

/// What a run does with the tables, and what suffices to read them.
pub(super) const ALL_RIGHTS: &[&str] = &["SELECT", "INSERT", "UPDATE", "DELETE"];
pub(super) const TO_READ: &[&str] = &["SELECT"];

/// Lets `client` have tables of today's version, new, as they are, or upgraded; with a word for what is missing of the `rights` to them.
pub(super) async fn migrate(client: &mut Client, server: &Server, rights: &[&str]) -> Result<(), Trouble> {
    bring_up(client, server, VERSION, &STEPS).await?;
    let lacking: Option<String> = client
        .query_one(
            "SELECT string_agg(lacked || ' on ' || tables, ', ') FROM unnest($2::text[]) AS tables, \
             unnest($3::text[]) AS lacked \
             WHERE NOT has_table_privilege(quote_ident($1) || '.' || tables, lacked)",
            &[&server.schema, &TABLES, &rights],
        )
        .await?
        .try_get(0)?;
    match lacking {
        None => Ok(()),
        Some(lacking) => {
            let why = format!("it has no {lacking}");
            Err(StoreError::Rights { place: server.place.clone(), why }.into())
        }
    }
}

async fn bring_up(
    client: &mut Client,
    server: &Server,
    to: i64,
    steps: &[(i64, &str)],
) -> Result<(), Trouble> {
    let place = server.place.clone();
    if found(client, server).await?.is_some_and(|version| version == to) {
        return Ok(());
    }
    let transaction = client.transaction().await?;
    // Two runs may start at once: whoever comes second waits here, and finds the tables there.
    transaction
        .execute("SELECT pg_advisory_xact_lock(hashtextextended('tables of ' || $1, 0))", &[&server.schema])
        .await?;
    match found(&transaction, server).await? {
        Some(version) if version == to => return Ok(()),
        Some(version) if version > to => return Err(StoreError::Newer { place, version, known: to }.into()),
        Some(version) => {
            let first = steps.iter().position(|(from, _)| *from == version);
            let first = first.ok_or(StoreError::TooOld { place, version })?;
            for (_, step) in &steps[first..] {
                transaction.batch_execute(step).await?;
            }
        }
        None => {
            let is_there = "SELECT FROM pg_namespace WHERE nspname = $1";
            if transaction.query_opt(is_there, &[&server.schema]).await?.is_none() {
                let create = format!("CREATE SCHEMA {}", server.quoted_schema());
                transaction.batch_execute(&create).await?;
            }
            transaction.batch_execute(include_str!("schema.sql")).await?;
        }
    }
    let program = concat!("tooljudge ", env!("CARGO_PKG_VERSION"));
    let sign = "INSERT INTO history (version, since, program) VALUES ($1, clock_timestamp(), $2)";
    transaction.execute(sign, &[&to, &program]).await?;
    Ok(transaction.commit().await?)
}

/// The version of the tables; `None` where there are none.
pub(super) async fn found(client: &impl GenericClient, server: &Server) -> Result<Option<i64>, Trouble> {
    let place = server.place.clone();
    let encoding: String = client.query_one("SHOW server_encoding", &[]).await?.try_get(0)?;
    if encoding != "UTF8" {
        let why = format!("the database has the encoding {encoding}");
        let remedy = Some("make one with ENCODING 'UTF8'".to_owned());
        return Err(StoreError::Connect { place, why, remedy }.into());
    }
    let tables = "SELECT relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace \
                  WHERE nspname = $1 AND relkind IN ('r', 'p', 'v', 'm', 'f')";
    let rows = client.query(tables, &[&server.schema]).await?;
    let tables = rows.iter().map(|row| row.try_get(0)).collect::<Result<Vec<String>, _>>()?;
    if tables.is_empty() {
        return Ok(None);
    }
    if !TABLES[..FIRST].iter().chain(&["history"]).all(|table| tables.iter().any(|found| found == table)) {
        return Err(StoreError::NotOurs { place }.into());
    }
    let version = format!("SELECT max(version)::bigint FROM {}.history", server.quoted_schema());
    match client.query_one(&version, &[]).await.and_then(|row| row.try_get::<_, Option<i64>>(0)) {
        Ok(Some(version)) => Ok(Some(version)),
        Ok(None) => Err(StoreError::NotOurs { place }.into()),
        Err(error) => {
            let trouble = Trouble::Said(error);
            match trouble.fault(&place) {
                Fault::Lasting(StoreError::Failed { place, .. }) => Err(StoreError::NotOurs { place }.into()),
                _ => Err(trouble),
            }
        }
    }
}
