"""Leaves out bodies that break a rule which the description states in words.

No level of `context` may hold a field like a prototype. As a schema the description says so of its first level only,
because generators of clients do not read recursive schemas.
"""

import schemathesis


def breaks_words(value):
    if isinstance(value, list):
        return any(map(breaks_words, value))
    if not isinstance(value, dict):
        return False
    of_constructor = value.get("constructor")
    is_refused = "__proto__" in value or (isinstance(of_constructor, dict) and "prototype" in of_constructor)
    return is_refused or any(map(breaks_words, value.values()))


@schemathesis.hook
def filter_body(context, body):
    return not (isinstance(body, dict) and breaks_words(body.get("context")))
