//! The words around a verdict, and what each does to it.
//!
//! Only what is listed is understood. A word that is not listed keeps a rail behind it from being a verdict.

/// What a word does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Names the slot that a verdict fills.
    Key,
    /// May name that slot, or something else of the same name.
    WeakKey,
    /// Stresses that the verdict is the last or the whole one.
    Final,
    /// What the verdict is about.
    Subject,
    /// What it may be about.
    Pronoun,
    /// A pronoun with its verb: `it's`.
    PronounCopula,
    /// A part of the call, such as its arguments: not the whole.
    Part,
    /// One call of several.
    Ordinal,
    Copula,
    /// `I would`, `it would`.
    Modal,
    /// Gives a label: `classify`, `rate`.
    Verb,
    /// Who gives it, or must.
    Judge,
    /// Draws a conclusion.
    Conclusion,
    /// Announces a change of mind.
    Cue,
    Negation,
    Hedge,
    Condition,
    Contrast,
    /// Adds nothing.
    Filler,
    Other,
}

pub(super) fn class(word: &str) -> Class {
    use Class::*;
    match word {
        "label" | "verdict" | "judgement" | "judgment" | "classification" | "decision" | "conclusion"
        | "determination" | "ruling" | "final_answer" | "final_label" | "final_verdict" | "final-answer"
        | "final_judgment" | "final_judgement" | "final_decision" | "overall_label" | "overall_verdict" => {
            Key
        }
        // The same in other languages.
        "urteil" | "gesamturteil" | "bewertung" | "fazit" | "etikett" | "einstufung" | "veredicto"
        | "etiqueta" | "conclusión" | "clasificación" | "étiquette" | "jugement" | "veredito" | "rótulo"
        | "giudizio" | "etichetta" | "verdetto" | "oordeel" | "conclusie" | "etykieta" | "werdykt"
        | "ocena" | "вердикт" | "метка" | "оценка" | "вывод" | "karar" | "etiket" | "الحكم" | "判定"
        | "最终判定" | "标签" | "最终标签" | "結論" | "结论" | "判断" | "判決" | "判定結果" | "判定结果"
        | "判断结果" | "评估结果" | "評価" | "ラベル" | "라벨" | "판정" | "결론" => Key,
        "answer" | "result" | "response" | "rating" | "evaluation" | "assessment" | "output" | "outcome"
        | "grade" | "score" | "status" | "correctness" | "summary" | "prediction" | "opinion" | "finding"
        | "ergebnis" | "antwort" | "respuesta" | "resultado" | "evaluación" | "réponse" | "résultat"
        | "resposta" | "risposta" | "risultato" | "antwoord" | "odpowiedź" | "ответ" | "результат"
        | "答案" | "最终答案" | "结果" | "結果" | "回答" | "결과" | "답변" | "답" => WeakKey,
        "final" | "overall" | "finally" | "ultimate" | "ultimately" => Final,
        "call" | "calls" | "invocation" | "invocations" => Subject,
        "it" | "this" | "that" | "they" | "these" | "which" => Pronoun,
        "it's" | "that's" | "they're" | "this's" => PronounCopula,
        "parameter" | "parameters" | "argument" | "arguments" | "value" | "values" | "name" | "names"
        | "choice" | "extraction" | "selection" | "syntax" | "format" | "structure" | "order" | "type"
        | "types" => Part,
        "first" | "second" | "third" | "fourth" | "fifth" | "last" | "other" | "one" | "another" | "each"
        | "every" => Ordinal,
        "is" | "are" | "was" | "be" | "been" | "being" | "as" | "equals" | "ist" | "lautet" | "es" | "是"
        | "為" => Copula,
        "would" | "should" => Modal,
        "labeled" | "labelled" | "labeling" | "labelling" | "mark" | "marked" | "marking" | "classify"
        | "classified" | "classifying" | "rate" | "rated" | "judge" | "judged" | "judging" | "consider"
        | "considered" | "deem" | "deemed" | "evaluate" | "evaluated" | "graded" | "scored" => Verb,
        "i" | "i'd" | "i'll" | "i've" | "we" | "we'd" | "we'll" | "must" => Judge,
        "so" | "therefore" | "thus" | "hence" | "consequently" | "accordingly" => Conclusion,
        "wait" | "actually" | "hmm" | "sorry" | "correction" | "oops" | "apologies" | "reconsidering" => Cue,
        "not" | "never" | "no" | "cannot" | "neither" | "nor" | "none" | "nothing" | "without" | "hardly"
        | "barely" | "scarcely" | "fails" | "lacks" | "nowhere" => Negation,
        "might" | "may" | "could" | "can" | "probably" | "possibly" | "perhaps" | "maybe" | "likely"
        | "unlikely" | "seems" | "seem" | "appears" | "appear" | "looks" | "look" | "presumably"
        | "partially" | "partly" | "mostly" | "almost" | "nearly" | "largely" | "somewhat"
        | "technically" | "half" | "mainly" | "roughly" | "essentially" | "basically" | "generally"
        | "potentially" | "arguably" | "apparently" | "otherwise" | "sort" | "kind" | "semi" => Hedge,
        "if" | "unless" | "whether" | "when" | "whenever" | "had" | "were" | "assuming" | "suppose"
        | "supposing" | "provided" | "either" | "until" | "once" => Condition,
        "but" | "however" | "although" | "though" | "except" | "yet" | "nevertheless" | "nonetheless"
        | "albeit" | "still" | "despite" => Contrast,
        "the" | "a" | "an" | "my" | "our" | "for" | "of" | "to" | "have" | "has" | "tool" | "tools"
        | "function" | "functions" | "api" | "given" | "above" | "generated" | "proposed" | "logged"
        | "whole" | "entire" | "agent's" | "model's" | "assistant's" | "ai's" | "and" | "also" | "here"
        | "in" | "with" | "by" | "on" | "based" | "all" | "both" | "word" | "single" | "go" | "going"
        | "choose" | "assign" | "give" | "say" | "conclude" | "concluded" | "determine" | "find"
        | "think" | "believe" | "will" | "am" | "clearly" | "definitely" | "certainly" | "completely"
        | "fully" | "entirely" | "totally" | "indeed" | "simply" | "just" | "very" | "absolutely"
        | "perfectly" | "obviously" | "short" | "now" | "der" | "die" | "das" | "el" | "la" | "le" | "il" => {
            Filler
        }
        word if word.ends_with("n't") || word == "cant" || word == "isnt" || word == "arent" => Negation,
        word if word.starts_with(|c: char| c.is_numeric()) => Ordinal,
        _ => Other,
    }
}

/// Whether `word` begins a reason, so that the rail before it stands for itself.
pub(super) fn gives_reason(word: &str) -> bool {
    matches!(
        word,
        "because"
            | "since"
            | "as"
            | "due"
            | "given"
            | "considering"
            | "based"
            | "here"
            | "overall"
            | "explanation"
            | "reason"
            | "reasoning"
            | "rationale"
            | "justification"
            | "confidence"
    )
}

/// Whether `word` may be joined to a rail by `and` without changing it: `correct and complete`.
pub(super) fn agrees(word: &str) -> bool {
    matches!(
        word,
        "complete"
            | "valid"
            | "accurate"
            | "appropriate"
            | "sufficient"
            | "consistent"
            | "incomplete"
            | "invalid"
            | "inaccurate"
            | "inappropriate"
    )
}

/// Whether a verb of saying follows a negation, which then reaches to the end of its sentence: `don't think that`.
pub(super) fn is_thought(word: &str) -> bool {
    matches!(
        word,
        "think"
            | "believe"
            | "say"
            | "claim"
            | "conclude"
            | "consider"
            | "mean"
            | "certain"
            | "sure"
            | "convinced"
    )
}
