"""The built-in judge that labels by evidence only, from Python."""

from conftest import ROOT

import tooljudge as tj

ROWS = str(ROOT / "datasets" / "quickstart.csv")


def test_rows_without_evidence_keep_their_probability():
    rows = tj.label(ROWS, decide="evidence", max_abstained=0.9).to_dicts()
    open_rows = [row for row in rows if row["label"] is None]
    assert 0 < len(open_rows) < len(rows)
    for row in open_rows:
        assert row["status"] == "abstained" and row["error"].startswith("no_evidence: ")
        assert 0 <= row["p_correct"] <= 1 and row["confidence"] is None
    always = tj.label(ROWS, decide="always", base_rate=0.9).to_dicts()
    assert [row["p_correct"] for row in always] == [row["p_correct"] for row in rows]
