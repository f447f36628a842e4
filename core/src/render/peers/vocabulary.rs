//! Words by which a text says that something is good or bad, those for which it is in doubt, and the plain ones among which it is not.

/// Words of what is right. A `*` stands for any ending.
pub(super) const GOOD: &str = "\
    pass passes passed passing correct correctly correctness right rightly good better best excellent exceptional optimal \
    perfect success* succeed* valid validity accura* appropriate* relevan* complete completeness completed completes \
    accomplish* comprehensive satisf* supported grounded* faithful* helpful* safe safely safety worked works resolved \
    resolution meets adheres adherence consistent* consistency coheren* fluen* acceptable matches matched fit fits proper \
    properly useful quality fulfil* achiev* truthful* factual* polite* professional* compliant compliance complies \
    similar* equivalen* ok okay answers answered richtig* korrekt* gut gute guter bestanden erfüllt* erfolgreich* \
    zutreffend* passend* angemessen*";

/// Words of what is wrong.
pub(super) const BAD: &str = "\
    fail fails failed failing failure* incorrect* wrong* violat* error errors erroneous* invalid* unsafe* harm harms \
    harmful* problem* issue issues mistake* fault faults faulty missing misses sever* risk* toxic* worst worse reject* \
    unsuccess* deflect* hallucin* halluzin* fabricat* invent* leak* jailbreak* refus* bias* bad badly poor poorly \
    inaccura* inappropriat* irrelevan* incomplete* incoheren* inconsisten* unrelated unsupported ungrounded* unfaithful* \
    unhelpful* unanswered unresolved unacceptable unnecessar* violen* hate hateful abus* danger* offens* insult* frustrat* \
    friction contradict* dishonest* mislead* broken repeat repeats repeated loop loops spam* fraud* critical threat* \
    attack* injection* expose* disclos* needless* redundan* illegal* malicious* profan* sexual* falsch* inkorrekt* fehler* \
    schlecht* mangelhaft* unzulässig* unpassend* verletz* verstöß* verstoß";

/// Words that turn the next ones round.
pub(super) const NOT: &str = "\
    no not never none nothing nobody non without zero neither nor cannot unable lack lacks lacking low absence kein* nicht \
    nichts nie niemals ohne weder";
/// Words that turn faults round, and praise never: who solves a task correctly has not failed.
pub(super) const RID: &str = "avoid avoids avoided avoiding prevent* fixes fixed solves solved free";
/// Words of what went wrong that turn an aim round, too: `failed to answer correctly`.
pub(super) const FAILED: &str = "fail fails failed failure";

/// Words that turn a clause round or halve it, wherever in it they stand: what is praised did not happen, or something else did. A `*`
/// stands for any ending.
pub(super) const ASIDE: &str = "\
    should could would might ought instead although though despite before until unless except than rather partial* partly \
    barely hardly scarcely seldom rarely almost nearly far too ignor* overrid* overrode bypass* circumvent* differ* claim* \
    pretend* contrary against opposite undermin* overlook* withh* doubt* sollte* könnte* hätte* wäre* statt anstatt obwohl \
    bevor teilweise kaum außer trotz ignorier* umgeh* umgangen übersieht übersehen fast bis";

/// Words of what was left undone, which take praise back as those above, and do not excuse a fault.
pub(super) const LAPSES: &str = "\
    omit* skip* deviat* leave leaves left lost loses gap gaps drop* loss losses forgot* forget* neglect* delay* late \
    waste* wasting abweich* weicht fehl* vergisst vergessen";

/// Words of a fault that somebody saw or mended.
pub(super) const MENDED: &str = "\
    notic* detect* report* flag* caught catch* spot* recover* repair* corrected corrects admit* acknowledg* handl* found \
    finds identif* recogni* blocked stopped declin* erkannt* erkennt gemeldet behoben korrigier* gefunden";

/// Words that are praise only after `to`, as an aim: `had to correct it`, `more than it needed to complete the task`.
pub(super) const AIMS: &str =
    "correct complete pass better right fit perfect succeed satisfy fulfil* achiev*";

/// Words that name the fault or the right answer to it: refusing is either.
pub(super) const EITHER: &str = "refus* reject* deflect* repeat* loop* critical";

/// Words of languages that are not read, and that neither English nor German has. Other languages share words of praise with these two.
pub(super) const FOREIGN: &str = "\
    niet geen nooit zonder het een en wordt zijn ikke ingen uten uden inte ej och og inga inget utan är til ei ole ilman \
    pas ne sans aucun* jamais ni les une est sont et le la dans pour avec ou lo el los las una uma un sin ningun* nunca \
    ninguna del por para que nao sem nenhum* foi senza nessun* della delle il gli sono che di de bez jest jsou nem nincs \
    yok este sunt tidak tanpa bukan yang";

/// Words that change nothing of what the others say of an agent's work. A clause of these, of praise and of denied faults is praise beyond
/// doubt; any other word can turn it round, as `ignored` and `tampered with` do.
pub(super) const PLAIN: &str = "\
    a an the this that these those each every all any both its their his her it they them one is are was were be been \
    being has have had does do did of in for with to from and or if when which who what whether given at x s agent* \
    assistant* model* ai llm system bot chatbot answer answers response* reply replies output* input* result* call calls \
    tool* function* argument* parameter* value values name names query queries request* task* intent* goal* conversation* \
    context* instruction* step steps plan information fact facts content text code data document* definition* schema* \
    reference ground truth solution personal secret* question message* trace policy expected predicted actual final own \
    select* choose chooses chose chosen choice pick picks picked called calling use uses used using make makes made return \
    returns returned contain* invoke* executed performed took follow follows followed shows fully completely entirely \
    exactly highly very clearly well together you your judge* evaluat* assess* rate rating grade grades scor* measure* \
    decide determine check select* analyz* analys* give assign json only yes no true false look keys reason status integer between binary \
    utilization selection level scenario qa rag evaluator as der die das den dem des ein eine einen einem einer ist sind \
    wird werden wurde wurden hat haben und oder alle alles jeder jede jedes jeden auf im für mit zur zum wenn ob werkzeug* \
    antwort* aufruf* aufgerufen wert werte frage anfrage aufgabe gewählt ausgewählt benutzt verwendet übergeben völlig \
    vollständig ganz sehr gib vergib bewerte punkt* überwiegend";

/// Plain words where nothing is denied: an agent that gives what is relevant does well, and one that does not include the risks does not.
pub(super) const PLAIN_UNDENIED: &str = "\
    provide* give gives gave include includes included needed required user users customer customers took take takes fill* \
    extract* generate* produce* way accordingly tatsächlich nutzer*";

/// Words of the highest degree.
pub(super) const TOP: &str = "\
    excellent exceptional optimal perfect* best fully completely entirely highly ausgezeichnet* vollständig völlig sehr";

/// What a user has that an agent serves.
pub(super) const OF_USERS: &str = "\
    request* question* intent* goal* query queries task* message* input* instruction* and or in with for from satisf*";

/// Words for the place in a text before a number that is no score: `Step 1`.
pub(super) const PLACES: &str = "\
    step criterion criteria rule question example case phase tool turn part section category item test scenario stage \
    round note requirement guideline principle chapter table figure version attempt line row call argument check reason \
    dimension schritt regel frage beispiel fall teil abschnitt punkt kriterium";
