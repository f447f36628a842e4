"""A PostgreSQL server of the tests' own: on loopback, run by a user without rights in a temporary folder, gone with the test process."""

import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest

# Ends the server when nothing more can come on its input: also when the tests are killed.
KEEPER = """
bin=$1 folder=$2 port=$3
echo secret >"$folder/password"
"$bin/initdb" -D "$folder/data" -U postgres -A scram-sha-256 --pwfile="$folder/password" -E UTF8 --locale=C --no-sync >"$folder/log" 2>&1 ||
    { cat "$folder/log"; exit 1; }
"$bin/postgres" -D "$folder/data" -p "$port" -c listen_addresses=127.0.0.1 -c unix_socket_directories="$folder" -c shared_buffers=32MB \\
    >>"$folder/log" 2>&1 </dev/null &
server=$!
tries=0
until "$bin/pg_isready" -q -h 127.0.0.1 -p "$port"; do
    tries=$((tries + 1))
    kill -0 "$server" 2>/dev/null && [ "$tries" -lt 600 ] || { cat "$folder/log"; exit 1; }
    sleep 0.05
done
echo ready
read -r _
kill -QUIT "$server"
wait "$server"
"""


def installed():
    """The folder of the newest server's programs, or None."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    return max(found, key=lambda path: float(path.parent.name), default=None)


class Postgres:
    """A server; each test has a schema of its own there."""

    def __init__(self):
        self.bin = installed()
        self.folder = tempfile.mkdtemp(prefix="tooljudge-postgres-")
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            self.port = one.getsockname()[1]
        words = ["sh", "-c", KEEPER, "keeper", str(self.bin), self.folder, str(self.port)]
        if os.getuid() == 0:
            # It refuses to be run by root.
            shutil.chown(self.folder, "nobody")
            words[:0] = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        self.keeper = subprocess.Popen(words, cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        said = self.keeper.stdout.readline()
        if said != "ready\n":
            said += self.keeper.stdout.read()
            self.stop()
            raise RuntimeError(f"PostgreSQL does not start: {said}")

    def url(self, schema):
        return f"postgres://postgres:secret@127.0.0.1:{self.port}/postgres?schema={schema}"

    def sql(self, schema, statement):
        """What `psql` prints: values only, columns apart by `|`."""
        words = [self.bin / "psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-U", "postgres", "-p", str(self.port)]
        more = {"PGPASSWORD": "secret", "PGOPTIONS": f"-c search_path={schema}"}
        ran = subprocess.run(
            [*words, "-c", statement, "postgres"], env=os.environ | more, capture_output=True, text=True, timeout=60
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout.strip()

    def stop(self):
        self.keeper.stdin.close()
        self.keeper.wait(60)
        self.keeper.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture(scope="module")
def database():
    """A server. Where there is none to start, the test is skipped, unless `TOOLJUDGE_POSTGRES` is set."""
    if installed() is None:
        assert "TOOLJUDGE_POSTGRES" not in os.environ, "TOOLJUDGE_POSTGRES is set, but there is no PostgreSQL here"
        pytest.skip("there is no PostgreSQL here")
    one = Postgres()
    yield one
    one.stop()
