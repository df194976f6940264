import { rmSync } from 'node:fs';
import { openReading, sqliteDriver, type Connection } from '../sqlite-driver';

/** Incremented when the tables change: an index of another version is rebuilt. */
const SCHEMA_VERSION = 1;

/** A chunk ends at either limit: about 50 ms of work, which a stop has to wait for. */
const CHUNK_EVENTS = 500;
const CHUNK_BYTES = 1024 * 1024;

/** No other process should write to it; one that holds it anyway must not delay a stop. */
const LOCKED_WITHIN_MS = 1_000;

/** The pages that are merged and freed after a removal, so that the file shrinks too. */
const MERGE_PAGES = 200;
const SHRINK_PAGES = 256;

const TABLES = [
  `CREATE TABLE state(id INTEGER PRIMARY KEY CHECK (id = 1), tag INTEGER NOT NULL, through INTEGER NOT NULL)`,
  // Only which events contain a trigram: no positions, no second copy of the text.
  `CREATE VIRTUAL TABLE event_text USING fts5(body, content='', contentless_delete=1, detail=none, tokenize='trigram')`,
];

/** Errors of a file that is not such an index, or is corrupt. */
const UNUSABLE = /^SQLITE_(CORRUPT|NOTADB|ERROR)/;

/**
 * The text index of the events: a file of its own, filled behind the events in chunks. It shares no lock, log or sync with the
 * database, so storing an event never waits for it; it holds nothing that the database lacks, so it is rebuilt when in doubt.
 */
export class TextIndexFile {
  private readonly events: Connection;
  private readonly index: Connection;
  private readonly sql: ReturnType<typeof statements>;
  through: number;

  constructor(databaseFile: string, indexFile: string) {
    this.events = openReading(databaseFile);
    const instance = this.events
      .prepare('SELECT tag, (SELECT max(seq) FROM events) AS newest FROM instance')
      .get() as {
      tag: number;
      newest: number | null;
    };
    this.index = openOrCreate(indexFile, instance.tag, instance.newest ?? 0);
    this.sql = statements(this.events, this.index);
    this.through = (this.sql.through.get() as { through: number }).through;
  }

  /** Indexes the next chunk of events. @returns whether there may be more */
  indexNext(): boolean {
    const rows = this.read();
    const last = rows.at(-1);
    if (last === undefined) return false;
    this.index.transaction(() => {
      for (const { seq, body } of rows) this.sql.add.run(seq, body);
      this.sql.setThrough.run(last.seq);
    })();
    this.through = last.seq;
    return true;
  }

  /**
   * Removes events that retention has removed, a chunk of them after `after`.
   * @returns where to continue; null at the end
   */
  sweep(after: number): number | null {
    const ids = this.sql.indexed.all(after, this.prunedThrough, CHUNK_EVENTS) as { id: number }[];
    const last = ids.at(-1);
    if (last === undefined) return null;
    const kept = new Set((this.sql.kept.all(ids[0]!.id, last.id) as { seq: number }[]).map(({ seq }) => seq));
    const gone = ids.filter(({ id }) => !kept.has(id));
    if (gone.length > 0) {
      this.index.transaction(() => {
        for (const { id } of gone) this.sql.remove.run(id);
        this.sql.merge.run(MERGE_PAGES);
      })();
      this.index.pragma(`incremental_vacuum(${SHRINK_PAGES})`);
    }
    return last.id;
  }

  /** Changes whenever events were removed. */
  get removals(): string {
    return `${this.prunedThrough} ${(this.sql.oldest.get() as { seq: number | null }).seq}`;
  }

  close(): void {
    this.events.close();
    this.index.close();
  }

  private get prunedThrough(): number {
    return (this.sql.pruned.get() as { through: number }).through;
  }

  /** Reads them all at once: a long read would keep the database's log from being restarted. */
  private read(): { seq: number; body: Uint8Array }[] {
    const rows: { seq: number; body: Uint8Array }[] = [];
    let bytes = 0;
    for (const row of this.sql.next.iterate(this.through) as Iterable<{ seq: number; body: Uint8Array }>) {
      rows.push(row);
      bytes += row.body.length;
      if (rows.length === CHUNK_EVENTS || bytes >= CHUNK_BYTES) break;
    }
    return rows;
  }
}

function statements(events: Connection, index: Connection) {
  return {
    next: events.prepare('SELECT seq, body FROM events WHERE seq > ? ORDER BY seq'),
    kept: events.prepare('SELECT seq FROM events WHERE seq BETWEEN ? AND ?'),
    pruned: events.prepare('SELECT pruned_through AS through FROM instance'),
    oldest: events.prepare('SELECT min(seq) AS seq FROM events'),
    through: index.prepare('SELECT through FROM state'),
    setThrough: index.prepare('UPDATE state SET through = ?'),
    add: index.prepare('INSERT INTO event_text(rowid, body) VALUES (?, CAST(? AS TEXT))'),
    indexed: index.prepare('SELECT id FROM event_text_docsize WHERE id > ? AND id <= ? ORDER BY id LIMIT ?'),
    remove: index.prepare('DELETE FROM event_text WHERE rowid = ?'),
    merge: index.prepare(`INSERT INTO event_text(event_text, rank) VALUES ('merge', ?)`),
  };
}

/** Rebuilds an index of another database, or with later events than there are (a backup was restored). */
function openOrCreate(file: string, tag: number, newest: number): Connection {
  try {
    const found = open(file);
    if (found.pragma('user_version', { simple: true }) === SCHEMA_VERSION) {
      const state = found.prepare('SELECT tag, through FROM state').get() as { tag: number; through: number };
      if (state.tag === tag && state.through <= newest) return found;
    }
    found.close();
  } catch (error) {
    if (!UNUSABLE.test((error as { code?: string }).code ?? '')) throw error;
  }
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
  const made = open(file);
  made.transaction(() => {
    for (const table of TABLES) made.exec(table);
    made.prepare('INSERT INTO state(id, tag, through) VALUES (1, ?, 0)').run(tag);
    made.pragma(`user_version = ${SCHEMA_VERSION}`);
  })();
  return made;
}

function open(file: string): Connection {
  const connection = new sqliteDriver(file, { timeout: LOCKED_WITHIN_MS });
  try {
    connection.pragma('auto_vacuum = INCREMENTAL');
    connection.pragma('journal_mode = WAL');
    // No sync at a commit: after a power failure it is consistent but older, and continues from there.
    connection.pragma('synchronous = NORMAL');
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}
