import { rmSync } from 'node:fs';
import { NOT_ERASED, QUOTING_EVENTS } from '../../erasure-rules';
import { foldBody } from '../../../ground/fold-text';
import { openReading, sqliteDriver, type Connection } from '../sqlite-driver';
import { CommonTrigrams, findCommonTrigrams, trigramsIn } from './common-trigrams';

/** Incremented when the tables or the folding of texts change: an index of another version is rebuilt. */
const SCHEMA_VERSION = 3;

/** A chunk ends at either limit: about 50 ms of work, for which a shutdown has to wait. */
const CHUNK_EVENTS = 500;
const CHUNK_BYTES = 1024 * 1024;

/** Each commit writes a segment, and merging segments costs as much as filling them: few large ones are cheaper. */
const COMMIT_EVENTS = 4_000;

/** No other process should lock it; one that does must not delay a shutdown. */
const LOCK_TIMEOUT_MS = 1_000;

/** Common trigrams are looked for in so many evenly spread events, again whenever the number of events has doubled. */
const SAMPLE_EVENTS = 200;
const SAMPLE_BYTES = 4_096;
const MIN_SAMPLED = 500;

/** The pages that are merged and freed after a removal, so that the file shrinks. */
const MERGE_PAGES = 200;
const SHRINK_PAGES = 256;

/** With fewer changes, a merge has found nothing to do (sqlite.org/fts5.html, 6.8). */
const LEAST_MERGED = 2;

const TABLES = [
  // common: the trigrams that are not indexed. The list only grows: those that were not indexed once stay on it.
  `CREATE TABLE state(
     id INTEGER PRIMARY KEY CHECK (id = 1), tag INTEGER NOT NULL, through INTEGER NOT NULL,
     common TEXT NOT NULL DEFAULT '',
     sampled INTEGER NOT NULL DEFAULT 0  -- the number of events when common trigrams were last looked for
   )`,
  // Only stores which events contain a trigram: no positions and no copy of the text.
  `CREATE VIRTUAL TABLE event_text USING fts5(body, content='', contentless_delete=1, detail=none, tokenize='trigram')`,
  // See COMMIT_EVENTS: the memory in which a segment is built, in bytes, and the segments that are merged at a time.
  `INSERT INTO event_text(event_text, rank) VALUES ('hashsize', 8388608), ('automerge', 16)`,
];

const QUOTING = QUOTING_EVENTS.map((type) => `'${type}'`).join();

/** Errors of a file that is corrupt or not a text index. */
const UNUSABLE = /^SQLITE_(CORRUPT|NOTADB|ERROR)/;

/**
 * The text index of the events: a separate file, filled behind the events in chunks. It shares no lock, log or sync
 * with the database, so that storing an event never waits for it. Without data of its own, it is rebuilt in doubt.
 */
export class TextIndexFile {
  private readonly events: Connection;
  private readonly index: Connection;
  private readonly sql: ReturnType<typeof statements>;
  /** The last event that is in the index and committed. */
  through: number;
  /** The last event that was added, perhaps in a transaction that is still open. */
  private added: number;
  common: CommonTrigrams;
  private sampled: number;

  constructor(databaseFile: string, indexFile: string) {
    this.events = openReading(databaseFile);
    const { tag, newest } = this.events
      .prepare('SELECT tag, (SELECT coalesce(max(seq), 0) FROM events) AS newest FROM instance')
      .get() as { tag: number; newest: number };
    this.index = openOrCreate(indexFile, tag, newest);
    this.sql = statements(this.events, this.index);
    const { through, common, sampled } = this.sql.state.get() as State;
    this.through = through;
    this.added = through;
    this.common = new CommonTrigrams(common);
    this.sampled = sampled;
  }

