"""Plain statements that a model can't or won't tell."""

import re

_CANNOT = (
    r"(?:can(?:no|')t|can not|could ?n(?:o|')t|unable to|not able to|(?:not|im)possible to|"
    r"won't|will not|refuse to|decline to|not comfortable)"
)
_VERB = (
    r"(?:(?:be )?(?:accurately |reliably |definitively |confidently |directly |really |"
    r"conclusively |possibly |currently )?"
    r"(?:tell|determin|answer|decid|say\b|identif|verif|assess|provid|help|assist|see\b|view|"
    r"analy[sz]|judg|conclu|confirm|infer|comply|know|distinguish|access|process|interpret|"
    r"make out|be sure|evaluat|estimat|giv|open|display|read))"
)
_REFUSAL = re.compile(
    rf"\b{_CANNOT}\s{_VERB}|\b(?:don't|do not|doesn't|does not) know\b|\bno idea\b"
    r"|\b(?:not enough|insufficient|no) (?:information|data|evidence|image (?:was|is|has been))\b"
    r"|\bas an ai\b|无法(?:确定|判断|回答|看到|识别|辨认|提供)|不能(?:确定|判断|回答)|不知道",
    re.IGNORECASE,
)
_TURN = re.compile(r"\b(?:but|however|though|nevertheless|still)\b|但|不过", re.IGNORECASE)
_NEAR_EDGE = 240


def is_refusal(text: str) -> bool:
    """Say whether a reply plainly states that it can't or won't tell.

    The statement has to stand near the start or the end, and no "but" may follow it.

    Examples
    --------
    >>> is_refusal("I'm sorry, I cannot determine this from the image.")
    True
    >>> is_refusal("It may be either.")
    False
    """
    if len(text) <= 2 * _NEAR_EDGE:
        return _refuses(text)
    return _refuses(text[:_NEAR_EDGE]) or _refuses(text[-_NEAR_EDGE:])


def _refuses(text: str) -> bool:
    statement = _REFUSAL.search(text)
    return statement is not None and _TURN.search(text, statement.end()) is None
