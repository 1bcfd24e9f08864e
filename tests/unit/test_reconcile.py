"""What drafts mean for the memories there are."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from lib.compiling.draft import Draft
from lib.compiling.reconcile import Reconciliation, merged_confidence, normalised, reconcile
from lib.models import Memory

MONDAY = datetime(2026, 1, 5, 9, tzinfo=UTC)
TUESDAY = MONDAY + timedelta(days=1)
WEDNESDAY = MONDAY + timedelta(days=2)
NOW = MONDAY + timedelta(days=30)


def draft(
    content: str, when: datetime = MONDAY, *, slot: str | None = None, episode: str = "e1"
) -> Draft:
    return Draft("profile_fact", content, 0.7, when, (episode,), slot=slot)


def run(drafts: list[Draft], active: list[Memory] | None = None) -> Reconciliation:
    ids = count(1)
    return reconcile(
        drafts, active or [], subject_id="ada", now=NOW, new_id=lambda: f"new{next(ids)}"
    )


def existing(content: str, when: datetime = MONDAY, *, slot: str | None = None) -> Memory:
    return replace(run([draft(content, when, slot=slot, episode="e0")]).created[0], id="old")


def test_a_draft_becomes_a_memory_with_all_it_carries() -> None:
    given_draft = replace(
        draft("Uses [secret]", slot="key"),
        tags=("stack",),
        labels=("secret",),
        masked=2,
        metadata={"origin": "chat"},
    )
    result = run([given_draft])
    (memory,) = result.created
    assert memory.metadata == {"origin": "chat", "tags": ["stack"], "slot": "key"}
    assert (memory.labels, memory.source_episode_ids) == (("secret",), ("e1",))
    assert (memory.valid_from, memory.created_at, memory.subject_id) == (MONDAY, NOW, "ada")
    assert result.masked == 2


def test_the_same_content_merges_into_the_memory_there_is() -> None:
    result = run([draft("likes  TEA.", TUESDAY, episode="e2")], [existing("Likes tea")])
    (memory,) = result.updated
    assert (result.created, result.merged, result.merged_ids) == ((), 1, ("old",))
    assert memory.source_episode_ids == ("e0", "e2")
    assert memory.confidence == merged_confidence(0.7, 0.7)


def test_the_same_content_of_another_kind_stays_apart() -> None:
    result = run([replace(draft("Likes tea"), kind="procedure")], [existing("Likes tea")])
    assert (len(result.created), result.merged) == (1, 0)


def test_different_content_without_a_slot_stays_apart() -> None:
    result = run([draft("Likes tea"), draft("Likes teak")])
    assert [memory.status for memory in result.created] == ["active", "active"]


def test_a_newer_value_of_a_slot_supersedes() -> None:
    old = existing("Lives in Rome", slot="home")
    result = run([draft("Lives in Porto", TUESDAY, slot="home")], [old])
    (new,), (ended,) = result.created, result.updated
    assert (ended.status, ended.valid_to, ended.superseded_by) == ("superseded", TUESDAY, new.id)
    assert (new.status, new.metadata["supersedes"]) == ("active", "old")
    assert [(each.old.id, each.new.id) for each in result.replacements] == [("old", new.id)]


def test_a_slot_changes_within_one_batch_too() -> None:
    result = run(
        [
            draft("Lives in Rome", MONDAY, slot="home"),
            draft("Lives in Porto", TUESDAY, slot="home"),
            draft("Lives in Rome", WEDNESDAY, slot="home"),
        ]
    )
    assert [(memory.content, memory.status) for memory in result.created] == [
        ("Lives in Rome", "superseded"),
        ("Lives in Porto", "superseded"),
        ("Lives in Rome", "active"),
    ]


def test_a_backdated_value_is_superseded_by_the_newer_one_there_is() -> None:
    current = existing("Lives in Porto", TUESDAY, slot="home")
    result = run([draft("Lives in Rome", MONDAY, slot="home")], [current])
    (backdated,) = result.created
    assert (backdated.status, backdated.superseded_by) == ("superseded", "old")
    assert backdated.valid_to == TUESDAY
    assert all(memory.status == "active" for memory in result.updated)


def test_a_value_said_again_later_counts_as_stated_later() -> None:
    confirmed = run(
        [draft("Lives in Rome", WEDNESDAY, slot="home")], [existing("Lives in Rome", slot="home")]
    ).updated[0]
    result = run([draft("Lives in Porto", TUESDAY, slot="home")], [confirmed])
    assert result.created[0].superseded_by == "old"


def test_a_draft_without_text_gives_nothing() -> None:
    assert run([draft(" \n")]).created == ()


def test_normalising_ignores_case_spaces_and_the_final_stop() -> None:
    assert normalised(" Likes\n Tea. ") == normalised("likes tea")
    assert normalised("likes tea") != normalised("likes teas")


@given(first=st.floats(0, 1), second=st.floats(0, 1))
def test_repetition_never_lowers_confidence_nor_makes_it_certain(
    first: float, second: float
) -> None:
    merged = merged_confidence(first, second)
    assert merged >= first
    assert merged <= max(first, 0.99)


PLACES = st.sampled_from(["Rome", "Porto", "Pune", "Lima"])


@given(said=st.lists(st.tuples(PLACES, st.integers(0, 20)), min_size=1))
def test_one_value_of_a_slot_is_left_and_it_is_the_one_stated_last(
    said: list[tuple[str, int]],
) -> None:
    drafts = [
        draft(f"Lives in {place}", MONDAY + timedelta(days=day), slot="home") for place, day in said
    ]
    active = [memory for memory in run(drafts).created if memory.status == "active"]
    latest = max(day for _, day in said)
    assert len(active) == 1
    assert active[0].content.removeprefix("Lives in ") in {
        place for place, day in said if day == latest
    }
