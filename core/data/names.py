#!/usr/bin/env python3
"""Writes names.tsv: what the languages of core/languages/ call countries, currencies, languages, time zones, weekdays and months.

    names.py [FOLDER]            fetches the packages of the Unicode CLDR with `npm pack`, or reads them unpacked in FOLDER
    names.py --check [FOLDER]    fails if names.tsv is not what would be written
"""

import json
import subprocess
import sys
import tarfile
import tempfile
import unicodedata
from pathlib import Path

VERSION = "48.2.0"
PACKAGES = ["cldr-core", "cldr-bcp47", "cldr-localenames-full", "cldr-numbers-full", "cldr-dates-full"]
HERE = Path(__file__).resolve().parent
# English first: a row begins with the English name.
LOCALES = ["en"] + sorted(path.stem for path in HERE.parent.joinpath("languages").glob("*.toml") if path.stem != "en")
OTHER_NAME = {"tl": "fil"}
DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

# Languages that people ask for; the rest would only add names that are also other words.
LANGUAGES = """
    en de fr es it pt nl sv da no nb nn fi is et lv lt pl cs sk sl hr sr bs mk bg ro hu el tr ru uk be kk uz az hy ka he ar fa ur hi bn
    pa gu mr ta te ne th vi id ms fil zh zh-Hans zh-Hant ja ko mn sw am af sq ga cy eu ca gl la""".split()
CURRENCIES = """
    USD EUR GBP JPY CNY CHF CAD AUD NZD SEK NOK DKK ISK PLN CZK HUF RON BGN RSD UAH RUB TRY ILS AED SAR QAR KWD BHD EGP MAD ZAR NGN
    KES GHS INR PKR BDT LKR THB VND IDR MYR SGD PHP HKD TWD KRW BRL MXN ARS CLP COP PEN""".split()
# These languages' names are kept; of small places only the names in the first ten, and the other languages' for large countries.
MAIN = "en de fr es it pt nl pl ru uk cs hu tr el ar he fa hi zh ja ko vi th sv da no fi ro id".split()
LARGE = 5_000_000
SMALL = 2_000_000
# Zones of places that nobody writes about outside of lists of zones.
SKIPPED_ZONES = ("Antarctica/", "America/Indiana/", "America/Kentucky/", "America/North_Dakota/", "Etc/", "Arctic/", "SystemV/")


def main():
    arguments = sys.argv[1:]
    check = "--check" in arguments
    folder = next((Path(own) for own in arguments if own != "--check"), None)
    with tempfile.TemporaryDirectory() as temporary:
        text = table(folder or fetched(Path(temporary)))
    path = HERE / "names.tsv"
    if not check:
        path.write_text(text, encoding="utf-8")
    elif path.read_text(encoding="utf-8") != text:
        sys.exit("names.tsv is not what names.py writes")


