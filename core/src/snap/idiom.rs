//! Idioms whose effect differs from that of their words: `no doubt` denies nothing, `far from` does.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::class::Class;
use super::faultless::faultless;
use super::token::Token;

/// Idioms, one a line, and what their first word does; the words behind it then do nothing.
const IDIOMS: &[(Class, &str)] = &[
    (
        Class::Condition,
        "de ser
        de haber
        a no ser
        a não ser
        à condition
        a condición
        a condizione
        op voorwaarde
        unter der voraussetzung
        pod warunkiem",
    ),
    (
        Class::Negation,
        "far from
        alles andere als
        weit davon entfernt
        dista mucho de
        lejos de
        loin de
        loin d'être
        lontano dall'essere
        lontana dall'essere
        longe de
        verre van
        långt ifrån
        langt fra
        anything but
        by no means
        by no stretch
        in no way
        wrong to
        a mistake to
        a stretch to
        inaccurate to
        unfair to
        under no circumstances
        less than
        short of
        fails to be
        failed to be
        can not
        not at all
        not in any way
        no way
        nothing about
        nothing in
        nothing with
        no part of
        not a single
        none of the
        ikke på nogen måde
        tout sauf
        ninguna de las
        ninguno de los
        nenhuma das
        nenhum dos
        nessuna delle
        nessuno dei
        inget av
        ingen av
        todo menos
        tutto tranne
        tutt'altro che
        tudo menos
        allt annat än
        alt annet enn
        wszystko tylko nie
        dista de
        n'est pas
        n'était pas
        auf keinen fall
        en aucun cas
        pas du tout",
    ),
    (
        Class::Partial,
        "not quite
        not entirely
        not fully
        not completely
        not totally
        not wholly
        not perfectly
        not exactly
        not strictly
        not 100
        not all
        not every
        not each
        not both
        isn't quite
        isn't entirely
        isn't fully
        isn't completely
        isn't exactly",
    ),
    // What these deny is not the rail, or not surely.
    (
        Class::Unclear,
        "nicht unbedingt
        nicht zwingend
        nicht notwendigerweise
        non necessariamente
        no necesariamente
        não necessariamente
        pas nécessairement
        pas forcément
        niet noodzakelijk
        niet per se
        niekoniecznie
        inte nödvändigtvis
        bis auf
        not only
        not just
        not merely
        not simply
        not necessarily
        not always
        not yet
        not obviously
        not clearly
        not definitely
        not certainly
        not sure
        not certain
        not convinced
        not clear
        not obvious
        not evident
        not so much
        not that
        not as
        not more
        not less
        not one
        not really
        not ready
        not known
        not called",
    ),
    (
        Class::Silent,
        "es besteht kein zweifel
        il n'y a pas de doute
        no hay duda
        er is geen twijfel
        no doubt
        no question
        no question about it
        without doubt
        without a doubt
        without any doubt
        without question
        without hesitation
        without reservation
        without exception
        beyond doubt
        beyond any doubt
        no matter what
        if you ask me
        if i may
        has to be changed
        must be changed
        needs to be changed
        changes
        to begin with
        too
        tout à fait
        on so many levels
        at all
        after all
        as it stands
        as far as i can see
        as far as i can tell
        as a whole
        on the whole
        all in all
        all things considered
        taken together
        taken as a whole
        put together
        in total
        in short
        in sum
        in one word
        in a word
        in my view
        in my opinion
        in my judgment
        in my judgement
        to me
        for me
        for this reason
        for that reason
        for these reasons
        in the end
        at the end
        in conclusion
        in summary
        to conclude
        to sum up
        to summarize
        to summarise
        of all this
        zweifellos
        ohne zweifel
        ohne jeden zweifel
        sans aucun doute
        sans doute possible
        sin duda
        sem dúvida
        senza dubbio
        bez wątpienia
        zonder twijfel
        не сомневаюсь",
    ),
    (
        Class::Verb,
        "would call
        i'd call
        to call
        call it
        call this
        call that
        settle on
        settle for
        settled on
        going with
        go with
        going for
        go for
        end up with
        end up at
        ended up with
        opt for
        vote for
        stick with
        stick to
        stay with
        put it down as
        put this down as
        put that down as
        change it to
        change this to
        change that to
        changed it to
        revise it to
        regard it as
        put it as",
    ),
    (
        Class::Cue,
        "changed to
        changing it to
        changing this to
        changing to
        changing my answer to
        changing my verdict to
        changing my label to
        change my answer to
        change my verdict to
        change my label to
        changed my answer to
        switch my answer to
        switching to
        switching my answer to
        revising my answer to
        revising to
        i retract
        i revise
        i correct myself
        make that
        or rather
        or better",
    ),
    (
        Class::Key,
        "my word
        my single word
        my one word
        my choice
        my pick
        my vote
        i choose
        i pick
        i chose",
    ),
    (
        Class::Copula,
        "made a
        made an
        make a
        make an
        makes a
        makes an
        issued a
        issued an",
    ),
    (
        Class::Subject,
        "agent's decision
        agent's action
        agent's behaviour
        agent's behavior",
    ),
    (
        Class::Conclusion,
        "in the light of this
        i'd say
        i would say
        i say
        así que
        vì vậy
        vì thế
        do đó
        oleh karena itu
        bu nedenle
        bu yüzden
        par conséquent
        por lo tanto
        por tanto
        por eso
        por isso
        pour cette raison
        aus diesem grund
        om die reden
        z tego powodu
        таким образом
        decides the matter
        settles the matter
        decides it
        settles it
        applies here
        that makes it
        this makes it
        that makes this
        that makes the call
        this makes the call
        that makes the tool call
        this makes the tool call
        what remains is
        which makes it
        which makes this
        which makes the call
        which makes the tool call",
    ),
];

type Entries = Vec<(Vec<&'static str>, Class)>;

static BY_FIRST: LazyLock<HashMap<&str, Entries>> = LazyLock::new(|| {
    let mut all: HashMap<&str, Entries> = HashMap::new();
    for (class, lines) in IDIOMS {
        for line in lines.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            all.entry(words[0]).or_default().push((words, *class));
        }
    }
    // The longest first.
    all.values_mut().for_each(|idioms| idioms.sort_by_key(|(words, _)| std::cmp::Reverse(words.len())));
    all
});

/// Gives the words of idioms what they do together.
pub(super) fn join(tokens: &mut [Token]) {
    let mut at = 0;
    while at < tokens.len() {
        at += match idiom(&tokens[at..]) {
            Some((class, length)) => {
                tokens[at].class = class;
                tokens[at + 1..at + length].iter_mut().for_each(|token| token.class = Class::Silent);
                length
            }
            None => 1,
        };
    }
}

/// The idiom that `tokens` begin with, and how many of them it is.
fn idiom(tokens: &[Token]) -> Option<(Class, usize)> {
    let idioms = BY_FIRST.get(tokens[0].word()).map(Vec::as_slice).unwrap_or_default();
    let follows = |words: &[&str]| {
        tokens.len() >= words.len() && words.iter().zip(tokens).all(|(word, token)| token.word() == *word)
    };
    let known = idioms.iter().find(|(words, _)| follows(words)).map(|(words, class)| (*class, words.len()));
    known.or_else(|| Some((Class::Silent, faultless(tokens)?)))
}
