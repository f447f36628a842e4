#!/usr/bin/env python3
"""Writes numbers.tsv, the words that numbers are composed of, from the spell-out rules of CLDR.

    python3 core/languages/numbers.py [FOLDER]            writes numbers.tsv and ../tests/numbers/spelled.tsv
    python3 core/languages/numbers.py --check [FOLDER]    fails if they are not what it would write

FOLDER is an unpacked `cldr-rbnf` of npm; without one it is fetched with `npm pack`. What the rules leave out, or have wrong,
is added by hand below (`OWN`, `EXTRA`). A form is left out where the others compose it: `compose` does what
`core/src/reading/spelled.rs` does.
"""

import json
import random
import re
import subprocess
import sys
import tempfile
import unicodedata
from pathlib import Path

HERE = Path(__file__).parent
TABLE = HERE / "numbers.tsv"
SPELLED = HERE.parent / "tests" / "numbers" / "spelled.tsv"
PACKAGE = "cldr-rbnf@48.2.0"
# Files whose name is not the language's code.
FILES = {"tl": "fil"}

def rules(units, rest):
    return {"%spellout-cardinal": [[str(n), f"{word};"] for n, word in enumerate(units.split())]
            + [pair.split(" = ") for pair in rest.split("; ")]}


# Basque has no rules in CLDR, and those of Slovenian are half Croatian: these are ours, in the same form.
OWN = {
    "eu": rules(
        "zero bat bi hiru lau bost sei zazpi zortzi bederatzi hamar hamaika hamabi hamahiru hamalau hamabost hamasei hamazazpi "
        "hemezortzi hemeretzi",
        "20/20 = hogei[ta →→]; 40/20 = berrogei[ta →→]; 60/20 = hirurogei[ta →→]; 80/20 = laurogei[ta →→]; 100 = ehun[ eta →→]; "
        "200 = berrehun[ eta →→]; 300 = hirurehun[ eta →→]; 400 = laurehun[ eta →→]; 500 = bostehun[ eta →→]; "
        "600 = seiehun[ eta →→]; 700 = zazpiehun[ eta →→]; 800 = zortziehun[ eta →→]; 900 = bederatziehun[ eta →→]; "
        "1000 = mila[ →→]; 2000/1000 = ←← mila[ →→]; 1000000 = milioi bat[ →→]; 2000000/1000000 = ←← milioi[ →→]; "
        "1000000000 = mila milioi[ →→]; 2000000000/1000000 = ←← milioi[ →→]"),
    "sl": rules(
        "nič ena dva tri štiri pet šest sedem osem devet deset enajst dvanajst trinajst štirinajst petnajst šestnajst sedemnajst "
        "osemnajst devetnajst",
        "20 = [→→in]dvajset; 30 = [→→in]trideset; 40 = [→→in]štirideset; 50 = [→→in]petdeset; 60 = [→→in]šestdeset; "
        "70 = [→→in]sedemdeset; 80 = [→→in]osemdeset; 90 = [→→in]devetdeset; 100 = sto[ →→]; 200 = dvesto[ →→]; "
        "300 = ←←sto[ →→]; 1000 = tisoč[ →→]; 2000/1000 = ←← tisoč[ →→]; 1000000 = milijon[ →→]; "
        "2000000/1000000 = ←← $(cardinal,two{milijona}few{milijone}other{milijonov})$[ →→]; 1000000000 = milijarda[ →→]; "
        "2000000000/1000000000 = ←← $(cardinal,two{milijardi}few{milijarde}other{milijard})$[ →→]"),
}

