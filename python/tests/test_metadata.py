"""What the installed wheel says of itself."""

from importlib.metadata import distribution


def test_a_package_index_has_all_that_it_shows() -> None:
    installed = distribution("tooljudge")
    said = installed.metadata
    assert said["Summary"] and said["License-Expression"] == "MIT OR Apache-2.0"
    assert "The tooljudge developers" in (said["Author"] or said["Author-Email"])
    assert len(said["Keywords"].split(",")) >= 5
    assert "Typing :: Typed" in said.get_all("Classifier")
    assert said["Description-Content-Type"].startswith("text/markdown")
    described = said["Description"] or said.get_payload()
    assert described.startswith("# tooljudge for Python")
    # No address stands there before there is one.
    assert said["Home-Page"] is None and said.get_all("Project-URL") is None


def test_licences_go_with_it() -> None:
    installed = distribution("tooljudge")
    names = {path.name for path in installed.files or () if "licenses" in path.parts}
    assert {"LICENSE-MIT", "LICENSE-APACHE", "THIRD_PARTY.txt"} <= names
    assert all(path.locate().stat().st_size > 500 for path in installed.files or () if path.name in names)
