import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { sqliteDriver, type Connection } from '../sqlite-driver';
import {
  lockedPage,
  PAGE_KINDS,
  placeInMap,
  readTreePage,
  UnknownLayout,
  type Overflow,
  type Range,
} from './page-layout';

/** How long one step goes on: the hub stores nothing meanwhile. */
const STEP_MS = 40;
const LOCK_TIMEOUT_MS = 250;
/** Of the write-ahead log and of each frame in it (sqlite.org/walformat.html). */
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const ZEROS = Buffer.alloc(65_536);

/**
 * Overwrites the free bytes of a database file, in which removed rows and earlier copies of rows remain legible: free
 * pages, and the gaps of others. SQLite has no function for that but VACUUM, which would block the hub for minutes.
 *
 * A step takes SQLite's lock for writing and copies the write-ahead log into the file, so all pages are there, and no
 * other connection changes them. It writes zeros only where SQLite reads nothing, so it may be interrupted anywhere.
 *
 * Between the steps others write, and with a page they write its free bytes, which may be those of a page that was not
 * cleaned yet: when SQLite balances a tree, neighbours may exchange their numbers. So each step also cleans all pages
 * that were written since the one before. From one step to the next, a read prevents that the log loses any of them: it
 * reads the file alone, and nothing is copied there meanwhile. The end is a step after which the log could be emptied
 * before anybody wrote: that makes all connections read their pages again.
 */
export class PageCleaner {
  /** Never closed: with that, the operating system would end the locks of this process on the file (POSIX). */
  private readonly fd: number;
  private readonly log: Connection;
  private readonly writing: Connection;
  private readonly reading: Connection;
  private pageBytes = 0;
  private usable = 0;
  private trunks = new Set<number>();
  /** Pages that were left alone because their form is unknown. */
  skipped = 0;

  constructor(
    private readonly file: string,
    private readonly stepMs = STEP_MS,
  ) {
    this.fd = openSync(file, 'r+');
    [this.log, this.writing, this.reading] = [0, LOCK_TIMEOUT_MS, 0].map((timeout) => {
      const connection = new sqliteDriver(file);
      connection.pragma(`busy_timeout = ${timeout}`);
      return connection;
    }) as [Connection, Connection, Connection];
  }

  /** @param last the page to begin with @returns where to continue; `last` if it could not begin; null at the end */
  step(last = Infinity): number | null {
    const frames = this.begin();
    if (frames === null) return last;
    const next = this.cleanFrom(last, frames);
    fsyncSync(this.fd);
    this.end();
    const [emptied] = this.log.pragma('wal_checkpoint(TRUNCATE)') as [{ busy: 0 | 1 }];
    return next === 0 && emptied.busy === 0 ? null : next;
  }

  close(): void {
    for (const connection of [this.log, this.writing, this.reading]) connection.close();
  }

  /** Takes the lock once the log is copied. @returns the number of frames in the log; null if it could not */
  private begin(): number | null {
    try {
      this.writing.exec('BEGIN IMMEDIATE');
    } catch {
      return null;
    }
    if (this.reading.inTransaction) this.reading.exec('ROLLBACK');
    const [copied] = this.log.pragma('wal_checkpoint(PASSIVE)') as [
      { busy: 0 | 1; log: number; checkpointed: number },
    ];
    if (copied.busy === 0 && copied.log === copied.checkpointed) return copied.log;
    this.end();
    return null;
  }

  private end(): void {
    this.reading.exec('BEGIN; SELECT rootpage FROM sqlite_master');
    this.writing.exec('ROLLBACK');
  }

  private cleanFrom(last: number, frames: number): number {
    const header = this.read(1, 100);
    this.pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
    this.usable = this.pageBytes - header[20]!;
    this.trunks = this.readTrunks(header.readUInt32BE(32));
    const pages = Number(this.writing.pragma('page_count', { simple: true }));
    for (const page of this.pagesInLog(frames)) if (page > last && page <= pages) this.clean(page);
    const until = performance.now() + this.stepMs;
    let page = Math.min(last, pages);
    for (; page > 0 && performance.now() < until; page -= 1) this.clean(page);
    return page;
  }

  private pagesInLog(frames: number): Set<number> {
    const pages = new Set<number>();
    if (frames === 0) return pages;
    const log = openSync(`${this.file}-wal`, 'r');
    const number = Buffer.alloc(4);
    for (let i = 0; i < frames; i += 1) {
      readSync(log, number, 0, 4, LOG_HEADER_BYTES + i * (FRAME_HEADER_BYTES + this.pageBytes));
      pages.add(number.readUInt32BE(0));
    }
    closeSync(log);
    return pages;
  }

  private clean(number: number): void {
    if (number === lockedPage(this.pageBytes)) return;
    try {
      const kind = this.kindOf(number);
      if (kind === 'free')
        this.zero(number, [this.trunks.has(number) ? this.trunkEnd(number) : 0, this.usable]);
      if (kind !== 'tree') return;
      const page = this.read(number, this.pageBytes);
      const { free, overflows } = readTreePage(page, number, this.usable);
      for (const [start, end] of free)
        if (!page.subarray(start, end).equals(ZEROS.subarray(0, end - start)))
          this.zero(number, [start, end]);
      for (const overflow of overflows) this.cleanTail(overflow);
    } catch (error) {
      if (!(error instanceof UnknownLayout) && !(error instanceof RangeError)) throw error;
      this.skipped += 1;
    }
  }

  private kindOf(number: number): keyof typeof PAGE_KINDS | 'map' {
    if (number === 1) return 'tree';
    const place = placeInMap(number, this.pageBytes, this.usable);
    if (place === null) return 'map';
    const type = this.read(place.page, 1, place.at)[0]!;
    const found = Object.entries(PAGE_KINDS).find(([, types]) => (types as readonly number[]).includes(type));
    if (found === undefined) throw new UnknownLayout(`page ${number} is of the unknown kind ${type}`);
    return found[0] as keyof typeof PAGE_KINDS;
  }

  /** The last page of a value is filled only up to its end. */
  private cleanTail({ page, bytes }: Overflow): void {
    const perPage = this.usable - 4;
    let [last, rest] = [page, bytes];
    for (; rest > perPage; rest -= perPage) last = this.read(last, 4).readUInt32BE(0);
    if (rest < perPage) this.zero(last, [4 + rest, this.usable]);
  }

  /** Free pages that list others. */
  private readTrunks(first: number): Set<number> {
    const trunks = new Set<number>();
    for (let page = first; page !== 0 && !trunks.has(page); page = this.read(page, 4).readUInt32BE(0))
      trunks.add(page);
    return trunks;
  }

  private trunkEnd(number: number): number {
    return 8 + 4 * this.read(number, 4, 4).readUInt32BE(0);
  }

  private read(number: number, bytes: number, at = 0): Buffer {
    const buffer = Buffer.allocUnsafe(bytes);
    readSync(this.fd, buffer, 0, bytes, (number - 1) * this.pageBytes + at);
    return buffer;
  }

  private zero(number: number, [start, end]: Range): void {
    writeSync(this.fd, ZEROS, 0, end - start, (number - 1) * this.pageBytes + start);
  }
}
