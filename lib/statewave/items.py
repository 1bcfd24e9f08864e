"""Items: what a bundle holds, as candidates, where the server tells no ranks or scores."""

from dataclasses import replace

from lib.models import EPISODE, ContextBundle, ContextItem
from lib.tokens import count_many


def with_items(bundle: ContextBundle) -> ContextBundle:
    """The bundle with its memories and episodes as kept items, in the order they were sent.

    Score and parts are None. Tokens are those of the text alone; the server's bullets and
    headings are not in it. What was cut stays unknown.
    """
    if bundle.items or not bundle.context_used:
        return bundle
    rows = [
        (memory.id, memory.kind, memory.content, None, memory.source_episode_ids)
        for memory in bundle.memories
    ] + [(episode.id, EPISODE, episode.text, episode.session_id, ()) for episode in bundle.episodes]
    tokens = count_many([content for _, _, content, _, _ in rows])
    items = tuple(
        ContextItem(
            id=id_,
            kind=kind,
            content=content,
            tokens=count,
            rank=rank,
            included=True,
            session_id=session_id,
            source_episode_ids=sources,
        )
        for rank, ((id_, kind, content, session_id, sources), count) in enumerate(
            zip(rows, tokens, strict=True), start=1
        )
    )
    return replace(bundle, items=items)
