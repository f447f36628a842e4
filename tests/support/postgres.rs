//! A PostgreSQL server of a test's own: on loopback, run by a user without rights in a temporary folder, gone with the test process.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command, Stdio};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use tempfile::TempDir;

use super::child::{Deadline, Running};

/// Longer than all tests together take.
const DEADLINE: Duration = Duration::from_secs(1200);

/// Takes words on its input, says `done` after each, and ends the server when there are no more: also when the tests are killed.
const KEEPER: &str = r#"
bin=$1 folder=$2 port=$3 server=
start() {
    "$bin/postgres" -D "$folder/data" -p "$port" -c listen_addresses=127.0.0.1 -c unix_socket_directories="$folder" \
        -c fsync=on -c max_connections=60 -c ssl="$1" -c ssl_cert_file="$folder/server.pem" -c ssl_key_file="$folder/server.key" \
        >>"$folder/log" 2>&1 </dev/null &
    server=$!
    tries=0
    until "$bin/pg_isready" -q -h 127.0.0.1 -p "$port"; do
        kill -0 "$server" 2>/dev/null || return 1
        tries=$((tries + 1))
        [ "$tries" -lt 600 ] || return 1
        sleep 0.05
    done
}
end() {
    [ -z "$server" ] || { kill -"$1" "$server" 2>/dev/null; wait "$server"; server=; }
}
echo secret >"$folder/password"
"$bin/initdb" -D "$folder/data" -U postgres -A scram-sha-256 --pwfile="$folder/password" -E UTF8 --locale=C --no-sync \
    >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
while read -r word; do
    case $word in
    start | start-without-tls)
        encrypts=on
        [ "$word" = start ] || encrypts=off
        start "$encrypts" || { tail -n 20 "$folder/log"; exit 1; } ;;
    stop) end INT ;;
    crash) end QUIT ;;
    esac
    echo done
done
end QUIT
cd / && rm -rf "$folder"
"#;

/// A server, and who keeps it.
pub struct Postgres {
    bin: PathBuf,
    port: u16,
    folder: TempDir,
    keeper: Mutex<(Running, BufReader<ChildStdout>)>,
}

/// The server that tests share; each has schemas of its own there. Where there is none, says so.
pub fn shared() -> Option<&'static Postgres> {
    static SHARED: LazyLock<Option<Postgres>> = LazyLock::new(Postgres::start);
    SHARED.as_ref()
}

impl Postgres {
    /// Nothing where there is no server to start, unless there must be.
    pub fn start() -> Option<Postgres> {
        let missing = if cfg!(feature = "postgres") {
            "there is no PostgreSQL here"
        } else {
            "built without `postgres`"
        };
        let Some(bin) = installed().filter(|_| cfg!(feature = "postgres")) else {
            #[allow(
                clippy::disallowed_methods,
                reason = "continuous integration says what must not be skipped"
            )]
            let must_be = std::env::var_os("TOOLJUDGE_POSTGRES").is_some();
            assert!(!must_be, "TOOLJUDGE_POSTGRES is set, but {missing}");
            super::skipped(missing);
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        for name in ["server.pem", "server.key"] {
            std::fs::copy(
                super::workspace::repository(&format!("tests/fixtures/tls/{name}")),
                folder.path().join(name),
            )
            .unwrap();
        }
        run("chmod", &["600".as_ref(), folder.path().join("server.key").as_os_str()]);
        let is_root = run("id", &["-u".as_ref()]) == "0\n";
        let mut keeper = if is_root {
            run("chown", &["-R".as_ref(), "nobody".as_ref(), folder.path().as_os_str()]);
            let mut unprivileged = Command::new("setpriv");
            unprivileged.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups", "sh"]);
            unprivileged
        } else {
            Command::new("sh")
        };
        keeper.args(["-c", KEEPER, "keeper"]).arg(&bin).arg(folder.path()).arg(port.to_string());
        keeper.current_dir(folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut keeper = keeper.start_within(DEADLINE);
        // It sees by itself that the tests are gone, and clears up.
        super::keeper::ended(keeper.id());
        let said = BufReader::new(keeper.stdout.take().unwrap());
        let postgres = Postgres { bin, port, folder, keeper: Mutex::new((keeper, said)) };
        postgres.tell("start");
        Some(postgres)
    }

    /// `start`, `start-without-tls`, `stop` (as an administrator does) or `crash`.
    pub fn tell(&self, word: &str) {
        let mut keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        let (running, said) = &mut *keeper;
        writeln!(running.stdin.as_mut().unwrap(), "{word}").unwrap();
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        assert_eq!(
            line,
            "done\n",
            "{word}: {}",
            std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
        );
    }

    /// The address of a schema, with options such as `&sslmode=disable`.
    pub fn url(&self, schema: &str) -> String {
        self.url_of("postgres:secret", &format!("postgres?schema={schema}"))
    }

    pub fn url_of(&self, user: &str, database: &str) -> String {
        format!("postgres://{user}@127.0.0.1:{}/{database}", self.port)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// What `psql` prints for a statement: values only, columns apart by `|`.
    #[track_caller]
    pub fn sql(&self, schema: &str, statement: &str) -> String {
        let mut psql = Command::new(self.bin.join("psql"));
        psql.args([
            "-X",
            "-q",
            "-A",
            "-t",
            "-v",
            "ON_ERROR_STOP=1",
            "-h",
            "127.0.0.1",
            "-U",
            "postgres",
            "-p",
        ]);
        psql.arg(self.port.to_string()).args(["-c", statement, "postgres"]);
        psql.env("PGPASSWORD", "secret").env("PGOPTIONS", format!("-c search_path={schema}"));
        let output = psql.finish();
        assert!(output.status.success(), "{statement}\n{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }
}

/// The folder of the newest server's programs.
fn installed() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let newest =
        versions.filter_map(|entry| entry.ok()?.file_name().into_string().ok()?.parse::<u32>().ok()).max()?;
    let bin = Path::new("/usr/lib/postgresql").join(newest.to_string()).join("bin");
    bin.join("initdb").exists().then_some(bin)
}

fn run(program: &str, args: &[&std::ffi::OsStr]) -> String {
    let output = Command::new(program).args(args).finish();
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
