//! What words of other languages do around a rail.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::lexicon::Class;

/// By language: German, French, Spanish, Portuguese, Italian, Dutch, Polish, Russian, Swedish, Turkish, Indonesian, Vietnamese,
/// Chinese, Japanese, Korean, Arabic, Hindi.
pub(super) const WORDS: &[(Class, &str)] = &[
    (
        Class::Key,
        "einstufung wertung entscheidung einschätzung
        conclusion
        calificación decisión valoración dictamen
        classificação decisão avaliação conclusão
        giudizio valutazione conclusione decisione
        beoordeling eindoordeel conclusie
        ocena wniosek decyzja
        вердикт оценка решение заключение итог
        bedömning omdöme slutsats
        sonuç değerlendirme hüküm
        penilaian kesimpulan putusan
        标签 判定 判断 结论 评价 裁定 最终判定 最终结论 最终判断
        判定 判断 結論 評価 ラベル 最終判定
        판정 판단 결론 평가 라벨 최종판정
        النتيجة التقييم التصنيف
        निर्णय निष्कर्ष मूल्यांकन",
    ),
    (
        Class::WeakKey,
        "antwort réponse respuesta resposta risposta antwoord odpowiedź ответ svar yanıt cevap jawaban 答案 回答 答え 답변 답
        الجواب الإجابة उत्तर जवाब",
    ),
    (Class::Outcome, "ergebnis résultat resultado risultato resultaat wynik результат resultat hasil kết quả 结果 結果 결과"),
    (
        Class::Subject,
        "aufruf aufrufe toolaufruf tool-aufruf funktionsaufruf werkzeugaufruf
        appel appels l'appel d'appel l'invocation
        llamada llamadas invocación
        chamada chamadas
        chiamata chiamate
        aanroep tool-aanroep
        wywołanie wywołania
        вызов вызова
        anrop anropet verktygsanropet
        çağrı çağrısı
        panggilan pemanggilan
        gọi lời
        调用 工具调用 函数调用 次 个
        呼び出し 関数呼び出し ツール呼び出し コール
        호출 도구호출 함수호출
        الاستدعاء
        कॉल",
    ),
    (Class::PronounCopula, "c'est"),
    (Class::Pronoun, "ceci cela das dies dieser dieses eso ello ciò esto isto questo questa dit dat deze это этот detta bu ini này 这 该 此 本 这是 これ この それ その 이 이것 그 هذا هذه यह"),
    (Class::Agent, "des agenten de l'agent del agente do agente dell'agente van агента agenten 智能体 代理 エージェント 에이전트"),
    (
        Class::Part,
        "argumente argument parameter werte wert feld felder datum stadt name namen format
        l'argument paramètre paramètres valeur valeurs date ville nom
        argumento argumentos parámetro parámetros valor valores fecha ciudad nombre parâmetro parâmetros
        argomento argomenti parametro parametri valore valori data città nome
        waarde waarden
        аргумент аргументы параметр параметры значение дата город
        参数 值 日期 城市 名称 格式 数量
        引数 パラメータ 値 日付 都市
        매개변수 인자 값 날짜",
    ),
    (
        Class::Copula,
        "ist war lautet heißt  bleibt
        est était sera n'est n'était
        es fue era
        é foi
        è
        is was luidt
        jest to
        является
        är var blir
        adalah ialah merupakan
        là
        是 为 為 属于 算 应为 应是 定为 判定为 判断为 标记为 评为 视为
        は が を も と
        은 는 을 를
        هو هي
        है",
    ),
    (
        Class::Verb,
        "bewerte stufe beurteile halte werte markiere klassifiziere entscheide wähle
        considère juge classe évalue choisis
        considero califico clasifico evalúo marco elijo
        classifico avalio marco escolho
        giudico valuto scelgo
        beoordeel kies
        oceniam uznaję
        считаю оцениваю
        bedömer
        认为 判定 选择 我认为
        판단 판정",
    ),
    (Class::Judge, "ich je j' yo eu io ik ja я jag saya tôi 我 私 저는 나는"),
    (
        Class::Conclusion,
        "daher deshalb darum somit also folglich demnach deswegen
        donc ainsi alors
        entonces tanto así eso
        portanto então assim logo
        quindi pertanto dunque perciò
        dus daarom
        więc zatem dlatego
        поэтому следовательно итак значит
        därför alltså således så
        dolayısıyla 
        jadi maka nên 
        因此 所以 故 综上 综上所述 总之 由此
        siis seega järelikult tehát ezért takže tedy teda proto torej dakle stoga deci așadar beraz prandaj άρα επομένως joten отже
        したがって ので なので ため つまり よって 従って ゆえに そのため
        결국 따라서 그러므로 그래서
        لذلك إذن
        इसलिए अतः",
    ),
    (Class::Final, "insgesamt zusammenfassend final finale finalement globalement finalmente alla eindelijk 最终 总体 最終 最終的 最終的な 최종"),
    (
        // Of these nobody knows whether they deny the rail, or something beside it.
        Class::Unclear,
        "niemand niemandem nichts nie niemals nirgends kaum
        guère rien aucun aucune personne jamais nul nulle impossible
        nada nadie nunca jamás ningún ninguno ninguna apenas imposible
        ninguém nenhum nenhuma dificilmente impossível
        niente nulla nessuno nessun nessuna mai poco poca neanche nemmeno neppure impossibile
        niemand niets nooit nauwelijks amper evenmin nergens onmogelijk
        nikt nic nigdy ledwo ledwie żaden żadne żadna mało wcale niemożliwe trudno
        ingen inget inga aldrig knappt knappast föga aldri neppe næppe ingenting intet omöjligt umulig
        никто ничто ничего никогда едва вряд невозможно
        hiçbir asla",
    ),
    (
        Class::Negation,
        "keineswegs keinesfalls mitnichten allesbehalve geenszins allerminst bynajmniej ingalunda nicht kein keine keinen keiner
        pas  aucunement nullement
        tampoco
        não
        non
        niet geen
        nie
        не нет
        inte ej ikke ikkje
        değil değildir
        tidak bukan
        không
        不 不是 并非 并不 并不是 不能 不算 不属于 非 没有
        ではない ではありません じゃない とは言えない とはいえない でない ではなく
        아닙니다 아니다 아니며 않습니다 않다
        ليس ليست غير
        नहीं",
    ),
    (
        Class::Hedge,
        "vielleicht möglicherweise wahrscheinlich vermutlich wohl scheint könnte teilweise eher fast beinahe beinah halb größtenteils weitgehend
        überwiegend teils nur bloß lediglich formal theoretisch angeblich anscheinend scheinbar eventuell womöglich bedingt eigentlich
        peut-être probablement semble pourrait partiellement presque seulement uniquement quasiment apparemment théoriquement partie
        quizás  probablemente parece podría parcialmente casi solo sólo solamente únicamente aparentemente teóricamente quizá acaso
        talvez provavelmente poderia quase somente apenas só parcialmente aparentemente
        forse probabilmente sembra potrebbe parzialmente quasi solo soltanto solamente apparentemente parte
        misschien waarschijnlijk lijkt bijna alleen slechts enkel gedeeltelijk deels vrijwel grotendeels theoretisch schijnbaar
        może prawdopodobnie chyba prawie tylko częściowo jedynie raczej niemal teoretycznie pozornie
        возможно вероятно наверное кажется почти только лишь частично отчасти теоретически
        kanske troligen bara endast delvis nästan kun delvist nesten næsten enbart teoretiskt
        belki muhtemelen
        mungkin sepertinya
        
        可能 也许 大概 或许 似乎 好像 部分 基本 不一定 几乎
        かもしれない かもしれません おそらく たぶん ようです
        아마 아마도 것같습니다
        ربما
        शायद",
    ),
    (
        Class::Condition,
        "wenn falls ob sofern wäre würde wenn
        si quand lorsque
        cuando
        se quando caso
         indien wanneer 
        jeśli jeżeli czy
        если ли когда
        om ifall
        eğer
        jika apakah kalau
        nếu
        表面 表面上 表面上看 乍看 看似 看上去 原则上 理论上 如果 若 是否 假如 只有 除非
        一見 表面上は もし なら ならば かどうか 場合 たら
        만약 경우 여부 라면
        إذا لو
        यदि अगर",
    ),
    (Class::Contrast, "aber jedoch doch allerdings dennoch trotzdem obwohl indes hingegen mais cependant toutefois pourtant néanmoins bien-que pero sino
        aunque embargo obstante mas porém contudo todavia entretanto embora ma però tuttavia eppure sebbene maar echter hoewel desondanks niettemin ale
        jednak jednakże chociaż lecz natomiast emellertid imidlertid однако хотя зато но однако men ama fakat tetapi namun nhưng 但 但是 不过 しかし ただし ですが 하지만 그러나 لكن लेकिन"),
    (
        Class::Filler,
        "hier ganz klar eindeutig als für den dem dieser diesen der die das ein eine mein meine ganze gesamte agent agenten
        l' le la les un une mon ma ce cette cet comme de d' l'agent clairement tout
        el los las una mi este esta como de del agente claramente
        o os um uma meu minha esse essa como de do da
        il lo un una mio mia come di del della dell'agente
        de het een mijn deze hier
        moja mój to 
        мой моя
        den det min mitt
        saya anda
        应当 的 了 地 得 一个 一次 我 我的 最后 这个 这次 本次 该次 结果 应 应该 被 就 智能体 模型 助手
        の に で へ です である だ となります になります とします と判断します と判断しました と判定します とします と思います と評価します
        입니다 이다 로 으로 의 판정합니다 판단합니다 평가합니다 이에요 예요 로판단됩니다 이번 도구
        في
        का की के",
    ),
];

static KNOWN: LazyLock<HashSet<&str>> =
    LazyLock::new(|| WORDS.iter().flat_map(|(_, words)| words.split_whitespace()).collect());

/// Whether `word`, in lower case, is one of another language that English does not have as well.
pub(super) fn knows(word: &str) -> bool {
    KNOWN.contains(word)
        && !matches!(
            word,
            "is" | "was"
                | "final"
                | "a"
                | "as"
                | "so"
                | "in"
                | "do"
                | "to"
                | "no"
                | "me"
                | "for"
                | "on"
                | "of"
        )
}

/// Words of other languages that begin a reason.
pub(super) fn gives_reason(word: &str) -> bool {
    matches!(
        word,
        "weil"
            | "da"
            | "denn"
            | "car"
            | "parce"
            | "puisque"
            | "porque"
            | "ya"
            | "pues"
            | "pois"
            | "perché"
            | "poiché"
            | "omdat"
            | "want"
            | "ponieważ"
            | "bo"
            | "gdyż"
            | "потому"
            | "так"
            | "поскольку"
            | "eftersom"
            | "för"
            | "çünkü"
            | "karena"
            | "vì"
            | "因为"
            | "由于"
            | "なぜなら"
            | "왜냐하면"
            | "لأن"
            | "क्योंकि"
    )
}

/// Words that end a sentence behind its rail and add nothing to it.
pub(super) fn ends(word: &str) -> bool {
    denies_behind(word)
        || matches!(
            word,
            "ist"
                | "war"
                | "sind"
                | "です"
                | "である"
                | "だ"
                | "となります"
                | "になります"
                | "と判断します"
                | "と判断しました"
                | "と判定します"
                | "とします"
                | "と思います"
                | "と評価します"
                | "입니다"
                | "이다"
                | "이에요"
                | "예요"
                | "로"
                | "으로"
                | "가"
                | "이"
                | "판정합니다"
                | "판단합니다"
                | "평가합니다"
                | "로판단됩니다"
                | "的"
                | "है"
                | "dir"
                | "olarak"
        )
}

/// Words behind a rail that deny it.
pub(super) fn denies_behind(word: &str) -> bool {
    matches!(
        word,
        "değil"
            | "değildir"
            | "ではない"
            | "ではありません"
            | "じゃない"
            | "とは言えない"
            | "とはいえない"
            | "でない"
            | "아닙니다"
            | "아니다"
            | "않습니다"
            | "않다"
            | "नहीं"
    )
}

/// What other languages say for a pair of rails, in the pair's order: only words that mean nothing else.
pub(super) fn translations(one: &str, other: &str) -> Option<[&'static str; 2]> {
    TRANSLATIONS.iter().find_map(|((good, bad), [right, wrong])| match () {
        () if (*good, *bad) == (one, other) => Some([*right, *wrong]),
        () if (*good, *bad) == (other, one) => Some([*wrong, *right]),
        () => None,
    })
}

const TRANSLATIONS: &[((&str, &str), [&str; 2])] = &[
    (
        ("correct", "incorrect"),
        [
            "richtig korrekt correcte juste exact correcto correcta correto correta corretto corretta giusto giusta juist poprawne poprawny
            prawidłowe prawidłowy poprawnie правильно правильный правильным верно верный doğru riktig riktigt rätt korrekt benar đúng 正确 正確 正解 正しい
            맞습니다 올바릅니다 정확합니다 정답 올바름 صحيح صحيحة सही",
            "falsch inkorrekt unrichtig incorrecte faux fausse inexact incorrecto incorrecta incorreto incorreta errado errada scorretto scorretta errato errata
            sbagliato sbagliata onjuist verkeerd niepoprawne niepoprawny błędne błędny nieprawidłowe nieprawidłowy неправильно неправильный неверно
            неверный yanlış felaktig felaktigt salah sai 错误 錯誤 不正解 間違い 틀렸습니다 틀립니다 틀림 오답 خطأ خاطئ غلط गलत",
        ],
    ),
    (
        ("yes", "no"),
        ["ja oui sí sim tak да evet ya vâng はい 네 예 نعم हाँ", "nein non nee não nie нет hayır tidak いいえ 아니요 아니오 لا नहीं"],
    ),
];
