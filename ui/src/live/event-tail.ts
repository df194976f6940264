import type { EventSummary } from '../../../src/contract/event';
import type { Page } from '../../../src/contract/page';
import type { EventFilter } from '../api/events';
import { accepts } from './event-filter';
import { holds, mergeEvents, updateEvents } from './merge-events';

const PAGE = 100;
const LARGEST_PAGE = 200;
/** Above the newest row there may be some by now. */
const SOME_NEW = 25;
/** So many rows are kept while the list follows, and so many may wait; the daemon has the others. */
const MOST_ROWS = 5_000;

/** Why new rows are held back: what is being read must not move. */
export type HoldReason = 'paused' | 'scrolled' | 'selected' | 'pointed';

/** What the list shows at a moment. */
export interface TailView {
  rows: EventSummary[];
  waiting: number;
  /** Whether more waits than was counted. */
  waitingMore: boolean;
  held: ReadonlySet<HoldReason>;
  phase: 'loading' | 'ready' | 'failed';
  error: unknown;
  hasOlder: boolean;
  loadingOlder: boolean;
}

/** How far the list is scrolled, and the row that the keyboard is at. */
interface Place {
  offset: number;
  activeId: string | null;
}

/** Reads one page of the daemon's list; `cursor` is the id of the event above it. */
export type LoadPage = (limit: number, cursor?: string) => Promise<Page<EventSummary>>;

/**
 * A live list of events, newest first. The socket brings new ones; the daemon's list is the truth for their states, for
 * what is older, and for what the socket missed. While it is held, new rows wait and are counted.
 *
 * The rows have no holes, and neither has what waits. Between the two lie those that waited and were let go again
 * (`beyond`): once the list is released, it begins with what still waits, and reads on from there.
 */
export class EventTail {
  private readonly watchers = new Set<() => void>();
  private readonly takes: (event: EventSummary) => boolean;
  private waiting: EventSummary[] = [];
  private beyond = 0;
  private beyondMore = false;
  /** What the socket left out and was not read yet; above `after` the list may have a hole. */
  private missed: { after: number; last: number } | null = null;
  /** Events whose state has changed since it was read. */
  private touched = new Set<string>();
  private sight = { first: 0, last: 0 };
  private busy = false;
  private again = false;
  private view: TailView = {
    rows: [],
    waiting: 0,
    waitingMore: false,
    held: new Set(),
    phase: 'loading',
    error: null,
    hasOlder: false,
    loadingOlder: false,
  };
  private seen: Place = { offset: 0, activeId: null };

  constructor(
    private readonly filter: EventFilter,
    private readonly load: LoadPage,
  ) {
    this.takes = accepts(filter);
  }

  /** Where the reader was, for the way back from an event. */
  get place(): Place {
    return this.seen;
  }

  /** Keeps where the reader is. */
  remember(place: Partial<Place>): void {
    this.seen = { ...this.seen, ...place };
  }

  readonly watch = (hear: () => void): (() => void) => {
    this.watchers.add(hear);
    return () => this.watchers.delete(hear);
  };

  readonly read = (): TailView => this.view;

  /** Whether something was left out and could not be read yet. */
  get isBehind(): boolean {
    return this.missed !== null;
  }

  /** Holds new rows back for a reason, or gives that reason up; without reasons the waiting rows appear. */
  hold(reason: HoldReason, on: boolean): void {
    if (this.view.held.has(reason) === on) return;
    const held = new Set(this.view.held);
    if (on) held.add(reason);
    else held.delete(reason);
    this.show({ held });
    if (held.size === 0) this.release();
  }

  /** Lets the waiting rows appear now, whatever holds the list. */
  release(): void {
    if (this.waiting.length === 0) return;
    const { waiting, beyond } = this;
    this.waiting = [];
    this.beyond = 0;
    this.beyondMore = false;
    if (beyond > 0) this.show({ rows: waiting, hasOlder: true });
    else this.show(this.cut(mergeEvents(this.view.rows, waiting)));
  }

