//! Words that change the meaning of a text, by language: negations, numbers, notices of corrections.

/// Negations by primary language tag, in lower case. A star matches any suffix.
const NEGATIONS: &[(&str, &str)] = &[
    ("en", "not no never none nothing nobody nowhere neither nor without cannot hardly"),
    ("de", "nicht nichts nie niemals niemand nirgends weder noch ohne kein*"),
    ("fr", "ne n pas jamais aucun aucune sans ni rien personne non"),
    ("es", "no nunca jamás sin ningún ninguna ninguno nada nadie ni tampoco"),
    ("it", "non no mai senza nessun nessuno nessuna niente nulla né"),
    ("pt", "não nunca jamais sem nenhum nenhuma nada ninguém nem"),
    ("nl", "niet niets nooit niemand geen zonder noch"),
    ("sv", "inte ej aldrig utan ingen inget inga"),
    ("da", "ikke aldrig uden ingen intet"),
    ("no", "ikke aldri uten ingen intet"),
    ("nb", "ikke aldri uten ingen intet"),
    ("nn", "ikkje aldri utan ingen"),
    ("fi", "ei en et emme ette eivät älä ilman koskaan"),
    ("pl", "nie nigdy bez żaden żadna żadne nikt nic ani"),
    ("cs", "ne není nikdy bez žádný žádná nikdo nic ani"),
    ("sk", "nie nikdy bez žiadny nikto nič ani"),
    ("hu", "nem ne soha nincs nélkül senki semmi"),
    ("ro", "nu niciodată fără niciun nicio nimeni nimic"),
    ("tr", "değil yok hiç asla hiçbir"),
    ("el", "δεν μην όχι ποτέ χωρίς κανείς τίποτα"),
    ("ru", "не нет никогда без ни никто ничто ничего"),
    ("uk", "не ні нема немає ніколи без ніхто нічого"),
    ("bg", "не никога без никой нищо"),
    ("ar", "لا لم لن ليس ليست بدون غير"),
    ("he", "לא אין בלי אף"),
    ("fa", "نه هرگز بدون هیچ"),
    ("zh", "不 没 沒 无 無 未 非"),
    ("ja", "な ぬ 不 無 非 未"),
    ("ko", "안 못 않* 없* 아니*"),
];

/// Prefixes that turn a word into its opposite.
const OPPOSITES: &[&str] = &["un", "in", "im", "il", "ir", "dis", "non", "non-", "nicht", "nie"];

/// Number words, in lower case. A similar word is a different number.
const NUMBERS: &str = "zero one two three four five six seven eight nine ten eleven twelve thirteen \
    fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy \
    eighty ninety hundred hundreds thousand thousands million millions billion billions trillion \
    trillions dozen half third quarter \
    null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig hundert tausend \
    tausende millionen milliarde milliarden billion billionen halb drittel viertel \
    deux trois quatre cinq huit neuf dix cent mille milliard milliards \
    dos tres cuatro cinco seis siete ocho nueve diez cien mil millón millones \
    due tre quattro cinque sei sette otto nove dieci cento mila milione milioni miliardo miliardi \
    milhão milhões bilhão bilhões miljoen miljard miljoner miljarder millioner milliarder \
    milion miliard tysiąc tysięcy миллион миллиона миллионов миллиард миллиардов тысяча тысяч";

/// Phrases in correction and retraction notices, in lower case.
const NOTICES: &[&str] = &[
    "correction:",
    "corrections:",
    "clarification:",
    "retraction",
    "retracted",
    "erratum",
    "errata",
    "editor's note",
    "editor’s note",
    "editors' note",
    "an earlier version of this",
    "a previous version of this",
    "this article has been corrected",
    "this story has been corrected",
    "has been corrected to",
    "has been amended",
    "has been withdrawn",
    "we regret the error",
    "korrektur:",
    "berichtigung",
    "richtigstellung",
    "anmerkung der redaktion",
    "in einer früheren version",
    "in einer früheren fassung",
    "zurückgezogen",
    "rectificatif",
    "correction :",
    "une version précédente",
    "article a été corrigé",
    "note de la rédaction",
    "corrección:",
    "fe de errores",
    "rectificación",
    "una versión anterior",
    "rettifica",
    "errata corrige",
    "una versione precedente",
    "correção:",
    "uma versão anterior",
    "rectificatie",
    "correctie:",
    "eerdere versie",
    "rättelse",
    "rettelse:",
    "tidligere versjon",
    "tidligere version",
    "oikaisu",
    "sprostowanie",
    "oprava:",
    "helyesbítés",
    "düzeltme:",
    "исправление",
    "опровержение",
    "уточнение:",
    "спростування",
    "訂正",
    "お詫び",
    "更正",
    "勘误",
    "撤回",
    "撤稿",
    "정정",
];

/// Languages that write every noun with a capital letter.
pub(super) fn has_capital_nouns(language: Option<&str>) -> bool {
    matches!(primary(language).as_deref(), Some("de" | "lb" | "als" | "gsw" | "bar"))
}

/// Whether a lower-case word is a negation in a language, or in English if the language is unknown.
pub(super) fn is_negation(word: &str, language: Option<&str>) -> bool {
    let tag = primary(language).unwrap_or_else(|| "en".to_owned());
    let words = NEGATIONS.iter().find(|(t, _)| *t == tag).map_or("", |(_, words)| words);
    let listed =
        words.split(' ').filter(|one| !one.is_empty()).any(|one| match one.strip_suffix('*') {
            Some(stem) => word.starts_with(stem),
            None => word == one,
        });
    listed || word.ends_with("n't") || word.ends_with("n’t")
}

/// Whether one of two lower-case words is the other with a prefix that turns it into its opposite.
pub(super) fn is_opposite(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let begin = long.strip_suffix(short).unwrap_or_default();
    short.chars().count() >= 4 && OPPOSITES.contains(&begin)
}

/// Whether a lower-case word is a number.
pub(super) fn is_number(word: &str) -> bool {
    word.contains(char::is_numeric) || NUMBERS.split_whitespace().any(|number| number == word)
}

/// The phrase that makes a line a notice of a correction.
pub(super) fn notice(line: &str) -> Option<&'static str> {
    let lower = line.to_lowercase();
    NOTICES.iter().copied().find(|phrase| lower.contains(phrase))
}

fn primary(language: Option<&str>) -> Option<String> {
    let tag = language?.split(['-', '_']).next()?.to_ascii_lowercase();
    Some(tag).filter(|tag| !tag.is_empty())
}
