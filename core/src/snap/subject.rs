//! The subject of a clause: the call as a whole, what the agent did, or a part of a call.

use super::class::Class;
use super::polarity::attributes;
use super::token::Token;

/// Who may hold another opinion.
pub(super) fn is_person(word: &str) -> bool {
    matches!(
        word,
        "用户"
            | "用戶"
            | "客户"
            | "ユーザー"
            | "사용자"
            | "пользователь"
            | "клиент"
            | "nutzer"
            | "benutzer"
            | "kunde"
            | "client"
            | "cliente"
            | "usuario"
            | "utente"
            | "utilisateur"
            | "gebruiker"
            | "klant"
            | "użytkownik"
            | "klient"
            | "användaren"
            | "brukeren"
            | "käyttäjä"
    )
}

pub(super) fn is_article(word: &str) -> bool {
    matches!(
        word,
        "la" | "le"
            | "les"
            | "der"
            | "die"
            | "das"
            | "el"
            | "il"
            | "lo"
            | "los"
            | "las"
            | "de"
            | "het"
            | "o"
            | "a"
            | "os"
            | "as"
            | "den"
            | "det"
    )
}

/// What calls are made of, in everyday words.
pub(super) fn is_part(word: &str) -> bool {
    matches!(
        word,
        "city"
            | "date"
            | "dates"
            | "time"
            | "amount"
            | "unit"
            | "units"
            | "recipient"
            | "address"
            | "email"
            | "id"
            | "ids"
            | "number"
            | "tool"
            | "function"
            | "destination"
            | "currency"
            | "language"
            | "query"
            | "subject"
            | "body"
            | "title"
            | "price"
            | "total"
            | "field"
            | "fields"
            | "key"
            | "keys"
            | "input"
            | "inputs"
            | "spelling"
            | "zone"
            | "origin"
            | "quantity"
            | "status"
            | "file"
            | "path"
            | "schema"
            | "form"
            | "note"
            | "message"
            | "url"
            | "result"
            | "option"
            | "options"
            | "label"
            | "labels"
            | "user"
            | "stadt"
            | "ville"
            | "datum"
            | "ciudad"
            | "fecha"
            | "fecha_de"
            | "città"
            | "data"
            | "cidade"
            | "stad"
            | "miasto"
            | "город"
            | "дата"
    )
}

pub(super) fn is_gerund(word: &str) -> bool {
    word.len() > 5
        && word.ends_with("ing")
        && !matches!(
            word,
            "everything"
                | "anything"
                | "nothing"
                | "something"
                | "spelling"
                | "reasoning"
                | "wording"
                | "string"
                | "setting"
                | "timing"
                | "naming"
                | "formatting"
                | "meaning"
                | "understanding"
                | "thinking"
                | "mapping"
                | "ordering"
                | "rating"
                | "heading"
                | "reading"
                | "phrasing"
                | "encoding"
                | "listing"
                | "answering"
                | "beginning"
                | "ending"
        )
}

/// Whether the subject of a clause is the whole call, or what the agent did.
pub(super) fn is_whole(words: &[&Token]) -> bool {
    if words
        .iter()
        .any(|token| token.class == Class::Ordinal && !token.word().starts_with(|c: char| c.is_numeric()))
    {
        return false;
    }
    let mut heads = words.iter().filter(|token| {
        !matches!(
            token.class,
            Class::Filler | Class::Conclusion | Class::Final | Class::Silent | Class::Agent | Class::Cue
        ) && !matches!(
            token.word(),
            "tool" | "function" | "agent" | "assistant" | "model" | "and" | "agent's" | "assistant's"
        )
    });
    let Some(head) = heads.next() else { return false };
    match head.word() {
        "what" => {
            words.iter().any(|token| matches!(token.word(), "agent" | "assistant" | "model" | "it"))
                && words.iter().any(|token| matches!(token.word(), "did" | "does" | "do" | "done"))
        }
        word if is_gerund(word) => true,
        "everything" | "all" => {
            words.iter().any(|token| matches!(token.class, Class::Subject | Class::Pronoun))
        }
        "way" | "action" | "actions" | "decision" | "behaviour" | "behavior" | "move" | "approach"
        | "step" | "handling" | "conduct" => true,
        _ => head.class == Class::Subject,
    }
}

/// Nothing is spoken of but the call, if anything.
pub(super) fn whole_or_idle(words: &[&Token]) -> bool {
    !words.iter().any(|token| {
        matches!(token.class, Class::Part | Class::Ordinal | Class::Outcome)
            || is_part(token.word())
            || attributes(token) && !matches!(token.word(), "called" | "labelled" | "labeled" | "marked")
    })
}