  /** Takes what the socket brought: it tells of new events, of an event's state only how it was then. */
  receive(events: readonly EventSummary[]): void {
    this.add(events.filter((event) => this.takes(event) && !this.has(event)));
  }

  /** The socket left out what lies between. */
  miss(afterSeq: number, lastSeq: number): void {
    const { after, last } = this.missed ?? { after: afterSeq, last: lastSeq };
    this.missed = { after: Math.min(after, afterSeq), last: Math.max(last, lastSeq) };
    void this.catchUp();
  }

  /** Notes that the states of events have changed, for the next `refresh`. */
  touch(ids: Iterable<string>): void {
    for (const id of ids) this.touched.add(id);
    if (this.touched.size < 4 * MOST_ROWS) return;
    const here = new Set([...this.view.rows, ...this.waiting].map(({ id }) => id));
    this.touched = new Set([...this.touched].filter((id) => here.has(id)));
  }

  /** Notes which rows are in sight. */
  look(first: number, last: number): void {
    this.sight = { first, last };
  }

  /** Reads the rows in sight anew, if the state of one has changed; others are read when they come into sight. */
  async refresh(): Promise<void> {
    // Which events a list by state holds changes with their states.
    if (this.filter.status !== undefined) return this.catchUp();
    const rows = this.inSight();
    if (!rows.some(({ id }) => this.touched.has(id))) return;
    for (const { id } of rows) this.touched.delete(id);
    const above = this.view.rows[this.sight.first - 1] ?? this.waiting.at(-1);
    const page = await this.fetch(Math.min(LARGEST_PAGE, rows.length + SOME_NEW), above?.id);
    if (page === null) this.touch(rows.map(({ id }) => id));
    else this.show({ rows: updateEvents(this.view.rows, page.data) });
  }

  /** Compares the newest rows with the daemon's list, and reads what is missing here. */
  async catchUp(): Promise<void> {
    this.again = true;
    if (this.busy) return;
    this.busy = true;
    while (this.again) {
      this.again = false;
      await (this.view.phase === 'ready' ? this.compare() : this.restart());
    }
    this.busy = false;
  }

  /** Begins anew with the newest page, forgetting what was below it. */
  async restart(): Promise<void> {
    const page = await this.fetch(PAGE);
    if (page !== null) this.replace(page);
  }

  /** Reads on downwards. */
  async loadOlder(): Promise<void> {
    const oldest = this.view.rows.at(-1);
    if (!this.view.hasOlder || this.view.loadingOlder || oldest === undefined) return;
    this.show({ loadingOlder: true });
    const page = await this.fetch(PAGE, oldest.id);
    // Meanwhile the list may have been cut, or begun anew.
    if (page !== null && this.view.rows.at(-1)?.seq === oldest.seq)
      this.show({ rows: [...this.view.rows, ...page.data], hasOlder: page.next_cursor !== null });
    this.show({ loadingOlder: false });
  }

  private async compare(): Promise<void> {
    const known = this.newest();
    const through = Math.min(known, this.missed?.after ?? known);
    const newest = await this.fetch(LARGEST_PAGE);
    if (newest === null) return;
    const byState = this.filter.status !== undefined;
    // What was committed does not vanish: a shorter history is another one, such as a restored backup.
    if (!byState && (newest.data[0]?.seq ?? 0) < known) return this.forget(newest);
    const found = [...newest.data];
    let cursor = newest.next_cursor;
    while (cursor !== null && found.at(-1)!.seq > through) {
      if (this.view.held.size === 0) return this.replace(newest);
      if (found.length >= MOST_ROWS) {
        // Where nothing of it is newer than the rows, it lies below them: then nothing waits.
        const isAbove = found[0]!.seq > (this.view.rows[0]?.seq ?? 0);
        return isAbove ? this.beginWaiting(found) : this.replace(newest);
      }
      const page = await this.fetch(LARGEST_PAGE, cursor);
      if (page === null) return;
      found.push(...page.data);
      cursor = page.next_cursor;
    }
    if (byState && this.view.held.size === 0) this.replace(newest);
    else this.takeIn(found, known);
  }

