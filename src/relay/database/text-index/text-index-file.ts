import { rmSync } from 'node:fs';
import { openReading, sqliteDriver, type Connection } from '../sqlite-driver';

/** Counted up when the tables change: an index of another layout is made anew. */
const LAYOUT = 1;

/** A piece ends at either: some 50 ms of work, after which a stop is heard of. */
const PIECE_EVENTS = 500;
const PIECE_BYTES = 1024 * 1024;

/** Nobody else writes to it. Somebody who holds it all the same does not hold up a stop. */
const LOCKED_WITHIN_MS = 1_000;

/** Work on the index's own segments after a removal, in pages, so that what was removed also leaves the file. */
const MERGE_PAGES = 200;
const SHRINK_PAGES = 256;

const TABLES = [
  `CREATE TABLE state(id INTEGER PRIMARY KEY CHECK (id = 1), tag INTEGER NOT NULL, through INTEGER NOT NULL)`,
  // Which events hold three letters in a row, and nothing else: no positions, no second copy of the text.
  `CREATE VIRTUAL TABLE event_text USING fts5(body, content='', contentless_delete=1, detail=none, tokenize='trigram')`,
];

/** Errors that say that the file is no index of ours, or one that is broken. */
const UNUSABLE = /^SQLITE_(CORRUPT|NOTADB|ERROR)/;

/**
 * The index of the events' text: a file of its own, filled behind the events, in pieces. It shares no lock, no log and no
 * sync with the database, so what it costs nobody who stores an event waits for; nothing is in it that the database does
 * not have, so it is made anew whenever it is not as it should be.
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
    this.index = openOrMake(indexFile, instance.tag, instance.newest ?? 0);
    this.sql = statements(this.events, this.index);
    this.through = (this.sql.through.get() as { through: number }).through;
  }

  /** Takes in the next events. @returns whether there are more */
  take(): boolean {
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
   * Lets go of events that retention has removed, looking at some from `after` on.
   * @returns where to go on; null at the end
   */
  sweep(after: number): number | null {
    const ids = this.sql.indexed.all(after, this.prunedThrough, PIECE_EVENTS) as { id: number }[];
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

  /** What tells whether events were removed since the last look. */
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

  /** Read in one go and let go of at once: a long read would keep the database's log from being shortened. */
  private read(): { seq: number; body: Uint8Array }[] {
    const rows: { seq: number; body: Uint8Array }[] = [];
    let bytes = 0;
    for (const row of this.sql.next.iterate(this.through) as Iterable<{ seq: number; body: Uint8Array }>) {
      rows.push(row);
      bytes += row.body.length;
      if (rows.length === PIECE_EVENTS || bytes >= PIECE_BYTES) break;
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

/** An index that another database filled, or that knows of later events than there are (a backup was restored), is none. */
function openOrMake(file: string, tag: number, newest: number): Connection {
  try {
    const found = open(file);
    if (found.pragma('user_version', { simple: true }) === LAYOUT) {
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
    made.pragma(`user_version = ${LAYOUT}`);
  })();
  return made;
}

function open(file: string): Connection {
  const connection = new sqliteDriver(file, { timeout: LOCKED_WITHIN_MS });
  try {
    connection.pragma('auto_vacuum = INCREMENTAL');
    connection.pragma('journal_mode = WAL');
    // No sync at a commit: after a failure of power it is whole, if a little older, and goes on from there.
    connection.pragma('synchronous = NORMAL');
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}