def fetched(folder):
    for package in PACKAGES:
        subprocess.run(["npm", "pack", "--silent", f"{package}@{VERSION}"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        with tarfile.open(folder / f"{package}-{VERSION}.tgz") as archive:
            archive.extractall(folder / package, filter="data")
        (folder / package / "package").rename(folder / "inner")
        (folder / package).rmdir()
        (folder / "inner").rename(folder / package)
    return folder


def table(cldr):
    def of(package, locale, file):
        return read(cldr / package / "main" / OTHER_NAME.get(locale, locale) / file)["main"][OTHER_NAME.get(locale, locale)]

    rows = {}

    def add(kind, key, name):
        rows.setdefault((kind, key), []).append(name)

    codes = read(cldr / "cldr-core/supplemental/codeMappings.json")["supplemental"]["codeMappings"]
    longer = {}
    for long, own in read(cldr / "cldr-core/supplemental/aliases.json")["supplemental"]["metadata"]["alias"]["languageAlias"].items():
        if len(long) == 3 and own["_replacement"] in LANGUAGES:
            longer.setdefault(own["_replacement"], []).append(long)
    zones = zones_and_countries(cldr)
    people = read(cldr / "cldr-core/supplemental/territoryInfo.json")["supplemental"]["territoryInfo"]
    people = {country: int(own["_population"]) for country, own in people.items()}
    # The zone that stands for others, in the world or in a large country.
    windows = read(cldr / "cldr-core/supplemental/windowsZones.json")["supplemental"]["windowsZones"]["mapTimezones"]
    windows = [own["mapZone"] for own in windows]
    known = {own["_type"].split()[0] for own in windows if own["_territory"] == "001" or people.get(own["_territory"], 0) > LARGE}
    for locale in LOCALES:
        main = locale in MAIN
        names = of("cldr-localenames-full", locale, "territories.json")["localeDisplayNames"]["territories"]
        for code, name in names.items():
            country = code.split("-alt-")[0]
            least = SMALL if main else LARGE
            if locale not in MAIN[:10] and people.get(country, 0) < least or country in ("EU", "EZ", "UN", "XA", "XB", "QO", "ZZ"):
                continue
            if len(country) == 2 and country.isalpha():
                add("country", f"{country} {codes.get(country, {}).get('_alpha3', '')}".strip(), name)
        names = of("cldr-localenames-full", locale, "languages.json")["localeDisplayNames"]["languages"]
        for code, name in names.items():
            language = code.split("-alt-")[0]
            if language in LANGUAGES and "-alt-menu" not in code:
                add("language", " ".join([language, *longer.get(language, [])]), name)
        for code, own in of("cldr-numbers-full", locale, "currencies.json")["numbers"]["currencies"].items():
            if code in CURRENCIES and main:
                for what in ("displayName", "displayName-count-other", "displayName-count-many"):
                    # One is called like its code in some language.
                    if own.get(what, code).upper() != code:
                        add("currency", code, own[what])
        names = of("cldr-dates-full", locale, "timeZoneNames.json")["dates"]["timeZoneNames"]["zone"]
        for zone, (country, usual) in zones.items():
            own = names
            for step in zone.split("/"):
                own = own.get(step, {})
            plain = usual.rsplit("/")[-1].replace("_", " ")
            if locale == "en" or main and zone in known:
                add("zone", f"{zone} {usual} {country}", own.get("exemplarCity", plain if locale == "en" else None))
        calendar = of("cldr-dates-full", locale, "ca-gregorian.json")["dates"]["calendars"]["gregorian"]
        for use in ("format", "stand-alone"):
            for width in ("wide", "abbreviated", "short"):
                kind = "" if width == "wide" else "short-"
                for day, name in calendar["days"][use].get(width, {}).items():
                    if not day.endswith("-alt-variant"):
                        add(kind + "weekday", str(DAYS.index(day[:3]) + 1), name)
                for month, name in calendar["months"][use].get(width, {}).items():
                    add(kind + "month", month, name)
    lines = (f"{kind}\t{key}\t{'|'.join(distinct(kind, names))}\n" for (kind, key), names in sorted(rows.items(), key=order))
    return "".join(line for line in lines if not line.endswith("\t\n"))


def order(row):
    (kind, key), _ = row
    return kind, int(key) if key.isdigit() else 0, key


def zones_and_countries(cldr):
    """Each zone as CLDR calls it, with the country of its code and the zone's usual name."""
    zones = {}
    for key, own in read(cldr / "cldr-bcp47/bcp47/timezone.json")["keyword"]["u"]["tz"].items():
        if not key.startswith("_") and not own.get("_deprecated"):
            zone = own["_alias"].split()[0]
            if "/" in zone and not zone.startswith(SKIPPED_ZONES):
                zones[zone] = key[:2].upper(), own.get("_iana", zone)
    return zones


def distinct(kind, names):
    """Names without those that differ from an earlier one by case, accents or punctuation only."""
    seen = set()
    for name in names:
        name = (name or "").strip().rstrip(".")
        # An abbreviation of one or two letters is a word of every other language.
        least = 3 if kind.startswith("short-") or name.isascii() else 2
        key = folded(name)
        if len(key) >= least and key not in seen and not key.isdigit() and not key[0].isdigit():
            seen.add(key)
            yield name.replace("|", " ")


def folded(name):
    plain = unicodedata.normalize("NFD", name.casefold())
    plain = "".join(c for c in plain if not "\u0300" <= c <= "\u036f")
    return "".join(c if c.isalnum() or unicodedata.category(c) in ("Mn", "Mc") else " " for c in plain.translate(LETTERS)).strip()


LETTERS = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ı": "i", "'": None, "’": None, "æ": "ae", "œ": "oe"})


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