  /** Adds the next chunk of events; commits at the end, and every few chunks. @returns whether there may be more */
  addNext(): boolean {
    const rows = this.read();
    const last = rows.at(-1);
    try {
      if (last === undefined) {
        this.commit();
        return false;
      }
      if (!this.index.inTransaction) {
        this.lookForCommon();
        this.index.exec('BEGIN IMMEDIATE');
      }
      for (const { seq, body } of rows)
        this.sql.add.run(seq, this.common.remove(Buffer.from(foldBody(body))));
      this.added = last.seq;
      if (this.added - this.through >= COMMIT_EVENTS) this.commit();
      return true;
    } catch (error) {
      if (this.index.inTransaction) this.index.exec('ROLLBACK');
      this.added = this.through;
      throw error;
    }
  }

  /** Commits what was added. */
  commit(): void {
    if (!this.index.inTransaction) return;
    this.sql.setThrough.run(this.added);
    this.index.exec('COMMIT');
    this.through = this.added;
  }

  /** Removes what retention has removed from one chunk of events. @returns where to continue; null at the end */
  removePruned(after: number): number | null {
    const ids = this.sql.indexed.all(after, this.prunedThrough, CHUNK_EVENTS) as { id: number }[];
    const last = ids.at(-1);
    if (last === undefined) return null;
    const stored = new Set(this.sql.stored.all(ids[0]!.id, last.id) as number[]);
    const removed = ids.filter(({ id }) => !stored.has(id));
    if (removed.length > 0) {
      this.index.transaction(() => {
        for (const { id } of removed) this.sql.remove.run(id);
        this.sql.merge.run(MERGE_PAGES);
      })();
      this.index.pragma(`incremental_vacuum(${SHRINK_PAGES})`);
    }
    return last.id;
  }

  /**
   * Removes erased events, and indexes anew those that no longer quote a response; `mergeAll` then removes the trigrams
   * that are left of them.
   */
  removeErased(): void {
    const ids = this.sql.erased.all(this.through) as number[];
    const rewritten = this.sql.rewritten.all(this.through) as { seq: number; body: Uint8Array }[];
    this.index.transaction(() => {
      for (const id of ids) this.sql.remove.run(id);
      for (const { seq, body } of rewritten) {
        this.sql.remove.run(seq);
        this.sql.add.run(seq, this.common.remove(Buffer.from(foldBody(body))));
      }
    })();
  }

  /** A part of the work of `optimize`, after which no trigram of a removed event is left. @returns whether there is more */
  mergeAll(first: boolean): boolean {
    const before = this.sql.changes.get() as number;
    // A negative number begins to merge all segments into one; the steps after that continue it.
    this.sql.merge.run(first ? -MERGE_PAGES : MERGE_PAGES);
    return (this.sql.changes.get() as number) - before >= LEAST_MERGED;
  }

  /** A value that changes whenever events are removed. */
  get pruneMarker(): string {
    return `${this.prunedThrough} ${(this.sql.oldest.get() as { seq: number | null }).seq}`;
  }

  close(): void {
    this.events.close();
    this.index.close();
  }

  /** Stores the list before it is used, so that a search never looks for what is not indexed. */
  private lookForCommon(): void {
    const { oldest, newest } = this.sql.range.get() as { oldest: number; newest: number };
    const events = newest - oldest + 1;
    if (events < Math.max(MIN_SAMPLED, 2 * this.sampled)) return;
    const step = events / SAMPLE_EVENTS;
    const texts = Array.from({ length: SAMPLE_EVENTS }, (_, i) =>
      foldBody(this.sql.sample.get(Math.floor(oldest + i * step)) as Uint8Array),
    );
    const known = trigramsIn(this.common.list);
    const list = [...new Set([...known, ...trigramsIn(findCommonTrigrams(texts))])].join('');
    this.sql.setCommon.run(list, events);
    this.common = new CommonTrigrams(list);
    this.sampled = events;
  }

  private get prunedThrough(): number {
    return (this.sql.pruned.get() as { through: number }).through;
  }