# By hand: `20` names a number, `x1000` multiplies what stands before it, `+` joins.
EXTRA = {
    "ar": {"2": "اثنان, اثنين, اثنتان, اثنتين", "20": "عشرين", "30": "ثلاثين", "40": "أربعين", "50": "خمسين", "60": "ستين",
           "70": "سبعين", "80": "ثمانين", "90": "تسعين", "100": "مئة", "x100": "مئة, ميه", "200": "مئتان, مئتين, مائتين",
           "300": "ثلاثمئة, ثلاثمائة", "400": "أربعمئة, أربعمائة", "500": "خمسمئة, خمسمائة", "600": "ستمئة, ستمائة",
           "700": "سبعمئة, سبعمائة", "800": "ثمانمئة, ثمانمائة", "900": "تسعمئة, تسعمائة", "x1000": "ألفا", "2000": "ألفان",
           "x1000000": "ملايين", "2000000": "مليونان, مليونين", "x1000000000": "مليارات, بليون", "8": "ثماني"},
    "ca": {"x12": "dotzena, dotzenes"},
    "cs": {"x12": "tucet, tucty", "1.5": "půldruhého"},
    "cy": {"20": "ugain", "11": "unarddeg, un ar ddeg", "12": "deuddeg", "15": "pymtheg", "18": "deunaw", "40": "deugain",
           "60": "trigain", "50": "hanner cant", "x100": "chant, gant", "x1000": "fil", "x1000000": "filiwn"},
    "da": {"50": "halvtredsindstyve", "1.5": "halvanden, halvandet", "x12": "dusin", "x1000": "tusinde"},
    "de": {"1.5": "anderthalb, eineinhalb, anderthalbe", "2.5": "zweieinhalb", "3.5": "dreieinhalb", "x12": "dutzend",
           "2": "zwo", "1": "einem", "x1000000": "mio", "x1000000000": "mrd"},
    "el": {"100": "εκατόν", "90": "ενενήντα", "x1000": "χιλιάδες", "7": "εφτά", "8": "οχτώ", "9": "εννέα, εννιά", "19": "δεκαεννέα, δεκαεννιά",
           "17": "δεκαεφτά", "18": "δεκαοχτώ", "1": "μια", "x12": "ντουζίνα, ντουζίνες"},
    "es": {"100": "ciento", "x12": "docena, docenas"},
    "et": {"x12": "tosin, tosinat", "1.5": "poolteist", "100": "sada"},
    "fa": {"100": "یکصد", "x12": "دوجین"},
    "fi": {"1.5": "puolitoista", "x12": "tusina, tusinaa", "2": "kaks", "1": "yks"},
    "fr": {"70": "septante", "80": "huitante, octante, quatre-vingt", "90": "nonante", "x12": "douzaine, douzaines", "10": "dizaine",
           "15": "quinzaine", "20": "vingtaine", "50": "cinquantaine", "100": "centaine"},
    "ga": {"1": "aon", "2": "dhá", "8": "ocht", "4": "ceithre", "x100": "céad, chéad, gcéad", "x1000": "míle, mhíle", "x1000000": "milliún, mhilliún",
           "x1000000000": "billiún", "x12": "dosaen", "+": "is, a, is a"},
    "he": {"2": "שתים, שני", "x100": "מאות", "x1000": "אלפים", "+": "ו", "x12": "תריסר"},
    "hi": {"x100": "सौ", "x1000": "हज़ार, हजार", "x100000": "लाख", "x10000000": "करोड़, करोड", "x1000000000": "अरब",
           "1.5": "डेढ़", "6": "छः, छै", "18": "अट्ठारह", "2.5": "ढाई", "x12": "दर्जन"},
    "hr": {"2": "dvoje", "x1000": "hiljada, hiljade, hiljadu, tisuća", "x12": "tucet, tuceta", "x1000000": "milijun, milijuna"},
    "hu": {"1.5": "másfél", "x12": "tucat"},
    "id": {"x12": "lusin", "1.5": "satu setengah", "100": "seratus", "1000": "seribu", "1000000": "sejuta", "x1000": "rb", "x1000000": "jt"},
    "it": {"x12": "dozzina, dozzine", "x100": "cent", "100": "cent"},
    "ja": {"x10000": "萬", "x100000000": "億", "x12": "ダース"},
    "ko": {"20": "스무", "x10000": "만", "x100000000": "억"},
    "lt": {"x12": "tuzinas, tuzinai, tuzinų", "1.5": "pusantro", "x100": "šimtų", "x1000": "tūkst"},
    "lv": {"100": "simts", "x100": "simti, simtus", "x12": "ducis, duči", "1.5": "pusotra", "2": "divas", "4": "četras"},
    "ms": {"x12": "dozen", "100": "seratus", "1000": "seribu", "1000000": "sejuta"},
    "nl": {"1.5": "anderhalf, anderhalve", "x12": "dozijn", "1": "één"},
    "no": {"1.5": "halvannen, halvannet", "x12": "dusin", "7": "syv", "20": "tyve", "30": "tredve"},
    "pl": {"1.5": "półtora, półtorej", "x12": "tuzin, tuziny", "x1000": "tys", "x1000000": "mln", "x1000000000": "mld",
           "2": "dwoje, dwóch", "3": "trzech", "4": "czterech"},
    "pt": {"100": "cento", "x12": "dúzia, dúzias", "14": "catorze, quatorze", "16": "dezesseis", "17": "dezessete", "19": "dezenove",
           "x1000000": "milhões", "x1000000000": "bilhões"},
    "ro": {"1": "o", "100": "o sută", "1000": "o mie", "x12": "duzină, duzini", "60": "șaizeci", "20": "douăzeci", "16": "șaisprezece",
           "14": "paisprezece", "1000000": "un milion", "1000000000": "un miliard"},
    "ru": {"x12": "дюжина, дюжины, дюжин", "1.5": "полтора, полторы, полутора", "x1000": "тыс", "x1000000": "млн",
           "x1000000000": "млрд", "2": "двое", "3": "трое", "10": "десяток"},
    "sk": {"x12": "tucet", "100": "sto", "1.5": "poldruha"},
    "sl": {"1": "en, eden, eno", "2": "dve", "3": "trije", "4": "štirje", "x1000": "tisočev", "x1000000": "milijoni",
           "x12": "ducat", "1.5": "poldrugi"},
    "sq": {"x12": "duzinë, duzina"},
    "sv": {"1": "ett, en", "1000": "tusen, ettusen", "x12": "dussin", "1.5": "halvannan", "3": "tre", "4": "fyra", "x1000": "tusen"},
    "sw": {"100000": "laki"},
    "th": {"20": "ยี่สิบ", "1": "เอ็ด", "x12": "โหล"},
    "tl": {"x10": "pu", "10": "sampu", "20": "dalawampu", "30": "tatlumpu", "40": "apatnapu", "50": "limampu", "60": "animnapu",
           "70": "pitumpu", "80": "walumpu", "90": "siyamnapu", "11": "labing-isa, labing isa", "12": "labindalawa",
           "13": "labintatlo", "14": "labing-apat", "15": "labinlima", "16": "labing-anim", "17": "labimpito", "18": "labingwalo",
           "19": "labinsiyam", "100": "sandaan, isang daan", "1000": "sanlibo, isang libo", "x100": "daan, raan, na raan",
           "x1000": "libo, libong", "x12": "dosena", "+": "at, t"},
    "tr": {"1.5": "bir buçuk, birbuçuk", "x12": "düzine"},
    "uk": {"x12": "дюжина, дюжини, дюжин", "1.5": "півтора, півтори", "x1000": "тис", "x1000000": "млн", "x1000000000": "млрд",
           "2": "двоє", "10": "десяток"},
    "vi": {"x1000": "ngàn", "x100": "trăm", "x12": "tá", "1.5": "một rưỡi", "x1000000000": "tỉ", "x10": "chục", "+": "linh, lẻ, không trăm, không trăm linh, không trăm lẻ",
           "24": "hai mươi bốn", "0": "không"},
    "zh": {"+": "零", "2": "两, 兩, 俩", "x10000": "萬", "x100000000": "億", "3": "仨", "x12": "打"},
}

