"""The outbox: what is recorded goes through it, and waits in it while the runtime is away."""

import random
import time
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeVar
from uuid import uuid4

from lib.errors import InputError, StatewaveError
from lib.models import NewEpisode
from lib.outbox.background import BackgroundSender
from lib.outbox.sending import Attempt, attempt
from lib.outbox.store import OutboxStore
from lib.outbox.values import Backlog, KeptTurn, Recording
from lib.protocol import MemoryRuntime

V = TypeVar("V")

FIRST_PAUSE_S: Final = 1.0
LONGEST_PAUSE_S: Final = 60.0


def _random_id() -> str:
    return uuid4().hex


class Outbox:
    """Records turns on `runtime`, each once and a subject's in order, however often it fails.

    With `keeps_first` a turn is on disk before it is sent, so that not even a crash of this
    process in the middle of a call loses it; without, the file is made at the first failure.
    One thread, which runs only while something waits, sends it again after 1, 2, 4 … 60 s;
    without `sends_by_itself` only `send_now` does.
    Turns for another `destination` stay until the app is connected to that one again.
    """

    def __init__(
        self,
        path: Path,
        runtime: MemoryRuntime,
        *,
        destination: str,
        keeps_first: bool = False,
        sends_by_itself: bool = True,
        after_sending: Callable[[str], None] = lambda _: None,
        first_pause_s: float = FIRST_PAUSE_S,
        clock: Callable[[], float] = time.time,
        jitter: Callable[[], float] = random.random,
        new_id: Callable[[], str] = _random_id,
    ) -> None:
        self._store = OutboxStore(path, clock=clock)
        self._runtime, self._destination = runtime, destination
        self._keeps_first, self._sends_by_itself = keeps_first, sends_by_itself
        self._after_sending = after_sending
        self._first_pause_s, self._clock, self._jitter = first_pause_s, clock, jitter
        self._new_id = new_id
        self._background = BackgroundSender(self._try_all, self._is_done, lambda: self.pause_s)
        self._failures = 0
        self._away = False
        self._asked_to_wait_s = 0.0
        self._maybe_arrived: set[str] = set()
        """Turns that could not be kept after an attempt that may have arrived."""

    # One turn

    def record(
        self, subject_id: str, episode: NewEpisode, *, replaces_turn: str | None = None
    ) -> Recording:
        """What became of the turn `episode.idempotency_key`; asking again never repeats it.

        `replaces_turn` is the turn whose episode it takes the place of, where that episode is
        not known yet. Never raises a StatewaveError: the reason is in what it returns.
        """
        turn = KeptTurn(
            subject_id,
            self._destination,
            episode,
            datetime.fromtimestamp(self._clock(), UTC),
            replaces_turn=replaces_turn,
            unsure=episode.idempotency_key in self._maybe_arrived,
        )
        try:
            known = self._store.find([turn.turn_id]).get(turn.turn_id)
            waiting = self._store.waiting_subjects(self._destination)
        except StatewaveError as error:
            # A file that cannot be read must not keep the runtime from being asked.
            return self._without_file(turn, str(error))
        if known:
            return known
        # Where others wait for it to come back, the visitor need not wait in vain as well.
        away = self._away and bool(waiting)
        if self._keeps_first or away or subject_id in waiting:
            return self._keep_and_send(turn, away=away, queued=subject_id in waiting)
        made = self._attempt(turn)
        return made.became if made.became.state == "recorded" else self._keep_failed(turn, made)

    def find(self, turn_ids: Collection[str]) -> dict[str, Recording]:
        """What became of kept turns, as far as the file tells."""
        try:
            return self._store.find(turn_ids)
        except StatewaveError:
            # The turns then stay as they were last seen; `backlog` says what is wrong.
            return {}

    # All turns

    @property
    def destination(self) -> str:
        """Where its turns go: the runtime's address, or the embedded engine."""
        return self._destination

    def backlog(self) -> Backlog:
        """What waits, at the cost of one read; sending goes on by itself where it had ended."""
        try:
            backlog = self._store.backlog(self._destination)
        except StatewaveError as error:
            return Backlog(error=str(error))
        if backlog.waiting and self._sends_by_itself:
            self._background.start()
        return backlog

    def open_turns(self) -> list[KeptTurn]:
        """Every turn that no runtime has, the oldest first. Raises StoreError."""
        return self._store.open_turns()

    def send_now(self) -> None:
        """Sends what waits, here and now, and stops where the runtime turns out to be away."""
        self._try_all()
        self.backlog()

    def send_again(self, turn_id: str) -> None:
        """Sends a refused turn once more. Raises StoreError."""
        self._store.send_again(turn_id)
        self.send_now()

    def discard(self, turn_id: str) -> None:
        """Erases a turn for good. Raises StoreError."""
        self._store.discard(turn_id)

    def delete_subject(self, subject_id: str, delete: Callable[[], V]) -> V:
        """What `delete` returns. Nothing of the subject is sent meanwhile, and what waited is
        erased once that has succeeded, so that it does not bring the subject back.
        """
        owner = self._new_id()
        if not self._store.hold(self._destination, subject_id, owner=owner):
            raise InputError("A turn of this subject is being recorded. Try again in a moment.")
        try:
            deleted = delete()
            self._store.discard_subject(self._destination, subject_id)
        finally:
            self._store.release(self._destination, subject_id, owner=owner)
        return deleted

    @property
    def pause_s(self) -> float:
        """Seconds until the next try, counted from the last one; 0 when nothing failed."""
        if not self._failures:
            return 0.0
        doubled = self._first_pause_s * 2.0 ** min(self._failures - 1, 10)
        # Up to a quarter less, so that several processes do not knock at the same moment.
        pause = min(doubled, LONGEST_PAUSE_S) * (1 - self._jitter() / 4)
        return max(pause, self._asked_to_wait_s)

    def close(self) -> None:
        """Ends the thread, which leaves what it is doing within 2 s or with its current call."""
        if self._background.close():
            self._store.close()

    # Pieces

    def _keep_and_send(self, turn: KeptTurn, *, away: bool, queued: bool) -> Recording:
        owner = self._new_id()
        try:
            self._store.keep(turn, owner=None if away else owner)
        except InputError as error:
            return Recording("refused", reason=str(error))
        except StatewaveError as error:
            return self._without_file(turn, str(error), queued=queued)
        self._maybe_arrived.discard(turn.turn_id)
        ended = None
        if not away:
            try:
                _, ended = self._send_subject(turn.subject_id, owner)
            except StatewaveError as error:
                return Recording("waiting", reason=str(error))
        became = self.find([turn.turn_id]).get(turn.turn_id, Recording("waiting"))
        if became.state == "waiting" and ended is None and not self._asked_to_wait_s:
            # A new turn is a reason to try again at once; and whoever is at this subject's turns
            # may have just looked for more.
            self._background.wake()
        self.backlog()
        return became

    def _keep_failed(self, turn: KeptTurn, made: Attempt) -> Recording:
        """Keeps a turn that the runtime did not take."""
        if made.unsure:
            self._maybe_arrived.add(turn.turn_id)
        kept = KeptTurn(
            turn.subject_id,
            turn.destination,
            turn.episode,
            turn.kept_at,
            state=made.became.state,
            reason=made.became.reason or "",
            replaces_turn=turn.replaces_turn,
            unsure=made.unsure,
        )
        try:
            self._store.keep(kept)
        except InputError as error:
            return Recording("refused", reason=str(error))
        except StatewaveError as error:
            return Recording("unkept", reason=f"{made.became.reason} {error}")
        self._maybe_arrived.discard(turn.turn_id)
        self.backlog()
        return made.became

    def _without_file(self, turn: KeptTurn, reason: str, *, queued: bool = False) -> Recording:
        """Straight to the runtime; but never ahead of an earlier turn of the subject."""
        if queued:
            return Recording("unkept", reason=reason)
        made = self._attempt(turn)
        if made.unsure:
            self._maybe_arrived.add(turn.turn_id)
        if made.became.state != "waiting":
            return made.became
        return Recording("unkept", reason=f"{made.became.reason} {reason}")

    def _attempt(self, turn: KeptTurn) -> Attempt:
        made = attempt(self._runtime, turn, replaces=self._replaced_episode(turn))
        self._away = made.away
        self._asked_to_wait_s = made.wait_s
        self._failures = self._failures + 1 if made.became.state == "waiting" else 0
        return made

    def _replaced_episode(self, turn: KeptTurn) -> str | None:
        if turn.replaces_turn is None:
            return None
        replaced = self.find([turn.replaces_turn]).get(turn.replaces_turn)
        return replaced.episode_id if replaced else None

    def _send_subject(self, subject_id: str, owner: str) -> tuple[int, Attempt | None]:
        """How many of the subject's turns were recorded, and the attempt that ended it, if any."""
        recorded = 0
        while turn := self._store.next_to_send(self._destination, subject_id, owner=owner):
            if self._background.closing:
                self._store.release(self._destination, subject_id, owner=owner)
                break
            made = self._attempt(turn)
            self._store.settle(turn, made.became, owner=owner, unsure=made.unsure)
            if made.became.state == "waiting":
                return recorded, made
            recorded += made.became.state == "recorded"
        return recorded, None

    def _send_all(self) -> None:
        failed = False
        for subject_id in self._store.waiting_subjects(self._destination):
            recorded, ended = self._send_subject(subject_id, self._new_id())
            # Without an end and without a turn, another process is sending this subject's.
            failed = failed or ended is not None or not recorded
            if recorded:
                self._after_sending(subject_id)
            if (ended and ended.away) or self._background.closing:
                break
        # A subject that went well does not shorten the pause of one that failed.
        self._failures = max(self._failures, 1) if failed else 0

    def _try_all(self) -> None:
        failures = self._failures
        try:
            self._send_all()
        except StatewaveError:
            # The file cannot be used: `backlog` says so, and the next try comes later.
            self._failures = failures + 1

    def _is_done(self) -> bool:
        try:
            return not self._store.waiting_subjects(self._destination)
        except StatewaveError:
            return False