  /** Reads the rows of a chunk at once: an open read would prevent a restart of the database's write-ahead log. */
  private read(): { seq: number; body: Uint8Array }[] {
    const rows: { seq: number; body: Uint8Array }[] = [];
    let bytes = 0;
    for (const row of this.sql.next.iterate(this.added) as Iterable<{ seq: number; body: Uint8Array }>) {
      rows.push(row);
      bytes += row.body.length;
      if (rows.length === CHUNK_EVENTS || bytes >= CHUNK_BYTES) break;
    }
    return rows;
  }
}

interface State {
  through: number;
  common: string;
  sampled: number;
}

function statements(events: Connection, index: Connection) {
  return {
    next: events.prepare('SELECT seq, body FROM events WHERE seq > ? ORDER BY seq'),
    stored: events.prepare('SELECT seq FROM events WHERE seq BETWEEN ? AND ?').pluck(),
    pruned: events.prepare('SELECT pruned_through AS through FROM instance'),
    erased: events.prepare('SELECT seq FROM erased_events WHERE seq <= ?').pluck(),
    rewritten: events.prepare(
      `SELECT seq, body FROM events e WHERE seq <= ? AND seq IN (
         SELECT seq FROM event_types WHERE type IN (${QUOTING}) UNION
         SELECT seq FROM events WHERE seq > (SELECT indexed_through FROM instance) AND type IN (${QUOTING}))
       AND instr(body, '"excerpt":null') > 0 AND ${NOT_ERASED}`,
    ),
    oldest: events.prepare('SELECT min(seq) AS seq FROM events'),
    range: events.prepare(
      'SELECT (SELECT min(seq) FROM events) AS oldest, (SELECT max(seq) FROM events) AS newest',
    ),
    sample: events
      .prepare(`SELECT substr(body, 1, ${SAMPLE_BYTES}) FROM events WHERE seq >= ? ORDER BY seq LIMIT 1`)
      .pluck(),
    state: index.prepare('SELECT through, common, sampled FROM state'),
    setCommon: index.prepare('UPDATE state SET common = ?, sampled = ?'),
    setThrough: index.prepare('UPDATE state SET through = ?'),
    add: index.prepare('INSERT INTO event_text(rowid, body) VALUES (?, CAST(? AS TEXT))'),
    indexed: index.prepare('SELECT id FROM event_text_docsize WHERE id > ? AND id <= ? ORDER BY id LIMIT ?'),
    remove: index.prepare('DELETE FROM event_text WHERE rowid = ?'),
    changes: index.prepare('SELECT total_changes()').pluck(),
    merge: index.prepare(`INSERT INTO event_text(event_text, rank) VALUES ('merge', ?)`),
  };
}

/** Opens the index. If it is of another database, or is ahead of this one (a backup was restored), it is rebuilt. */
function openOrCreate(file: string, tag: number, newest: number): Connection {
  try {
    const existing = open(file);
    if (existing.pragma('user_version', { simple: true }) === SCHEMA_VERSION) {
      const sameTag = existing.prepare('SELECT 1 FROM state WHERE tag = ? AND through <= ?');
      if (sameTag.get(tag, newest) !== undefined) return existing;
    }
    existing.close();
  } catch (error) {
    if (!UNUSABLE.test((error as { code?: string }).code ?? '')) throw error;
  }
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
  const created = open(file);
  created.transaction(() => {
    for (const table of TABLES) created.exec(table);
    created.prepare('INSERT INTO state(id, tag, through) VALUES (1, ?, 0)').run(tag);
    created.pragma(`user_version = ${SCHEMA_VERSION}`);
  })();
  return created;
}

function open(file: string): Connection {
  const connection = new sqliteDriver(file, { timeout: LOCK_TIMEOUT_MS });
  try {
    connection.pragma('auto_vacuum = INCREMENTAL');
    connection.pragma('journal_mode = WAL');
    // Commits are not synced: after a power failure the index is consistent but older, and continues from there.
    connection.pragma('synchronous = NORMAL');
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}