# Words of the rules that say something else far more often.
LEFT_OUT = {"cy": "dim", "ga": "náid"}

# Forms that say something else where they stand alone: they count only beside others.
WEAK = {
    "ca": "u",
    "hr": "sto", "fa": "نه, سی, ده", "ja": "百, 千, 万, 億, 兆, 萬", "zh": "百, 千, 万, 亿, 兆, 萬, 億, 零, 打",
    "ko": "일, 이, 삼, 사, 오, 육, 칠, 팔, 구, 영, 공, 십, 백, 천, 만, 억, 조",
    "th": "พัน, สี่, หก, ร้อย, ล้าน, แสน, หมื่น", "ro": "o", "tl": "t, at",
}

CATEGORIES = ("one", "two", "few", "many", "other", "zero")
SCALES = (10, 100, 10**3, 10**4, 10**5, 10**6, 10**7, 10**8, 10**9, 10**12)
# Languages whose scales stand before what they multiply.
SCALE_FIRST = {"sw"}


class Rules:
    """Spell-out rules of a language, read forwards."""

    def __init__(self, groups):
        self.sets = {name: sorted(filter(None, map(self.rule, rules)), key=lambda rule: rule[0])
                     for name, rules in groups.items() if name.startswith("%")}
        self.public = [name for name in self.sets
                       if re.match("%spellout-(numbering|cardinal|construct)", name) and not re.search("year|days|ordinal", name)]

    @staticmethod
    def rule(rule):
        key, body = rule
        match = re.fullmatch(r"(\d+)(?:/(\d+))?(>*)", key)
        if not match:
            return None
        base, radix, power = int(match[1]), int(match[2] or 10), 0
        while base and radix ** (power + 1) <= base:
            power += 1
        return base, radix ** max(0, power - len(match[3])), body.rstrip(";").removeprefix("'")

    def say(self, n, name, category, depth=0):
        if depth > 25:
            raise ValueError(name)
        rules = self.sets[name]
        at = max(at for at, rule in enumerate(rules) if rule[0] <= n)
        base, divisor, body = rules[at]
        if "→" in body and n % divisor == 0 and base % divisor and at > 0:
            base, divisor, body = rules[at - 1]
        body = re.sub(r"\[([^\]|]*)(?:\|([^\]]*))?\]", lambda m: m[1] if n % divisor else m[2] or "", body)
        forms = lambda m: dict(re.findall(r"(\w+)\{([^}]*)\}", m[1]))
        body = re.sub(r"\$\(cardinal,(.*?)\)\$", lambda m: forms(m).get(category or plural(n // divisor), forms(m).get("other", "")), body)

        def part(match):
            operator, name_of_part = match[0][0], match[0][1:-1].strip("→")
            value = {"←": n // divisor, "→": n % divisor, "=": n}[operator]
            if name_of_part and not name_of_part.startswith("%"):
                raise ValueError("digits")
            return self.say(value, name_of_part or name, category, depth + 1)

        return re.sub(r"←[^←]*←|→→→|→[^→]*→|=[^=]*=", part, body)

    def forms(self, n, categories=CATEGORIES):
        """All ways to say a number."""
        said = {}
        for name in self.public:
            for category in categories:
                try:
                    said[clean(self.say(n, name, category))] = None
                except ValueError:
                    pass
        return list(said)


def plural(n):
    if n in (1, 2):
        return CATEGORIES[n - 1]
    return "few" if n % 10 in (2, 3, 4) and n % 100 not in (12, 13, 14) else "many"


def clean(text):
    text = unicodedata.normalize("NFC", text).lower().replace("\u02bc", "'")
    return re.sub(r"[\u00ad\u200b\u2060,]", "", text).strip()


def fold(text):
    """As `fold` of core/src/reading/words.rs, as far as words of numbers need it."""
    folded, last = " ", "gap"
    for c in text.lower():
        code = ord(c)
        if c in "'’\u00ad\u200b\u200c" or 0x300 <= code <= 0x36F:
            continue
        if 0x3040 <= code <= 0x30FF or 0x3400 <= code <= 0x9FFF:
            kind = "ideograph"
        elif c.isalpha() or unicodedata.category(c)[0] == "M" or unicodedata.category(c) == "Nl":
            kind = "letter"
        else:
            kind = "gap"
        if kind != "gap":
            if (kind != last or kind == "ideograph") and not folded.endswith(" "):
                folded += " "
            special = {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ı": "i", "ł": "l", "đ": "d"}
            plain = unicodedata.normalize("NFD", c)
            latin = code < 0x180 or c in "șț"
            folded += special.get(c) or (plain[0] if latin else c)
        last = kind
    return folded.strip()


class Words:
    """The words of a language that numbers are composed of."""

    def __init__(self, code):
        self.code = code
        self.values, self.scales, self.joins = {}, {}, set()
        self.listed = {}

    def add(self, key, form):
        folded = fold(form)
        if not folded or form in LEFT_OUT.get(self.code, "").split():
            return
        if key == "+":
            if folded in self.joins:
                return
            self.joins.add(folded)
        else:
            table, number = (self.scales, float(key[1:])) if key.startswith("x") else (self.values, float(key))
            if folded in table:
                return
            table[folded] = number
        self.listed.setdefault(key, []).append(form)

    def read(self, text):
        """The number that a whole text is."""
        text = fold(text) + " "
        longest = max(map(len, [*self.values, *self.scales, *self.joins, ""]))
        seen = 0

        def go(at, state, joined):
            nonlocal seen
            seen += 1
            if seen > 3000:
                return None
            if at == len(text) and not joined and state:
                return finish(state)
            gap = text[at:at + 1] == " "
            start = at + gap
            if start == len(text) and not joined and state:
                return finish(state)
            for end in range(min(len(text), start + longest), start, -1):
                piece = text[start:end]
                attached = joined == "join" and not gap
                for value in (self.values.get(piece), ("x", self.scales[piece]) if piece in self.scales else None):
                    after = None if value is None else compose(state, value, attached, self.code in SCALE_FIRST)
                    if after is not None:
                        found = go(end, after, "")
                        if found is not None:
                            return found
                if piece in self.joins and state and not joined:
                    found = go(end, state, "join")
                    if found is not None:
                        return found
            return None

        return go(0, (), "")


def place(number):
    """The place of the last digit that is not zero."""
    power = 1
    while number and number % (power * 10) == 0:
        power *= 10
    return power


def finish(state):
    return sum(close(state))


def close(state):
    """Of scales that stand before what they multiply."""
    for at, part in enumerate(state):
        if isinstance(part, tuple):
            return (*state[:at], part[1] * (sum(state[at + 1:]) or 1))
    return state


def compose(state, value, attached, scale_first):
    """What stands behind `state` once a word follows, or None where none can: terms of falling places."""
    if isinstance(value, tuple) and scale_first and value[1] >= 1000:
        state = close(state)
        return (*state, value) if not state or place(state[-1]) >= value[1] else None
    if isinstance(value, tuple):
        scale = value[1]
        at = len(state)
        while at and not isinstance(state[at - 1], tuple) and state[at - 1] < scale:
            at -= 1
        count = sum(state[at:])
        if at == len(state):
            if scale < 100:
                return None
            count = 1
        value, state = count * scale, state[:at]
    if not state or isinstance(state[-1], tuple):
        return (*state, value)
    if value == 0:
        return None
    last = state[-1]
    if attached and last in range(1, 10) and value in range(20, 100, 10) and (len(state) == 1 or place(state[-2]) > value):
        return (*state[:-1], last + value)
    if value < place(last):
        return (*state, value)
    return compose(close(state), value, attached, scale_first) if any(isinstance(part, tuple) for part in state) else None


def joins_of(rules):
    """The words between the parts of a number."""
    forms = lambda n: [clean(rules.say(n, rules.public[0], None))]
    said = {n: forms(n) for n in [*range(1, 100), *range(100, 1000, 100), *range(1000, 10000, 1000)]}
    found = {}
    for whole, part in [(ten, one) for ten in range(20, 100, 10) for one in range(1, 10)] + \
            [(hundred, one) for hundred in (100, 200, 1000) for one in (1, 2, 5, 9, 11, 20, 25, 90, 200) if one < hundred]:
        for text in forms(whole + part):
            for first, second in ((whole, part), (part, whole)):
                for a in said[first]:
                    for b in said[second]:
                        if text.startswith(a) and text.endswith(b) and len(text) > len(a) + len(b):
                            between = text[len(a):len(text) - len(b)]
                            ending = between.endswith(" ") and not between.startswith(" ")
                            if re.search(r"\w", between) and len(between.strip(" -")) < 5 and not ending:
                                found.setdefault(between.strip(" -"), set()).add(whole + part)
    return [word for word, numbers in found.items() if len(numbers) > 2]


def words_of(code, rules):
    words = Words(code)
    for key, forms in EXTRA.get(code, {}).items():
        for form in forms.split(", "):
            words.add(key, form)
            for other in variants(code, form):
                words.add(key, other)
    for word in joins_of(rules):
        if not words.read(word):
            words.add("+", word)

    def need(n, form):
        """Adds what it takes to read a form of `n`."""
        for form in (form, *variants(code, form)):
            if words.read(form) == n:
                continue
            if n >= 10:
                for scale in reversed(SCALES):
                    if n % scale or n // scale >= (10 if scale == 10 else 1000) or n == scale or code in SCALE_FIRST and scale < 1000:
                        continue
                    for count in rules.forms(n // scale):
                        rest = form.removeprefix(count).strip(" -") if form.startswith(count) else \
                            form.removesuffix(count).strip(" -") if code in SCALE_FIRST and form.endswith(count) else ""
                        if rest and rest != form and words.read(count) == n // scale and words.read(rest) in (None, scale) \
                                and fold(rest) not in words.joins:
                            words.add(f"x{scale}", rest)
                if words.read(form) == n:
                    continue
                if n in SCALES[1:] and not (code in SCALE_FIRST and n < 1000):
                    ones = [one for one in rules.forms(1) if form.startswith(one) and form != one]
                    rest = form.removeprefix(max(ones, key=len, default="")).strip(" -")
                    if " " not in rest:
                        words.add(f"x{n}", rest)
                if words.read(form) == n:
                    continue
            words.add(str(n), form)

    for n in [*range(20), *range(20, 100, 10), *range(21, 100)]:
        for form in rules.forms(n):
            need(n, form)
    for scale in SCALES[1:]:
        for count in (2, 3, 4, 5, 6, 7, 8, 9, 1, 10, 11, 12, 20, 21, 25):
            if scale > 100 or count < 10:
                for form in rules.forms(count * scale):
                    need(count * scale, form)
    if code == "ga":
        # The scale stands between the parts of these.
        for count in range(11, 20):
            for scale in (1000, 10**6):
                for form in rules.forms(count * scale):
                    words.add(str(count * scale), form)
    return words


def variants(code, form):
    """The same word as many write it."""
    if code == "ru":
        yield form.replace("ё", "е")
    if code == "ar":
        yield re.sub("[أإآ]", "ا", form)
    if code == "fa":
        yield form.replace("ی", "ي").replace("ک", "ك")
    if code == "hi":
        yield form.replace("\u093c", "")
        yield form.replace("ँ", "ं")
        yield re.sub("न्(?=[दत])", "ं", form)
    if code == "ga":
        yield form.removeprefix("a ")


def samples(rules, code):
    """Numbers of all sizes and how they are said."""
    rng = random.Random(code)
    numbers = [rng.randrange(100) for _ in range(20)] + [rng.randrange(100, 10_000) for _ in range(20)]
    numbers += [rng.randrange(10**4, 10**6) for _ in range(8)] + [rng.randrange(1, 1000) * 10 ** rng.randrange(3, 8) for _ in range(12)]
    for n in numbers:
        forms = [form for form in rules.forms(n, (None,)) if form not in WEAK.get(code, "").split(", ")]
        if forms:
            yield n, rng.choice(forms)


def rules_of(folder, code):
    if code in OWN:
        return Rules(OWN[code])
    path = folder / "rbnf" / f"{FILES.get(code, code)}.json"
    return Rules(json.loads(path.read_text(encoding="utf-8"))["rbnf"]["rbnf"]["SpelloutRules"])


def written(folder):
    table, spelled = ["# Written by numbers.py from the spell-out rules of Unicode CLDR, whose licence is in LICENSE-UNICODE.\n"], []
    for path in sorted(HERE.glob("*.toml")):
        code = path.stem
        rules = rules_of(folder, code)
        if code == "en":
            # Its words stand in en.toml.
            spelled += [f"{code}\t{n}\t{text}\n" for n, text in samples(rules, code)]
            continue
        words = words_of(code, rules)
        keys = sorted(words.listed, key=lambda key: (key == "+", key[0] == "x", float(key.strip("+x") or 0)))
        lines = [f"{code}\t{key}\t{', '.join(words.listed[key])}\n" for key in keys]
        if code in WEAK:
            lines.append(f"{code}\t?\t{WEAK[code]}\n")
        table += lines
        spelled += [f"{code}\t{n}\t{text}\n" for n, text in samples(rules, code)]
        if "-v" in sys.argv:
            bad = [(n, t, words.read(t)) for n, t in samples(rules, code) if words.read(t) != n]
            print(code, sum(map(len, lines)), len(bad), bad[:4], words.listed.get("+"))
    return {TABLE: "".join(table), SPELLED: "".join(spelled)}


def main():
    folders = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    with tempfile.TemporaryDirectory() as fetched:
        if not folders:
            subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=fetched, check=True, stdout=subprocess.DEVNULL)
            subprocess.run("tar xf *.tgz", cwd=fetched, shell=True, check=True)
        files = written(Path(folders[0] if folders else Path(fetched) / "package"))
    if "--check" in sys.argv:
        stale = [str(path) for path, text in files.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
        sys.exit(f"not what numbers.py writes: {', '.join(stale)}" if stale else 0)
    for path, text in files.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