  /** More was missed than may wait: these are the newest of it, and nobody has counted the others. */
  private beginWaiting(found: readonly EventSummary[]): void {
    const newest = found[0]?.seq ?? 0;
    this.waiting = [...this.waiting.filter(({ seq }) => seq > newest), ...found];
    this.beyond += 1;
    this.beyondMore = true;
    this.close(newest);
    this.add([]);
  }

  private takeIn(found: readonly EventSummary[], known: number): void {
    this.waiting = updateEvents(this.waiting, found);
    this.show({ rows: updateEvents(this.view.rows, found) });
    this.close(found[0]?.seq ?? known);
    const fresh = found.filter((event) => !this.has(event));
    const top = this.view.rows[0]?.seq ?? 0;
    // What was left out below the newest row has its place there; only what is newer can wait.
    const below = fresh.filter(({ seq }) => seq < top);
    if (below.length > 0) this.show(this.cut(mergeEvents(this.view.rows, below)));
    this.add(fresh.filter(({ seq }) => seq > top));
  }

  /** What was left out up to `seq` has been read. */
  private close(seq: number): void {
    if (this.missed !== null && this.missed.last <= seq) this.missed = null;
  }

  private add(fresh: readonly EventSummary[]): void {
    if (this.view.held.size === 0 && this.view.phase === 'ready') {
      if (fresh.length > 0) this.show(this.cut(mergeEvents(this.view.rows, fresh)));
      return;
    }
    const waiting = mergeEvents(this.waiting, fresh);
    this.waiting = waiting.slice(0, MOST_ROWS);
    this.beyond += waiting.length - this.waiting.length;
    this.show({});
  }

  /** Whether an event is here already, waits, was let go, or is read with what is older. */
  private has({ seq }: EventSummary): boolean {
    const { rows, hasOlder } = this.view;
    const oldest = rows.at(-1);
    if (hasOlder && oldest !== undefined && seq < oldest.seq) return true;
    const lowest = this.waiting.at(-1);
    if (this.beyond > 0 && lowest !== undefined && seq < lowest.seq && seq > (rows[0]?.seq ?? 0)) return true;
    return holds(rows, seq) || holds(this.waiting, seq);
  }

  private newest(): number {
    return Math.max(this.view.rows[0]?.seq ?? 0, this.waiting[0]?.seq ?? 0);
  }

  private inSight(): EventSummary[] {
    return this.view.rows.slice(this.sight.first, this.sight.last + 1);
  }

  private cut(rows: EventSummary[]): Partial<TailView> {
    return rows.length > MOST_ROWS ? { rows: rows.slice(0, MOST_ROWS), hasOlder: true } : { rows };
  }

  private forget(page: Page<EventSummary>): void {
    this.waiting = [];
    this.missed = null;
    this.show({ rows: [] });
    this.replace(page);
  }

  private replace(page: Page<EventSummary>): void {
    const newest = page.data[0]?.seq ?? 0;
    // Rows that came by socket while the page was under way are newer than it; what is older it describes better.
    const newer = mergeEvents(this.view.rows, this.waiting).filter(({ seq }) => seq > newest);
    this.waiting = [];
    this.beyond = 0;
    this.beyondMore = false;
    this.close(newest);
    const rows = [...newer, ...page.data];
    this.show({ rows, phase: 'ready', error: null, hasOlder: page.next_cursor !== null });
  }

  private async fetch(limit: number, cursor?: string): Promise<Page<EventSummary> | null> {
    try {
      let page = await this.load(limit, cursor);
      // Where little fits the filter, a page may be empty and yet not the last one.
      while (page.data.length === 0 && page.next_cursor !== null)
        page = await this.load(limit, page.next_cursor);
      if (this.view.error !== null) this.show({ error: null });
      return page;
    } catch (error) {
      this.show(this.view.phase === 'ready' ? { error } : { error, phase: 'failed' });
      return null;
    }
  }

  private show(change: Partial<TailView>): void {
    const waiting = this.waiting.length + this.beyond;
    this.view = { ...this.view, ...change, waiting, waitingMore: this.beyondMore };
    for (const hear of this.watchers) hear();
  }
}
