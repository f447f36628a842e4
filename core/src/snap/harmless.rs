//! Words of other languages between a call and its rail that change nothing: `donc cet appel est correct`.
//!
//! Any word that is not listed may restrict the verdict (`kaum`, `casi`, `częściowo`), so a clause with such a word gives no
//! label.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::class::Class;
use super::token::Token;

/// By language: what a call is called, articles and pronouns, copulas, conclusions, words that only stress, verbs that give a label.
const WORDS: &[&str] = &[
    // German
    "aufruf aufrufs toolaufruf tool-aufruf werkzeugaufruf funktionsaufruf aufrufe der die das des dem den er sie es ein eine einen einer
    dieser diese dieses diesen diesem ist sind war wurde wird werden sein komme zu damit ich wir man ihn halte finde bewerte beurteile stufe bezeichne nenne
    werte sehe lautet urteil ergebnis antwort also daher deshalb somit folglich demnach deswegen damit hier nun insgesamt klar eindeutig
    zweifellos tatsächlich und als für so meine mein gesamt ganze gesamte schließlich letztlich abschließend gewählte agenten werkzeugs
    überhaupt gar fazit zusammenfassend bleibt dann auch worden mithin",
    // French
    "appel appels l'appel d'appel cet ce cette ceci cela c'est il elle est était sont a été je nous on considère considérer juge classe
    estime déclare le la les l' de d' un une du l'outil outil l'agent agent invocation l'invocation comme donc ainsi alors conséquent
    par pour conclusion en résumé final bref clairement bien effectivement reste l'ensemble après vérification analyse examen ici au finalement verdict réponse dire et
    être tout simplement s'agit qu'il dirais façon j'en déduis conclus en définitive somme pleinement parfaitement",
    // Spanish
    "llamada llamadas invocación la el los las lo una un esta este esto eso ella es está fue era son considero califico clasifico
    marco doy dejo lo como por tanto ello así que entonces luego conclusión en definitiva resumen pues del de al agente herramienta
    claramente efecto realmente totalmente plenamente final y sí mi respuesta ser deduco razón por esta en modo alguno absoluto veredicto etiqueta queda resulta realizada hecha",
    // Portuguese
    "chamada chamadas o os a as um uma esta este isto isso ela ele é está foi era são considero classifico marco avalio como portanto
    assim então logo por pois conclusão em resumo fim no na geral contas das do da de agente ferramenta claramente efeito forma alguma modo algum meu minha
    veredito resposta rótulo final e fica ser",
    // Italian
    "chiamata chiamate la il lo le i gli una un questa questo ciò essa esso è sono era risulta considero giudico valuto classifico ritengo
    come quindi dunque perciò pertanto così conclusione in definitiva sintesi della dello dell'agente del di da agente strumento allo
    chiaramente effetti davvero pienamente e io ne ci affatto alcun modo conseguenza essere deduco concludo mia mio verdetto risposta etichetta stata stato",
    // Dutch
    "aanroep aanroepen tool-aanroep toolaanroep functieaanroep de het een deze dit dat die is was wordt zijn ik we wij beoordeel noem
    vind beschouw acht ervan van dus daarom derhalve daarmee hier als duidelijk echt zeker conclusie kortom oordeel antwoord uiteindelijk
    en hij uw mijn agent geheel gewoon eenmaal kijk juist",
    // Polish
    "wywołanie wywołania wywołaniem to ono ten ta jest są było uznaję oceniam klasyfikuję uważam za więc zatem dlatego tym samym czyli
    a i wniosek podsumowując ostatecznie wyraźnie całe narzędzia agenta moja mój moim zdaniem odpowiedź werdykt ocena proto tak",
    // Swedish, Danish, Norwegian
    "anropet anrop kallet kald kaldet verktygsanropet verktøykallet funktionskaldet det den dette detta er är var blir bliver jeg jag vi
    bedömer anser vurderer kalder kaller klassificerar alltså därför nu således derfor altså således så dermed slutsats konklusion her här
    som ett en et för for klart tydligt tydelig måde måte sätt helt agentens agentens og och derfor totalt",
    // Finnish, Estonian
    "kutsu kutsun kutsua työkalukutsu tämä se on oli olla ole pidän mielestäni joten siis näin siksi ollen täten johtopäätös agentin
    pitäisi ja kutse kutset see seega järelikult niisiis ma on agendi järeldus tehtud minu arvates",
    // Hungarian
    "hívás hívást a az ez így tehát ezért vagyis szerintem ítélet eszközhívás értékelésem",
    // Czech, Slovak
    "volání volanie toto to tak je jsou bylo bolo byl takže proto tedy tudíž teda preto považuji hodnotím za závěr celkově agenta nástroje
    tým tím",
    // Slovenian, Croatian, Serbian, Bosnian
    "klic klica poziv poziva ta taj ovaj je bio su zato torej tako dakle stoga pa agenta alata orodja zaključek to",
    // Romanian
    "apelul apelului apel acest acesta este e era sunt deci așadar astfel prin urmare așa că de aceea agentului instrumentului consider
    concluzie în al a și eu clar de la agent",
    // Catalan, Basque, Albanian
    "crida la aquesta és era doncs per tant això així com a conclusió deia dei hori da dago beraz hortaz thirrja kjo kjo është ishte
    prandaj pra kështu agjentit ondorioz",
    // Indonesian, Malay, Filipino, Swahili, Turkish, Vietnamese
    "panggilan pemanggilan alat ini itu adalah merupakan ialah jadi maka dengan demikian oleh itu karenanya saya menilai ang tawag
    ng na ito iyon ay kaya ahente tool wito huu hii ni kwa hivyo hiyo zana wakala çağrı çağrısı bu araç dolayısıyla yani sonuç
    nedenle yüzden kesinlikle lời gọi này là do đó vậy nên công cụ",
    // Russian, Ukrainian, Bulgarian
    "вызов вызова это этот он является был есть поэтому следовательно итак значит таким образом я считаю оцениваю итог вывод инструмента
    агента же виклик це цей отже тому висновок мій мой извикването е",
    // Greek
    "η κλήση το της αυτή αυτό είναι ήταν άρα επομένως συνεπώς λοιπόν κρίνω και του",
    // Hebrew, Arabic, Persian, Hindi
    "הקריאה לכן היא זו זה הוא הכלי של الاستدعاء هذا هذه هو هي لذلك إذن وبالتالي فإن للأداة فراخوانی این است بنابراین कॉल यह है इसलिए अतः",
    // Chinese, Japanese, Korean
    "的 了 为 該 该 此 本 次 调用 調用 工具 因此 所以 故 是 判定 この 呼び出し は が です なので よって 호출 이 은 는 따라서",
];

static ALL: LazyLock<HashSet<&str>> =
    LazyLock::new(|| WORDS.iter().flat_map(|words| words.split_whitespace()).collect());

/// Whether a word adds nothing that could restrict the clause it stands in.
pub(super) fn is_harmless(token: &Token) -> bool {
    let understood = matches!(
        token.class,
        Class::Silent
            | Class::Subject
            | Class::Pronoun
            | Class::PronounCopula
            | Class::Copula
            | Class::Verb
            | Class::Judge
            | Class::Conclusion
            | Class::Final
            | Class::Key
            | Class::WeakKey
            | Class::Agent
            | Class::Tool
            | Class::Filler
    );
    understood || ALL.contains(token.word())
}
