//! The words around a verdict, and the effect of each.
//!
//! Only what is listed is understood. A word that is not listed keeps a rail behind it from being a verdict.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::class::Class;
use super::foreign;

const WORDS: &[(Class, &str)] = &[
    (
        Class::Key,
        "label verdict judgement judgment classification decision conclusion determination ruling final_answer
        final-answer final_label final_verdict final_judgment final_judgement final_decision overall_label
        overall_verdict",
    ),
    // The same in other languages.
    (
        Class::Key,
        "urteil gesamturteil bewertung fazit etikett einstufung veredicto etiqueta conclusión clasificación étiquette
        jugement veredito rótulo giudizio etichetta verdetto oordeel conclusie etykieta werdykt ocena вердикт метка
        оценка вывод karar etiket الحكم 判定 最终判定 标签 最终标签 結論 结论 判断 判決 判定結果 判定结果 判断结果
        评估结果 評価 ラベル 라벨 판정 결론",
    ),
    (
        Class::WeakKey,
        "answer anwser awnser anser labels prediction opinion antwort respuesta réponse resposta risposta antwoord odpowiedź ответ 答案
        最终答案 回答 답변 답",
    ),
    (
        Class::Outcome,
        "result response rating evaluation assessment output outcome grade score status correctness summary finding
        ergebnis resultado evaluación résultat risultato результат 结果 結果 결과",
    ),
    (Class::Final, "final overall short revised updated corrected one-word single-word yes ok okay sure finally ultimate ultimately"),
    (Class::Subject, "call calls invocation invocations"),
    (Class::Pronoun, "it this that they these which them it'd this'd"),
    (Class::PronounCopula, "it's that's they're this's its thats"),
    (Class::Agent, "agent's model's assistant's ai's"),
    (Class::Tool, "tool tools function functions"),
    (Class::To, "to"),
    (
        Class::Part,
        "parameter parameters argument arguments value values name names choice extraction selection syntax format
        structure order type types",
    ),
    (Class::Ordinal, "first second third fourth fifth last other one another each every"),
    (Class::Copula, "is are was be been being as equals ist lautet es 是 為"),
    (Class::Modal, "would should"),
    (
        Class::Verb,
        "labeled labelled labeling labelling mark marked marking classify classified classifying rate rated judge
        judged judging go consider considered deem deemed evaluate evaluated graded scored called regard regarded
        vote find found pick picked choosing chose",
    ),
    (Class::Judge, "i i'm i'd i'll i've we we'd we'll must"),
    (Class::Conclusion, "so therefore thus hence consequently accordingly"),
    (Class::Cue, "wait actually hmm sorry correction oops apologies reconsidering"),
    (
        Class::Negation,
        "not never no cannot none nothing nope cant isnt arent wasnt doesnt dont",
    ),
    (Class::Partial, "hardly scarcely"),
    (Class::Unclear, "neither nor without barely fails lacks nowhere"),
    (
        Class::Hedge,
        "might may could can probably possibly perhaps maybe likely unlikely seems seem appears appear looks look
        presumably partially partly mostly almost nearly largely somewhat technically half mainly roughly essentially
        basically generally potentially arguably apparently otherwise sort kind semi",
    ),
    (Class::Condition, "if unless whether when whenever had were assuming suppose supposing either until once according"),
    // From one point of view only.
    (
        Class::Condition,
        "glance sight surface theory principle paper view viewpoint perspective impression initially originally
        superficially formally syntactically structurally grammatically seemingly ostensibly",
    ),
    (
        Class::Contrast,
        "but however although though except yet nevertheless nonetheless albeit still despite",
    ),
    (
        Class::Filler,
        "the a an my our for of have has api given provided above generated proposed logged whole entire and also here
        in with by on based all both word single choose assign give say conclude concluded determine
        think believe will am clearly definitely certainly completely fully entirely totally indeed simply just very
        absolutely perfectly obviously now please take teh unfortunately sadly mi mein mon mia meu der die das el la le il",
    ),
];

static CLASSES: LazyLock<HashMap<&str, Class>> = LazyLock::new(|| {
    // Where two languages share a word, English has it.
    let own = WORDS.iter().flat_map(|(class, words)| words.split_whitespace().map(|word| (*class, word)));
    foreign::words().chain(own).map(|(class, word)| (word, class)).collect()
});

/// Whether the lexicon has `word`, in lower case.
pub(super) fn is_known(word: &str) -> bool {
    CLASSES.contains_key(word) || foreign::gives_reason(word)
}

/// What `word`, in lower case, does.
pub(super) fn class(word: &str) -> Class {
    match CLASSES.get(word.trim_matches('_')) {
        Some(class) => *class,
        None if word.ends_with("n't") => Class::Negation,
        None if word.starts_with(|c: char| c.is_numeric()) => Class::Ordinal,
        None => Class::Other,
    }
}

/// Whether `word` begins a reason, so that the rail before it stands for itself.
pub(super) fn gives_reason(word: &str) -> bool {
    matches!(
        word,
        "because"
            | "since"
            | "according"
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
    ) || foreign::gives_reason(word)
}

/// Whether `word` only stresses the rail behind it, or is its article: `clearly incorrect`.
pub(super) fn is_stress(word: &str) -> bool {
    matches!(
        word,
        "a" | "an"
            | "clearly"
            | "definitely"
            | "certainly"
            | "obviously"
            | "simply"
            | "absolutely"
            | "totally"
            | "unfortunately"
            | "sadly"
            | "plainly"
            | "completely"
            | "perfectly"
            | "just"
            | "indeed"
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
            | "matches"
            | "should"
            | "incomplete"
            | "invalid"
            | "inaccurate"
            | "inappropriate"
    )
}

/// Whether a verb behind a negation leaves open whether what it is about holds: `can't say that`. `don't think that` denies it.
pub(super) fn is_thought(word: &str) -> bool {
    matches!(word, "say" | "claim" | "conclude" | "know" | "mean" | "certain" | "sure" | "convinced")
}
