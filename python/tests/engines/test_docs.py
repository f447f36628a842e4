"""The blocks of `docs/cluster.md` run, each in a process of its own, and print what is shown.

`TOOLJUDGE_DOCS=write python/test-engines -- tests/engines/test_docs.py` writes what is printed into the page.
"""

import importlib.util
import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT
from doors import DOORS

PAGE = ROOT / "docs/cluster.md"
BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```\n\s*^```text\n(?P<text>.*?)^```\n", re.MULTILINE | re.DOTALL)
# Without limits, which a page need not show, an engine takes the whole machine.
LIMITS = """
import os, sys
if {name!r} == "ray":
    import ray
    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=200 << 20, log_to_driver=False)
if {name!r} == "spark":
    os.environ.update(PYSPARK_PYTHON=sys.executable, PYSPARK_SUBMIT_ARGS="--driver-memory 1g pyspark-shell")
"""


@pytest.mark.parametrize("name", DOORS)
def test_the_block_runs_and_prints_what_is_shown(name, tmp_path):
    spec = importlib.util.spec_from_file_location("judge_server", ROOT / "notebooks/judge_server.py")
    server = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(server)
    page = PAGE.read_text(encoding="utf-8")
    (block,) = [block for block in BLOCK.finditer(page) if f"tj.{name}.label" in block["code"]]
    (tmp_path / "datasets").symlink_to(ROOT / "datasets")
    # Processes of Dask import the program anew.
    code = LIMITS.format(name=name) + "\ndef main():\n" + re.sub("^", "    ", block["code"], flags=re.MULTILINE)
    (tmp_path / "block.py").write_text(code + "\nif __name__ == '__main__':\n    main()\n", encoding="utf-8")
    more = {"OPENAI_BASE_URL": server.start().url, "OPENAI_API_KEY": "nobody's", "RAY_USAGE_STATS_ENABLED": "0"}
    words = [sys.executable, "-W", "ignore", "block.py"]
    ran = subprocess.run(words, cwd=tmp_path, env=os.environ | more, capture_output=True, text=True, timeout=280)
    assert ran.returncode == 0, ran.stderr
    if os.environ.get("TOOLJUDGE_DOCS") == "write":
        PAGE.write_text(page[: block.start("text")] + ran.stdout + page[block.end("text") :], encoding="utf-8")
    else:
        assert ran.stdout == block["text"]
