import type { EventSummary } from '../../../src/contract/event';
import type { Page } from '../../../src/contract/page';
import type { EventFilter } from '../api/events';
import { accepts } from './event-filter';
import { updateEvents } from './update-events';
import { WaitingEvents } from './waiting-events';

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
 * Neither the rows nor what waits has a hole: where the socket may have left something out, the list is behind, and what
 * the socket brings from then on is kept apart (`ahead`) until all below it has been read.
 */
export class EventTail {
  private readonly watchers = new Set<() => void>();
  private readonly takes: (event: EventSummary) => boolean;
  private readonly waiting = new WaitingEvents(MOST_ROWS);
  private behind = true;
  private ahead: EventSummary[] = [];
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

  /** Whether something may have been left out that could not be read yet. */
  get isBehind(): boolean {
    return this.behind;
  }

  /** Holds new rows back for a reason, or gives that reason up; without reasons the waiting rows appear. */
  hold(reason: HoldReason, on: boolean): void {
    if (this.view.held.has(reason) === on) return;
    const held = new Set(this.view.held);
    if (on) held.add(reason);
    else held.delete(reason);
    this.show({ held });
    if (held.size > 0) return;
    this.release();
    // Rows that have left that state meanwhile were held as well.
    if (this.isByState) void this.catchUp();
  }

  /** Lets the waiting rows appear now, whatever holds the list. */
  release(): void {
    const { rows, count, isApart } = this.waiting;
    if (count === 0) return;
    this.waiting.clear();
    // What was let go between them is read like all that is older.
    this.show(isApart ? { rows: [...rows], hasOlder: true } : this.cut([...rows, ...this.view.rows]));
  }

  /** Takes what the socket brought: it tells of new events, of an event's state only how it was then. */
  receive(events: readonly EventSummary[]): void {
    if (this.behind) {
      this.keepAhead(events);
      return;
    }
    const newest = this.newest();
    const newer = events.filter((event) => event.seq > newest && this.takes(event));
    if (newer.length > 0) this.add(newer.toSorted((one, other) => other.seq - one.seq));
  }

  /** Notes that the states of events have changed, for the next `refresh`. */
  touch(ids: Iterable<string>): void {
    for (const id of ids) this.touched.add(id);
    if (this.touched.size < 4 * MOST_ROWS) return;
    const here = new Set([...this.view.rows, ...this.waiting.rows].map(({ id }) => id));
    this.touched = new Set([...this.touched].filter((id) => here.has(id)));
  }

  /** Notes which rows are in sight. */
  look(first: number, last: number): void {
    this.sight = { first, last };
  }

  /** Reads the rows in sight anew, if the state of one has changed; others are read when they come into sight. */
  async refresh(): Promise<void> {
    // Which events a list by state holds changes with their states.
    if (this.isByState) return this.catchUp();
    const { first, last } = this.sight;
    const rows = this.view.rows.slice(first, last + 1);
    if (!rows.some(({ id }) => this.touched.has(id))) return;
    for (const { id } of rows) this.touched.delete(id);
    const above = this.view.rows[first - 1]?.id ?? this.waiting.lowestId;
    const page = await this.fetch(Math.min(LARGEST_PAGE, rows.length + SOME_NEW), above);
    if (page !== null) this.show({ rows: updateEvents(this.view.rows, page.data) });
    // So many may have come meanwhile that the page ended above them.
    const reached = page?.data.at(-1)?.seq ?? Infinity;
    this.touch(rows.filter(({ seq }) => seq < reached).map(({ id }) => id));
  }

  /** Reads what may be missing above the newest row, and compares the newest rows with the daemon's list. */
  async catchUp(): Promise<void> {
    this.behind = true;
    this.again = true;
    if (this.busy) return;
    this.busy = true;
    while (this.again) {
      this.again = false;
      this.ahead = [];
      const isRead = await (this.view.phase === 'ready' ? this.compare() : this.begin());
      if (isRead && !this.again) this.goOn();
    }
    this.busy = false;
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

  private async begin(): Promise<boolean> {
    const page = await this.fetch(PAGE);
    if (page !== null) this.replace(page);
    return page !== null;
  }

  /** Answers whether the daemon could be read. */
  private async compare(): Promise<boolean> {
    const known = this.newest();
    const newest = await this.fetch(LARGEST_PAGE);
    if (newest === null) return false;
    // What was committed does not vanish: a shorter history is another one, such as a restored backup.
    if (!this.isByState && (newest.data[0]?.seq ?? 0) < known) {
      this.replace(newest);
      return true;
    }
    const found = [...newest.data];
    let cursor = newest.next_cursor;
    while (this.isHeld && cursor !== null && found.at(-1)!.seq > known) {
      if (found.length >= MOST_ROWS) break;
      const page = await this.fetch(LARGEST_PAGE, cursor);
      if (page === null) return false;
      found.push(...page.data);
      cursor = page.next_cursor;
    }
    const isApart = cursor !== null && found.at(-1)!.seq > known;
    if (!this.isHeld && (isApart || this.isByState)) this.replace(newest);
    else this.takeIn(found, known, isApart);
    return true;
  }

  /** Takes what was read in: news of what is here, and what is newer than all of it. */
  private takeIn(found: readonly EventSummary[], known: number, isApart: boolean): void {
    this.waiting.update(found);
    this.view = { ...this.view, rows: updateEvents(this.view.rows, found) };
    const newer = found.filter(({ seq }) => seq > known);
    if (isApart) this.waiting.addApart(newer);
    else this.add(newer);
    this.show({});
  }

  /** All has been read that the socket may have left out, so what it brought since follows without a hole. */
  private goOn(): void {
    const { ahead } = this;
    this.behind = false;
    this.ahead = [];
    this.receive(ahead);
  }

  private keepAhead(events: readonly EventSummary[]): void {
    this.ahead.push(...events);
    if (this.ahead.length <= MOST_ROWS) return;
    this.ahead = [];
    this.again = true;
  }

  /** Adds what follows all that is here, newest first. */
  private add(newer: readonly EventSummary[]): void {
    if (this.isHeld) {
      this.waiting.add(newer);
      this.show({});
    } else this.show(this.cut([...newer, ...this.view.rows]));
  }

  private get isHeld(): boolean {
    return this.view.held.size > 0;
  }

  private get isByState(): boolean {
    return this.filter.status !== undefined;
  }

  private newest(): number {
    return this.waiting.rows[0]?.seq ?? this.view.rows[0]?.seq ?? 0;
  }

  private cut(rows: EventSummary[]): Partial<TailView> {
    return rows.length > MOST_ROWS ? { rows: rows.slice(0, MOST_ROWS), hasOlder: true } : { rows };
  }

  /** Begins anew with the newest page, forgetting what was below it. */
  private replace({ data, next_cursor: next }: Page<EventSummary>): void {
    this.waiting.clear();
    this.show({ rows: data, phase: 'ready', error: null, hasOlder: next !== null });
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
    const { count, isMore } = this.waiting;
    this.view = { ...this.view, ...change, waiting: count, waitingMore: isMore };
    for (const hear of this.watchers) hear();
  }
}
