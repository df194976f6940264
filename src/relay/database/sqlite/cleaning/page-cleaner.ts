import { fsyncSync, openSync, readSync, writeSync } from 'node:fs';
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
/** How often a step tries to begin before another program has written again. */
const MAX_TRIES = 20;
const ZEROS = Buffer.alloc(65_536);

/**
 * Overwrites the free bytes of a database file, in which removed rows and earlier copies of rows remain legible: free
 * pages, and the gaps of others. SQLite has no function for that but VACUUM, which would block the hub for minutes.
 *
 * A step takes SQLite's lock for writing while the write-ahead log is empty, so all pages are in the file, and no other
 * connection changes it. It writes zeros only where SQLite reads nothing, so it may be interrupted anywhere. To empty the
 * log makes all connections read their pages again, whose free bytes they would write back too.
 *
 * The pages are taken from the last to the first: SQLite moves pages only from the end of the file towards its
 * beginning, and copies free bytes otherwise only between the root of a tree and its child, so roots are in each step.
 */
export class PageCleaner {
  /** Never closed: with that, the operating system would end the locks of this process on the file (POSIX). */
  private readonly fd: number;
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
  }

  /** @param last the page to begin with @returns where to continue; 0 at the end; `last` if it could not begin */
  step(last = Infinity): number {
    // New ones, which have no page in memory.
    const [log, writing] = [new sqliteDriver(this.file), new sqliteDriver(this.file)];
    try {
      log.pragma(`busy_timeout = ${LOCK_TIMEOUT_MS}`);
      writing.pragma(`busy_timeout = ${LOCK_TIMEOUT_MS}`);
      if (!begin(log, writing)) return last;
      const next = this.cleanFrom(last, writing);
      fsyncSync(this.fd);
      writing.exec('ROLLBACK');
      return next;
    } finally {
      writing.close();
      log.close();
    }
  }

  private cleanFrom(last: number, connection: Connection): number {
    const pages = Number(connection.pragma('page_count', { simple: true }));
    const header = this.read(1, 100);
    this.pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
    this.usable = this.pageBytes - header[20]!;
    this.trunks = this.readTrunks(header.readUInt32BE(32));
    const roots = connection
      .prepare<[], number>('SELECT rootpage FROM sqlite_master WHERE rootpage > 0')
      .pluck()
      .all();
    for (const root of roots) this.clean(root);
    const until = performance.now() + this.stepMs;
    let page = Math.min(last, pages);
    for (; page > 0 && performance.now() < until; page -= 1) this.clean(page);
    return page;
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

/** Takes the lock while the log is empty. @returns whether it did */
function begin(log: Connection, writing: Connection): boolean {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const [emptied] = log.pragma('wal_checkpoint(TRUNCATE)') as [{ busy: 0 | 1 }];
    if (emptied.busy === 1) return false;
    try {
      writing.exec('BEGIN IMMEDIATE');
    } catch {
      return false;
    }
    if ((log.pragma('wal_checkpoint(NOOP)') as [{ log: number }])[0].log === 0) return true;
    writing.exec('ROLLBACK');
  }
  return false;
}
