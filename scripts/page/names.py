"""Text from hand-ins, as a page may show it; and pseudonyms."""
import re
import shlex
import unicodedata

# These verdicts have a reason that only this program words. Other reasons can quote the hand-in.
OUR_REASONS = {"pass", "wrong", "hung", "leaks", "out of bounds", "no memory", "too slow", "time refused"}
SIGNAL = re.compile(r"(.*: )?crashed \(SIG[A-Z0-9]+\)")
QUOTES = "not shown, because it can quote the hand-in"


def visible(value):
    """The JSON value with every character that is invisible or changes the direction of the text as its code.

    A byte that was not UTF-8 (jsonText() in src/harness/io/json.h) becomes \\xff."""
    if isinstance(value, dict):
        return {key: visible(item) for key, item in value.items()}
    if isinstance(value, list):
        return [visible(item) for item in value]
    return re.sub(r"[\W]", lambda found: shown(found.group()), value) if isinstance(value, str) else value


def shown(character):
    code, kept = ord(character), character in "\n\u200c\u200d"  # the latter two join letters and emoji
    if unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") or kept:
        return character
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"


class Pseudonyms:
    """Replaces the names of hand-ins by the beginning of their digest, which each author can compute.

    A hand-in without a digest gets a number."""

    def __init__(self):
        self.given = set()

    def of(self, digest):
        wanted = digest[:6] or "file"
        name, number = (wanted, 1) if digest else (f"{wanted} 1", 1)
        while name in self.given:
            number += 1
            name = f"{wanted} {number}"
        self.given.add(name)
        return name


def parts(*names):
    """The names, and the words in them that have at least three letters, in lower case."""
    words = (word for name in names for word in re.findall(r"[^\W\d_]{3,}", name))
    return {text.lower() for text in (*names, *words) if text}


def without_names(text, names):
    """The text, or a remark in its place if it contains one of these names."""
    return QUOTES if any(name in text.lower() for name in names) else text


def without_file(command):
    """The command with FILE in place of the hand-in, and without the folder of the program."""
    program, _, rest = command.partition(" --kernel ")
    try:
        words = shlex.split(program)
    except ValueError:
        return ""
    words = ["./apsp", *words[1:]]
    end = next((end for end in (" --verify apsp", " --verify") if rest.endswith(end)), "")
    return f"{shlex.join(words)} --kernel FILE{end}" if words[1:] else ""
