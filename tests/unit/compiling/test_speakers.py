"""Several people in one subject: nobody's words become another's."""

from datetime import timedelta
from typing import Any

from lib.compiling.draft import Draft
from lib.compiling.offline import OfflineCompiler
from lib.models import PROFILE_FACT, Episode
from tests.unit.compiling.conversations import START, contents, conversation


def chat(*said: tuple[str, str], **metadata: Any) -> list[Episode]:
    """One episode per message, roles as given."""
    return [
        Episode(
            f"e{number}",
            "chat",
            {"messages": [{"role": role, "content": text}]},
            START + timedelta(minutes=number),
            session_id="s",
            metadata=metadata,
        )
        for number, (role, text) in enumerate(said)
    ]


def facts(drafts: list[Draft]) -> list[str]:
    """The profile facts."""
    return contents(drafts, PROFILE_FACT)


def test_names_before_a_colon_tell_who_speaks() -> None:
    drafts = OfflineCompiler().draft(
        chat(("user", "Nora: I live in Graz."), ("assistant", "Emil: I live in Wien, I sing alto."))
    )
    assert facts(drafts) == ["Nora lives in Graz.", "Emil lives in Wien.", "Emil sings alto."]
    assert {draft.slot for draft in drafts} >= {"Nora/home", "Emil/home"}


def test_a_speaker_in_the_metadata_counts() -> None:
    drafts = OfflineCompiler().draft(chat(("assistant", "I am vegan."), speaker="Emil"))
    assert facts(drafts) == ["Emil is vegan."]


def test_a_word_before_a_colon_is_no_name() -> None:
    drafts = OfflineCompiler().draft(chat(("user", "Update: I live in Graz.")))
    assert facts(drafts) == ["The user lives in Graz."]


def test_an_unnamed_person_who_answers_is_not_the_subject() -> None:
    drafts = OfflineCompiler().draft(
        chat(("user", "I live in Graz."), ("assistant", "I live in Wien. Use the tram, it works."))
    )
    assert [draft.content for draft in drafts] == ["The user lives in Graz."]


def test_people_among_themselves_leave_no_summaries_and_no_procedures() -> None:
    drafts = OfflineCompiler().draft(
        chat(
            ("user", "The roof leaks and nothing works. How do we stop it?"),
            ("assistant", "Put a bucket under it and call Stane."),
            ("user", "That worked, it is fixed now."),
        )
    )
    assert drafts == []


def team(*turns: tuple[str, str]) -> list[Draft]:
    """A team that says it shares the account, one session per turn."""
    episodes = conversation(
        ("I'm Ines Carvalho, and the whole team will share this assistant.", "Welcome."),
        session_id="s0",
    )
    for number, turn in enumerate(turns, start=1):
        start = START + timedelta(days=number)
        episodes += conversation(turn, session_id=f"s{number}", start=start)
    return OfflineCompiler().draft(episodes)


def test_in_a_shared_account_each_has_facts_of_their_own() -> None:
    told = facts(team(("Tomasz here. I live in Gdynia.", "Hi."), ("I love tea. — Ines", "Hi.")))
    assert "Tomasz lives in Gdynia." in told
    assert "Ines Carvalho loves tea." in told


def test_what_the_team_does_is_the_teams_whoever_says_it() -> None:
    drafts = team(
        ("We release on Thursdays. — Ines", "Noted."),
        ("Tomasz here. Releases move from Thursday to Tuesday.", "Noted."),
    )
    old, new = [draft for draft in drafts if draft.slot == "state:release"]
    assert old.content == "The team releases on Thursdays."
    assert new.content.startswith("The team's releases are now on Tuesday, moved from Thursday")


def test_what_nobody_signed_is_nobodys() -> None:
    assert not any("loves tea" in fact for fact in facts(team(("I love tea.", "Hi."))))


def test_owners_change_by_name() -> None:
    drafts = team(
        ("Tomasz here. I own route-solver.", "Noted."),
        ("Hana Novak joins on Monday and takes route-solver over. — Ines", "Noted."),
    )
    owners = [draft for draft in drafts if draft.slot == "team:owner route-solver"]
    assert [o.content for o in owners] == [
        "Tomasz owns route-solver.",
        "Hana Novak owns route-solver.",
    ]
