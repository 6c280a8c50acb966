"""Two other ways to read an HM-Bench reply: as its released code does, and as its paper says.

Both serve comparison with published numbers (arXiv 2604.08884). The released way loses plain
answers and finds letters inside words; it is kept as it behaves, not as it was meant.
"""

import re

# A letter right behind these words, whatever follows it: "ANSWER IS B" gives the I of IS.
_BEHIND_WORDS = (
    re.compile(r"ANSWER\s*:?\s*([A-Z])"),
    re.compile(r"OPTION\s*:?\s*([A-Z])"),
    re.compile(r"CHOICE\s*:?\s*([A-Z])"),
    re.compile(r"THE ANSWER IS\s*:?\s*([A-Z])"),
    re.compile(r"FINAL ANSWER\s*:?\s*([A-Z])"),
    re.compile(r"(?:答案|选)\s*[是为:]?\s*([A-Z])"),
)
_AT_START = re.compile(r"^\s*([A-Z])\b")
_IN_BRACKETS = re.compile(r"[(（]\s*([A-Z])\s*[)）]")
_ALONE = re.compile(r"\b([A-Z])\b")
_LABEL = re.compile(r"(?<![A-Za-z0-9'\-])([A-Z])(?![A-Za-z0-9]|'[A-Za-z]|-[A-Za-z])")
_ARTICLE = re.compile(r"\s[a-z]")


def read_released(reply: str, letters: str) -> str | None:
    """Read a reply as the released scorer does.

    The whole reply is a letter; else all matches of a list of patterns, in capitals, are collected,
    and more than one distinct letter among the offered `letters` makes the reply void.

    Examples
    --------
    >>> read_released("The answer is B", "ABCDEFGHI") is None
    True
    >>> read_released("Answer: Concrete", "ABCDEF")
    'C'
    """
    folded = reply.strip().upper()
    if len(folded) == 1:
        return folded if folded in letters else None
    found = {
        letter
        for pattern in (_AT_START, *_BEHIND_WORDS, _IN_BRACKETS, _ALONE)
        for letter in pattern.findall(folded.replace("：", ":"))
        if letter in letters
    }
    return found.pop() if len(found) == 1 else None


def read_paper(reply: str, letters: str) -> str | None:
    """Read a reply as the paper says: its first valid label counts.

    A label is one of the offered `letters`, in capitals, standing alone; ``A`` and ``I`` before a
    lower-case word are words. A reply that is one letter of any case is that letter.

    Examples
    --------
    >>> read_paper("A building. Answer: C, not D", "ABCD")
    'C'
    """
    whole = reply.strip()
    if len(whole) == 1:
        return whole.upper() if whole.upper() in letters else None
    for match in _LABEL.finditer(reply):
        is_word = match[1] in "AI" and _ARTICLE.match(reply, match.end())
        if match[1] in letters and not is_word:
            return match[1]
    return None
