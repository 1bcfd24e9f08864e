"""Where our server means to differ from a recorded Statewave 0.7.1, and why."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Difference:
    """Mismatches at `at` (`status`, or a place in the answer) of the records that `of` matches."""

    of: str
    at: str
    why: str

    def covers(self, name: str, place: str) -> bool:
        """Whether the mismatch at `place` of the record `name` is meant."""
        return bool(re.fullmatch(self.of, name) and re.fullmatch(self.at, place))


DIFFERENCES = (
    # Not part of this product
    Difference(r"support/(resolution|handoff|health|sla).*", "status", "support desk: 404"),
    Difference(r"admin/(?!snapshots|export-unknown).*", "status", "no /admin: 404"),
    Difference(r"admin/(export-unknown|snapshots.*)", r"error\.message", "no /admin: 404"),
    Difference(r"kinds/(import.*|export)", "status", "no /admin: 404"),
    Difference(
        r"kinds/(search-.*|timeline|context-.*)",
        r"(memories|episodes|facts|procedures).*|assembled_context|token_estimate",
        "the subject was put there by /admin/import, which is not offered",
    ),
    Difference(r"llm/.*", "status", "no language model behind it: 404"),
    Difference(
        r"ops/(ops|dbdown-ops)-migrations", "status", "one file, which migrates itself: 404"
    ),
    Difference(r"ops/cors-preflight", "status", "web pages are not answered: any site could read"),
    Difference(r"ratelimit/.*-[45]", "status", "one process on one machine limits nobody"),
    Difference(r"tenant/missing", "status", "no tenants: the header is not looked at"),
    Difference(r"tenant/(b-list|open-server.*)", r"subjects.*|total", "no tenants"),
    Difference(r"tenant/a-list", r"subjects.*|total", "no tenants: all subjects are listed"),
    # Faults that are not copied
    Difference(r"ops/dbdown-.*", "status", "there is no database server that could be down"),
    Difference(
        r"episodes/body-(text-plain|no-ctype|form)", "status", "422 says what is wrong; not a 500"
    ),
    Difference(r"episodes/(nul-in-payload|lone-surrogate)", "status", "made safe; not a 500"),
    Difference(
        r"episodes/(nan-in-payload|inf-number)", "status", "null, as JSON has none; not a 500"
    ),
    Difference(r"episodes/nul-in-subject", "status", "422 says so; not a 500"),
    Difference(r"compile/(poison|shape)-.*compile.*", "status", "no episode can spoil a compile"),
    Difference(r"compile/(poison|special-token)-(context|in-task)", "status", "nor a context"),
    Difference(
        r"compile/poison-async-failed", r"status|memories_created|memories|error", "nor a job"
    ),
    Difference(r"search/q-nul", "status", "made safe; not a 500"),
    Difference(r"search/limit--1", "status", "422 says the limits; not a 500"),
    Difference(r"auth/key-in-query", "status", "a key in an address ends up in logs"),
    Difference(
        r"(episodes/subject|subjects/(space|list|hidden)).*",
        r"status|subjects.*|total",
        "an id of spaces only cannot be seen or picked",
    ),
    Difference(
        r"(search/empty-subject|search/subject-257|timeline/empty)",
        "status",
        "an id nobody can have is refused when asked for, as it is when recorded",
    ),
    Difference(r"episodes/session-empty", "session_id", "an empty session is none"),
    Difference(r"search/q-(percent|underscore)", r"memories.*", "% and _ are no wildcards"),
    Difference(r"compile/poll-.*-job", r"error(\..*)?", "the error has the envelope of all others"),
    Difference(
        r".*",
        r"error\.details\.\d+\.(input|ctx).*",
        "it would echo what was sent, whole conversations too",
    ),
    Difference(r"episodes/extra-fields-repeat", "id", "the key is honoured: it is the first one"),
    # More than 0.7.1 has
    Difference(r"search/limit-101", "status", "up to 1,000 at a time"),
    Difference(
        r"timeline/jonas-params-ignored", r"(episodes|memories).*", "limit and offset count"
    ),
    Difference(r"missing_in_0_7_1/version", "status", "there is a version"),
    Difference(
        r"compile/async-poll-other-process",
        "status",
        "a job is known to the one process it runs in",
    ),
    Difference(
        r"compile/async-poll-immediately",
        "status",
        "how far it is by then is chance, so it is waited for",
    ),
    Difference(
        r"(auth|ratelimit)/.*",
        r"subjects\.0\.subject_id",
        "no id is hidden: `_snapshot/…` is a subject like any other",
    ),
    Difference(r"search/q-two-words", "memories", "words are found wherever they stand"),
    Difference(r"search/semantic-noemb", "memories", "by words where not by meaning"),
    Difference(r"search/q-unicode", "memories", "the offline compiler keeps no memory with it"),
    # The task as it is answered
    Difference(r"context/task-space", "task", "an empty task becomes a general question"),
    Difference(
        r"context/task-(4000|newlines)", "task", "on one line, not too long: no forged heading"
    ),
    Difference(r"context/nul-task", "task", "NUL is taken out"),
)

FREE = (
    (r"(.*\.)?(id|job_id|(source_)?(episode|fact|summary|procedure)_ids(\.\d+)?)", "made anew"),
    (r"(.*\.)?(created_at|updated_at|valid_from|valid_to|first_at|last_at|latency_ms)", "times"),
    (r"checks.*", "each engine checks what it has"),
    (r"memories_created|(.*\.)?(memory_count|memories_deleted)", "another compiler"),
    (r"(memories|facts|procedures)(\..*)?", "another compiler, another ranking"),
    (r"(episodes|provenance)(\..*)?@context", "another ranking"),
    (r"(assembled_context|token_estimate|sessions.*)@context", "another ranking"),
)
"""Places that are compared in shape only, and why; `@context` is an answer of /v1/context."""
