import type { EventSummary } from '../../../src/contract/event';
import type { Page } from '../../../src/contract/page';
import type { EventFilter } from '../api/events';
import { matchesFilter } from './event-filter';
import { updateEvents } from './update-events';
import { HeldEvents } from './held-events';

const PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 200;
/** Above the newest row there may be some by now. */
const EXTRA_ROWS = 25;
/** So many rows are kept while the list follows, and so many may wait; the daemon has the others. */
const MAX_ROWS = 5_000;

/** Why new rows are held back: what is being read must not move. */
export type HoldReason = 'paused' | 'scrolled' | 'selected' | 'pointed';

/** What the list shows at a moment. */
export interface TailView {
  rows: EventSummary[];
  newCount: number;
  /** Whether more waits than was counted. */
  isNewCountMinimum: boolean;
  holdReasons: ReadonlySet<HoldReason>;
  phase: 'loading' | 'ready' | 'failed';
  error: unknown;
  hasOlder: boolean;
  loadingOlder: boolean;
}

/** How far the list is scrolled, and the row that the keyboard is at. */
interface Position {
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
  private readonly listeners = new Set<() => void>();
  private readonly matches: (event: EventSummary) => boolean;
  private readonly held = new HeldEvents(MAX_ROWS);
  private hasGap = true;
  private buffered: EventSummary[] = [];
  /** Events whose state has changed since it was read. */
  private staleIds = new Set<string>();
  private visible = { first: 0, last: 0 };
  private isReading = false;
  private mustReadAgain = false;
  private view: TailView = {
    rows: [],
    newCount: 0,
    isNewCountMinimum: false,
    holdReasons: new Set(),
    phase: 'loading',
    error: null,
    hasOlder: false,
    loadingOlder: false,
  };
  private lastPosition: Position = { offset: 0, activeId: null };

  constructor(
    private readonly filter: EventFilter,
    private readonly load: LoadPage,
  ) {
    this.matches = matchesFilter(filter);
  }

  /** Where the reader was, for the way back from an event. */
  get position(): Position {
    return this.lastPosition;
  }

  /** Keeps where the reader is. */
  savePosition(place: Partial<Position>): void {
    this.lastPosition = { ...this.lastPosition, ...place };
  }

  readonly subscribe = (hear: () => void): (() => void) => {
    this.listeners.add(hear);
    return () => this.listeners.delete(hear);
  };

  readonly read = (): TailView => this.view;

  /** Whether something may have been left out that could not be read yet. */
  get isIncomplete(): boolean {
    return this.hasGap;
  }

  /** Holds new rows back for a reason, or gives that reason up; without reasons the waiting rows appear. */
  hold(reason: HoldReason, on: boolean): void {
    if (this.view.holdReasons.has(reason) === on) return;
    const held = new Set(this.view.holdReasons);
    if (on) held.add(reason);
    else held.delete(reason);
    this.show({ holdReasons: held });
    if (held.size > 0) return;
    this.release();
    // Rows that have left that state meanwhile were held as well.
    if (this.isStatusFiltered) void this.catchUp();
  }

  /** Lets the waiting rows appear now, whatever holds the list. */
  release(): void {
    const { rows, count, hasGap } = this.held;
    if (count === 0) return;
    this.held.clear();
    // What was let go between them is read like all that is older.
    this.show(hasGap ? { rows: [...rows], hasOlder: true } : this.limitRows([...rows, ...this.view.rows]));
  }

  /** Takes what the socket brought: it tells of new events, of an event's state only how it was then. */
  receive(events: readonly EventSummary[]): void {
    if (this.hasGap) {
      this.buffer(events);
      return;
    }
    const newest = this.newestSeq();
    const newer = events.filter((event) => event.seq > newest && this.matches(event));
    if (newer.length > 0) this.add(newer.toSorted((one, other) => other.seq - one.seq));
  }

  /** Notes that the states of events have changed, for the next `refresh`. */
  markStale(ids: Iterable<string>): void {
    for (const id of ids) this.staleIds.add(id);
    if (this.staleIds.size < 4 * MAX_ROWS) return;
    const here = new Set([...this.view.rows, ...this.held.rows].map(({ id }) => id));
    this.staleIds = new Set([...this.staleIds].filter((id) => here.has(id)));
  }

  /** Notes which rows are in sight. */
  setVisible(first: number, last: number): void {
    this.visible = { first, last };
  }

  /** Reads the rows in sight anew, if the state of one has changed; others are read when they come into sight. */
  async refresh(): Promise<void> {
    // Which events a list by state holds changes with their states.
    if (this.isStatusFiltered) return this.catchUp();
    const { first, last } = this.visible;
    const rows = this.view.rows.slice(first, last + 1);
    if (!rows.some(({ id }) => this.staleIds.has(id))) return;
    for (const { id } of rows) this.staleIds.delete(id);
    const above = this.view.rows[first - 1]?.id ?? this.held.lowestId;
    const page = await this.fetch(Math.min(MAX_PAGE_SIZE, rows.length + EXTRA_ROWS), above);
    if (page !== null) this.show({ rows: updateEvents(this.view.rows, page.data) });
    // So many may have come meanwhile that the page ended above them.
    const reached = page?.data.at(-1)?.seq ?? Infinity;
    this.markStale(rows.filter(({ seq }) => seq < reached).map(({ id }) => id));
  }

