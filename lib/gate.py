"""The gate: one compile per subject at a time, whoever asks."""

from threading import Condition, get_ident


class CompileGate:
    """Lets one thread per subject in; the one that is in may enter again.

    A server that compiles a subject twice at the same time makes every memory twice. So buttons,
    tabs and clients of one process share one gate.
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._inside: dict[str, list[int]] = {}
        """Subject → the thread that is in, once per time it entered."""

    def enter(self, subject_id: str, *, wait_s: float = 0.0) -> bool:
        """True when nobody else is in, within `wait_s` seconds; call `leave` afterwards."""
        me = get_ident()

        def free() -> bool:
            return self._inside.get(subject_id, [me])[0] == me

        with self._changed:
            if not self._changed.wait_for(free, timeout=max(wait_s, 0.0)):
                return False
            self._inside.setdefault(subject_id, []).append(me)
            return True

    def leave(self, subject_id: str) -> None:
        """Let the next one in."""
        with self._changed:
            entered = self._inside[subject_id]
            entered.pop()
            if not entered:
                del self._inside[subject_id]
                self._changed.notify_all()
