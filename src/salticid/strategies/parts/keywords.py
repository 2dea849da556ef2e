"""The keywords of a topic, for strategies that go by them themselves."""

from __future__ import annotations

from salticid.errors import UserError
from salticid.protocols import Brief
from salticid.text.bags import Bag
from salticid.text.stems import Stems


def keywords_of(brief: Brief, stems: Stems) -> Bag:
    """The stems of the keywords; a UserError when there is none among them to go by."""
    found = Bag.of(stems.terms(brief.topic.keywords))
    if not found.norm:
        raise UserError(
            f"the keywords of topic {brief.topic.name!r} hold no word to go by "
            f"({brief.topic.keywords!r} in language {brief.language!r}); name at least one that is no stop word"
        )
    return found
