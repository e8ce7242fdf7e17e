"""Recognises words of assent and of refusal in several languages, and questions.

None of them approves anything. Assent and questions only keep a reply from being read as a denial.
"""

import unicodedata
from collections.abc import Sequence

_LONGEST = 120
"""Characters of a reply that may be assent; a longer one says something."""

_SPACED = """
yes|yeah|yep|yup|ya|yess|ye|y|ok|okay|okey|k|kk|sure|sure thing|of course|absolutely|certainly
fine|fine by me|good|great|perfect|nice|correct|right|agreed|approve|approved|approve it|i approve
accept|accepted|confirm|confirmed|go|go on|go ahead|go for it|do it|do that|do so|please do|do
run it|make it so|proceed|continue|carry on|sounds good|looks good|looks good to me|lgtm|all good
yes please|alright|all right|why not|with pleasure|definitely|exactly|it is ok|its ok|it is fine
its fine|thats fine|that is fine|thats ok|that is ok|thats good|thats right|its good|i agree|agree
works for me|fine with me|ok with me|you can|you may|no problem|im ok with that|im fine with that
happy with that|a lot|please|pls|plz|thanks|thank you|thx|ty|then|now|just|and|ja|jap|jo|jawohl
klar|na klar|natürlich|gerne|gern|gut|sehr gut|passt|passt so|mach|mach es|machs|mach das|mach mal
mach weiter|weiter|los|leg los|einverstanden|genehmigt|in ordnung|geht klar|alles klar|super|genau
richtig|bitte|danke|ja bitte|dann|jetzt|okidoki|oui|ouais|ouaip|d'accord|daccord|dac|bien sûr
bien sur|vas-y|vas y|vasy|allez-y|allez y|fais-le|fais le|faites-le|faites le|c'est bon|cest bon
parfait|très bien|tres bien|volontiers|continuez|s'il te plaît|s'il te plait|s'il vous plaît
s'il vous plait|stp|svp|merci|exact|entendu|sí|si|claro|claro que sí|claro que si|vale|dale
adelante|hazlo|de acuerdo|por supuesto|está bien|esta bien|perfecto|bueno|muy bien|correcto
continúa|continua|sigue|procede|por favor|gracias|aprobado|sì|va bene|certo|certamente|d'accordo
daccordo|fallo|fai pure|fai|procedi|vai|avanti|perfetto|bene|benissimo|per favore|grazie|esatto
giusto|approvato|sim|claro que sim|pode|pode ser|pode fazer|podes|faz|faz isso|faça|faca|faça isso
está bem|esta bem|tudo bem|com certeza|beleza|blz|vá em frente|va em frente|manda ver|perfeito
obrigado|obrigada|aprovado|isso|prima|goed|doe maar|doe het|ga je gang|ga maar|ga door|ga verder
akkoord|zeker|tuurlijk|natuurlijk|is goed|is prima|graag|alsjeblieft|alstublieft|dank je|bedankt
klopt|да|ага|угу|ок|окей|конечно|хорошо|ладно|давай|давайте|делай|сделай|сделай это|выполняй
вперед|вперёд|согласен|согласна|подтверждаю|разрешаю|продолжай|пожалуйста|спасибо|верно|отлично
можно|так|авжеж|звичайно|звісно|добре|гаразд|роби|зроби|зроби це|уперед|згоден|згодна|підтверджую
дозволяю|продовжуй|будь ласка|дякую|вірно|чудово|можна|evet|tamam|tamamdır|olur|tabii|tabi
tabii ki|elbette|peki|yap|yapabilirsin|onaylıyorum|onayla|onay|devam|devam et|hadi|kabul|uygun
doğru|güzel|harika|lütfen|teşekkürler|sağol
"""
_REFUSING = """
no|nope|nah|no way|no thanks|no thank you|please no|no please|not now|dont|do not|deny|denied|reject
nein|nee|nö|ne|nein danke|lieber nicht|bloß nicht|lass es|non|non merci|no gracias|no grazie|não
nao|não obrigado|não obrigada|nee bedankt|liever niet|нет|не надо|нет спасибо|ні|не треба|ні дякую
hayır|yok|olmaz|hayır teşekkürler
"""
_REFUSING_UNSPACED = "不|不要|不行|不用|别|別|不了|いいえ|いや|だめ|ダメ|やめて|結構です"
_UNSPACED = """
好|好的|好啊|好吧|是|是的|对|对的|行|可以|没问题|当然|同意|批准|确认|继续|继续吧|去做吧|做吧|请|请做|谢谢|嗯|好滴|好呀|對|沒問題|當然|確認|繼續|謝謝
可以的|行的|没错|沒錯|はい|ええ|うん|ok|オーケー|オッケー|いいよ|いいです|いいですよ|いいね|お願い|お願いします|おねがい|おねがいします|どうぞ|やって
やってください|やってくれ|続けて|続けてください|進めて|進めてください|了解|了解です|承認|承認します|承知しました|もちろん|大丈夫|大丈夫です|ありがとう|そうです|実行して
実行してください|わかりました
"""
_ASKING = """
why|why so|why that|why this|what|what for|what is it|what is this|what is that|whats this
whats that|which|which one|which file|how|how so|how come|who|when|where|huh|are you sure|you sure
really|warum|wieso|weshalb|wozu|was|was ist das|wie|wie bitte|welche|welcher|welches|hä|wirklich
bist du sicher|pourquoi|quoi|c'est quoi|comment|lequel|laquelle|vraiment|por qué|por que|porque|qué
que|qué es|cómo|cuál|de verdad|perché|perche|cosa|cos'è|che cosa|quale|davvero|o que
o que é isso|como|qual|sério|waarom|wat|hoe|welke|echt waar|почему|зачем|что|что это|как|какой
какая|какие|чому|навіщо|що|що це|як|neden|niye|niçin|nasıl|hangi|emin misin
"""
_ASKING_UNSPACED = (
    "为什么|為什麼|什么|什麼|这是什么|哪个|怎么|なぜ|なんで|どうして|何|なに|どれ|本当に"
)
_SIGNS = frozenset("👍👌✅✔☑🆗💯🙏🙌👏🫡😀😊🙂😁💪🚀❤")
_APOSTROPHES = str.maketrans(dict.fromkeys("'’ʼ`"))
_QUESTION_MARKS = ("?", "？", "؟", "⁇", "⁈", "⁉")


