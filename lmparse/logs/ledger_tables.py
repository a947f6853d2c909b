"""Tables of a ledger file, as SQLite keeps their words: a file with others is not a ledger."""

TABLES = {
    "files": """CREATE TABLE files (
        id INTEGER PRIMARY KEY,
        path TEXT NOT NULL UNIQUE,
        given TEXT NOT NULL,
        sha256 TEXT NOT NULL UNIQUE,
        size INTEGER NOT NULL,
        unpacked_size INTEGER NOT NULL,
        spec TEXT NOT NULL,
        reading TEXT NOT NULL,
        control TEXT,
        control_sha256 TEXT,
        records INTEGER NOT NULL,
        outcomes TEXT,
        stated_end TEXT,
        added TEXT NOT NULL)""",
    "streams": """CREATE TABLE streams (
        file INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
        log TEXT NOT NULL,
        stream TEXT NOT NULL,
        first TEXT NOT NULL,
        last TEXT NOT NULL,
        records INTEGER NOT NULL,
        begin_address TEXT,
        end_address TEXT,
        adjoining INTEGER NOT NULL,
        gaps INTEGER NOT NULL,
        PRIMARY KEY (file, log, stream)) WITHOUT ROWID""",
    "copies": """CREATE TABLE copies (
        path TEXT NOT NULL PRIMARY KEY,
        given TEXT NOT NULL,
        file INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
        added TEXT NOT NULL) WITHOUT ROWID""",
    "overlaps": """CREATE TABLE overlaps (
        file INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
        before INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
        records INTEGER,
        difference TEXT,
        untested TEXT,
        PRIMARY KEY (file, before)) WITHOUT ROWID""",
}
