"""The schema of the store's one file, and how older files become it."""

APPLICATION_ID = 0x53_57_44_42
"""Marks a SQLite file as ours ("SWDB" in its header)."""

# A passage is one line of a memory or an episode: what is indexed, ranked and packed. It never
# changes once written; what happens to it later (superseded, forgotten, replaced) stands in
# `memories.status`, `marks` and `episodes.replaced_by`. Times are microseconds since 1970 UTC.
_VERSION_1 = """
CREATE TABLE subjects (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    subject_id TEXT NOT NULL UNIQUE,
    version INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE episodes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    subject INTEGER NOT NULL REFERENCES subjects ON DELETE CASCADE,
    source TEXT NOT NULL,
    type TEXT NOT NULL,
    session_id TEXT,
    payload TEXT NOT NULL,
    metadata TEXT NOT NULL,
    created_us INTEGER NOT NULL,
    occurred_us INTEGER,
    idempotency_key TEXT,
    compiled INTEGER NOT NULL DEFAULT 0,
    replaced_by TEXT,
    UNIQUE (subject, idempotency_key)
);
CREATE INDEX episodes_pending ON episodes (subject) WHERE NOT compiled;
CREATE INDEX episodes_replaced ON episodes (subject) WHERE replaced_by IS NOT NULL;
CREATE INDEX episodes_session ON episodes (subject, session_id);
CREATE TABLE memories (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    subject INTEGER NOT NULL REFERENCES subjects ON DELETE CASCADE,
    kind TEXT NOT NULL,
    content TEXT NOT NULL,
    summary TEXT NOT NULL,
    confidence REAL NOT NULL,
    valid_from_us INTEGER NOT NULL,
    valid_to_us INTEGER,
    created_us INTEGER NOT NULL,
    updated_us INTEGER NOT NULL,
    status TEXT NOT NULL,
    metadata TEXT NOT NULL,
    labels TEXT NOT NULL,
    norm TEXT NOT NULL,
    slot TEXT
);
CREATE INDEX memories_norm ON memories (subject, norm) WHERE status = 'active';
CREATE INDEX memories_slot ON memories (subject, slot) WHERE status = 'active';
CREATE INDEX memories_ended ON memories (subject)
    WHERE status <> 'active' OR valid_to_us IS NOT NULL;
CREATE INDEX memories_subject ON memories (subject, valid_from_us);
CREATE TABLE sources (
    memory INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
    episode INTEGER NOT NULL REFERENCES episodes ON DELETE CASCADE,
    PRIMARY KEY (memory, episode)
);
CREATE INDEX sources_episode ON sources (episode);
CREATE TABLE passages (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    subject INTEGER NOT NULL REFERENCES subjects ON DELETE CASCADE,
    memory INTEGER REFERENCES memories ON DELETE CASCADE,
    episode INTEGER REFERENCES episodes ON DELETE CASCADE,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    slot TEXT,
    when_us INTEGER NOT NULL,
    session_id TEXT,
    text TEXT NOT NULL,
    tokens INTEGER NOT NULL
);
CREATE INDEX passages_subject ON passages (subject, key);
CREATE INDEX passages_memory ON passages (memory) WHERE memory IS NOT NULL;
CREATE INDEX passages_episode ON passages (episode) WHERE episode IS NOT NULL;
CREATE TABLE carried (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    subject INTEGER NOT NULL REFERENCES subjects ON DELETE CASCADE,
    passage INTEGER NOT NULL REFERENCES passages ON DELETE CASCADE,
    carrier INTEGER NOT NULL REFERENCES passages ON DELETE CASCADE,
    UNIQUE (passage, carrier)
);
CREATE INDEX carried_subject ON carried (subject, key);
CREATE INDEX carried_carrier ON carried (carrier);
CREATE TABLE marks (
    passage INTEGER NOT NULL REFERENCES passages ON DELETE CASCADE,
    memory INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
    subject INTEGER NOT NULL REFERENCES subjects ON DELETE CASCADE,
    reason TEXT NOT NULL,
    until_us INTEGER,
    PRIMARY KEY (passage, memory, reason)
);
CREATE INDEX marks_subject ON marks (subject);
CREATE INDEX marks_memory ON marks (memory);
CREATE VIRTUAL TABLE words USING fts5(text, subject, tokenize = 'porter unicode61');
"""

_VERSION_2 = "ALTER TABLE episodes ADD COLUMN provenance TEXT NOT NULL DEFAULT '{}';"

# Vectors are int8: 127 times a unit vector over its largest component, so that normalising
# gives the vector back, within 0.001 of its cosine. `subject` comes first in the key because all
# vectors of one subject are read together. A line whose key is above `until_key` is not embedded
# yet: keys only grow, and one writer at a time gives them out. An episode's line used to begin
# with "[source/type] ", which cost every line six tokens.
_VERSION_3 = """
ALTER TABLE passages ADD COLUMN speaker TEXT;
CREATE TABLE vectors (
    subject INTEGER NOT NULL REFERENCES subjects ON DELETE CASCADE,
    passage INTEGER NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (subject, passage)
) WITHOUT ROWID;
CREATE TABLE embedding (model TEXT NOT NULL, until_key INTEGER NOT NULL);
UPDATE passages SET text = substr(text, instr(text, '] ') + 2)
    WHERE episode IS NOT NULL AND text LIKE '[%] %';
UPDATE passages SET tokens = line_tokens(text) WHERE episode IS NOT NULL;
"""

MIGRATIONS = (_VERSION_1, _VERSION_2, _VERSION_3)
"""Scripts in order; a file's `user_version` says how many of them it has seen.

They may call `line_tokens(text)`: what the text costs as a line of a context.
"""