  /** Reads what may be missing above the newest row, and compares the newest rows with the daemon's list. */
  async catchUp(): Promise<void> {
    this.hasGap = true;
    this.mustReadAgain = true;
    if (this.isReading) return;
    this.isReading = true;
    while (this.mustReadAgain) {
      this.mustReadAgain = false;
      this.buffered = [];
      const isRead = await (this.view.phase === 'ready' ? this.readNewest() : this.loadFirstPage());
      if (isRead && !this.mustReadAgain) this.applyBuffered();
    }
    this.isReading = false;
  }

  /** Reads on downwards. */
  async loadOlder(): Promise<void> {
    const oldest = this.view.rows.at(-1);
    if (!this.view.hasOlder || this.view.loadingOlder || oldest === undefined) return;
    this.show({ loadingOlder: true });
    const page = await this.fetch(PAGE_SIZE, oldest.id);
    // Meanwhile the list may have been cut, or begun anew.
    if (page !== null && this.view.rows.at(-1)?.seq === oldest.seq)
      this.show({ rows: [...this.view.rows, ...page.data], hasOlder: page.next_cursor !== null });
    this.show({ loadingOlder: false });
  }

  private async loadFirstPage(): Promise<boolean> {
    const page = await this.fetch(PAGE_SIZE);
    if (page !== null) this.replace(page);
    return page !== null;
  }

  /** Answers whether the daemon could be read. */
  private async readNewest(): Promise<boolean> {
    const known = this.newestSeq();
    const newest = await this.fetch(MAX_PAGE_SIZE);
    if (newest === null) return false;
    // What was committed does not vanish: a shorter history is another one, such as a restored backup.
    if (!this.isStatusFiltered && (newest.data[0]?.seq ?? 0) < known) {
      this.replace(newest);
      return true;
    }
    const found = [...newest.data];
    let cursor = newest.next_cursor;
    while (this.isHeld && cursor !== null && found.at(-1)!.seq > known) {
      if (found.length >= MAX_ROWS) break;
      const page = await this.fetch(MAX_PAGE_SIZE, cursor);
      if (page === null) return false;
      found.push(...page.data);
      cursor = page.next_cursor;
    }
    const isApart = cursor !== null && found.at(-1)!.seq > known;
    if (!this.isHeld && (isApart || this.isStatusFiltered)) this.replace(newest);
    else this.merge(found, known, isApart);
    return true;
  }

  /** Takes what was read in: news of what is here, and what is newer than all of it. */
  private merge(found: readonly EventSummary[], known: number, isApart: boolean): void {
    this.held.update(found);
    this.view = { ...this.view, rows: updateEvents(this.view.rows, found) };
    const newer = found.filter(({ seq }) => seq > known);
    if (isApart) this.held.addAfterGap(newer);
    else this.add(newer);
    this.show({});
  }

  /** All has been read that the socket may have left out, so what it brought since follows without a hole. */
  private applyBuffered(): void {
    const { buffered } = this;
    this.hasGap = false;
    this.buffered = [];
    this.receive(buffered);
  }

  private buffer(events: readonly EventSummary[]): void {
    this.buffered.push(...events);
    if (this.buffered.length <= MAX_ROWS) return;
    this.buffered = [];
    this.mustReadAgain = true;
  }

  /** Adds what follows all that is here, newest first. */
  private add(newer: readonly EventSummary[]): void {
    if (this.isHeld) {
      this.held.add(newer);
      this.show({});
    } else this.show(this.limitRows([...newer, ...this.view.rows]));
  }

  private get isHeld(): boolean {
    return this.view.holdReasons.size > 0;
  }

  private get isStatusFiltered(): boolean {
    return this.filter.status !== undefined;
  }

  private newestSeq(): number {
    return this.held.rows[0]?.seq ?? this.view.rows[0]?.seq ?? 0;
  }

  private limitRows(rows: EventSummary[]): Partial<TailView> {
    return rows.length > MAX_ROWS ? { rows: rows.slice(0, MAX_ROWS), hasOlder: true } : { rows };
  }

  /** Begins anew with the newest page, forgetting what was below it. */
  private replace({ data, next_cursor: next }: Page<EventSummary>): void {
    this.held.clear();
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
    const { count, isCountMinimum } = this.held;
    this.view = { ...this.view, ...change, newCount: count, isNewCountMinimum: isCountMinimum };
    for (const listener of this.listeners) listener();
  }
}
