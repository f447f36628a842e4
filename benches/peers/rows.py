"""What all scripts here share: the rows, the prompt, and the table of labels."""

import csv
import sys

URL, IN_FLIGHT = sys.argv[1], int(sys.argv[2])
# Requests per second for those that pace themselves, where they are not left to their default.
START_RATE = int(sys.argv[3]) or None


def template():
    with open("template.txt") as file:
        return file.read()


def rows():
    with open("rows.csv", newline="") as file:
        return list(csv.DictReader(file))


def prompts():
    wording = template()
    return [wording.format(**row) for row in rows()]


def label(text):
    """The first rail in an answer."""
    return next((rail for rail in ("incorrect", "correct") if rail in (text or "")), "")


def write(labels):
    with open("labels.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["label"])
        table.writerows([label] for label in labels)