def is_assent(text: str) -> bool:
    """Returns true for a reply of yes, ok, 👍 and the like, and of nothing else."""
    if len(text) > _LONGEST:
        return False
    plain = _plain(text)
    if plain:
        return _made_of(plain.split(), _WORDS) or _made_of(plain.replace(" ", ""), _LETTERS)
    return any(sign in _SIGNS for sign in text)


def is_refusal(text: str) -> bool:
    """Returns true for a reply of no, 👎 and the like, and of nothing else."""
    refuses = _is_one_of(text, _REFUSALS, _REFUSAL_LETTERS) or text.strip("\ufe0f \n") == "👎"
    return refuses and not is_question(text)


def is_question(text: str) -> bool:
    """Returns true for a text that ends with a question mark, and for “why” and the like alone."""
    if _asks(text):
        return True
    end = len(text)
    while end and not (text[end - 1].isalnum() or text[end - 1] in _QUESTION_MARKS):
        end -= 1
    return text[:end].endswith(_QUESTION_MARKS)


def _asks(text: str) -> bool:
    """Returns true for question words and nothing else; people often leave the mark out."""
    return _is_one_of(text, _QUESTIONS, _QUESTION_LETTERS)


def _is_one_of(
    text: str, spaced: frozenset[tuple[str, ...]], letters: frozenset[tuple[str, ...]]
) -> bool:
    if len(text) > _LONGEST:
        return False
    plain = _plain(text)
    return tuple(plain.split()) in spaced or tuple(plain.replace(" ", "")) in letters


def _plain(text: str) -> str:
    """Returns the words alone: lower case, without punctuation, apostrophes and signs."""
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_APOSTROPHES)
    kept = (c if c.isalnum() or c == "-" or _combines(c) else " " for c in folded)
    return " ".join(" ".join("".join(kept).split()).replace(" - ", " ").split())


def _combines(letter: str) -> bool:
    return unicodedata.category(letter) == "Mn" and letter not in "\ufe0e\ufe0f"


def _phrases(lines: str) -> list[str]:
    return [_plain(phrase) for phrase in lines.replace("\n", "|").split("|") if phrase.strip()]


def _made_of(parts: Sequence[str], phrases: frozenset[tuple[str, ...]]) -> bool:
    """Returns True when the parts are phrases, one behind the other."""
    reached = [True, *[False] * len(parts)]
    longest = max(map(len, phrases))
    for start, _ in enumerate(parts):
        if reached[start]:
            for end in range(start + 1, min(start + longest, len(parts)) + 1):
                reached[end] = reached[end] or tuple(parts[start:end]) in phrases
    return reached[-1]


_WORDS = frozenset(tuple(phrase.split()) for phrase in _phrases(_SPACED))
_QUESTIONS = frozenset(tuple(phrase.split()) for phrase in _phrases(_ASKING))
_QUESTION_LETTERS = frozenset(tuple(phrase) for phrase in _phrases(_ASKING_UNSPACED))
_REFUSALS = frozenset(tuple(phrase.split()) for phrase in _phrases(_REFUSING))
_REFUSAL_LETTERS = frozenset(tuple(phrase) for phrase in _phrases(_REFUSING_UNSPACED))
_LETTERS = frozenset(tuple(phrase) for phrase in _phrases(_UNSPACED))
