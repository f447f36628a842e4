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


def test_what_is_settled_first_is_not_asked():
    asked = []

    def lenient(prompts):
        asked.extend(prompts)
        return ["correct"] * len(prompts)

    evidence = tj.label(ROWS, decide="evidence", max_abstained=0.9).to_dicts()
    rows = tj.label(ROWS, judge=lenient, first="builtin").to_dicts()
    settled = [row for row in rows if row["judge"] == "builtin"]
    assert len(asked) == len(rows) - len(settled)
    assert {row["id"]: row["label"] for row in settled} == {
        row["id"]: row["label"] for row in evidence if row["label"] is not None
    }
    assert {row["label"] for row in rows if row["judge"] == "lenient"} == {"correct"}
