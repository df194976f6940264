import type { EventSummary } from '@contract/event';
import type { Page } from '@contract/page';
import type { EventFilter } from '../api/events';
import { matchesFilter } from './event-filter';
import { updateEvents } from './update-events';
import { HeldEvents } from './held-events';
import type { HoldReason, LoadPage, Position, TailView } from './tail-view';

const PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 200;
/** Requested in addition to the visible rows, since events that arrived meanwhile shift them down the page. */
const EXTRA_ROWS = 25;
/** Limits the rows shown, and also the rows held; older ones are loaded from the daemon when needed. */
const MAX_ROWS = 5_000;
/** Above this, ids of events that are no longer loaded are removed from the stale ones. */
const MAX_STALE_IDS = 4 * MAX_ROWS;

/**
 * A live list of events, newest first. The socket delivers new events; states, older events and missed
 * ones are read from the API. While the list is on hold, new rows are held and counted. Neither the rows
 * nor the held events have gaps: after a possible loss (`hasGap`), events from the socket are buffered
 * until everything before them has been read.
 */
export class EventTail {
  private readonly listeners = new Set<() => void>();
  private readonly matches: (event: EventSummary) => boolean;
  private readonly held = new HeldEvents(MAX_ROWS);
  private hasGap = true;
  private buffered: EventSummary[] = [];
  /** Events that changed since they were read. */
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

  /** The last position, restored when the user returns from an event. */
  get position(): Position {
    return this.lastPosition;
  }

  /** Saves the position. */
  savePosition(position: Partial<Position>): void {
    this.lastPosition = { ...this.lastPosition, ...position };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly read = (): TailView => this.view;

  /** Whether events may be missing. */
  get isIncomplete(): boolean {
    return this.hasGap;
  }

  /** Adds or removes a reason to hold new rows; without reasons the held rows are shown. */
  hold(reason: HoldReason, on: boolean): void {
    if (this.view.holdReasons.has(reason) === on) return;
    const held = new Set(this.view.holdReasons);
    if (on) held.add(reason);
    else held.delete(reason);
    this.show({ holdReasons: held });
    if (held.size > 0) return;
    this.release();
    // While on hold, rows may have stopped matching the status filter.
    if (this.isStatusFiltered) void this.catchUp();
  }

  /** Shows the held rows now, regardless of the hold reasons. */
  release(): void {
    const { rows, count, hasGap } = this.held;
    if (count === 0) return;
    this.held.clear();
    // If events between the held rows and the list were dropped, only the held rows are shown; the others load as older ones.
    this.show(hasGap ? { rows: [...rows], hasOlder: true } : this.limitRows([...rows, ...this.view.rows]));
  }

  /** Handles events from the socket; their states may be outdated. */
  receive(events: readonly EventSummary[]): void {
    if (this.hasGap) {
      this.buffer(events);
      return;
    }
    const newest = this.newestSeq();
    const newer = events.filter((event) => event.seq > newest && this.matches(event));
    if (newer.length > 0) this.add(newer.toSorted((one, other) => other.seq - one.seq));
  }

  /** Marks events to be reloaded by the next `refresh`. */
  markStale(ids: Iterable<string>): void {
    for (const id of ids) this.staleIds.add(id);
    if (this.staleIds.size < MAX_STALE_IDS) return;
    const loadedIds = new Set(this.loadedIds);
    this.staleIds = new Set([...this.staleIds].filter((id) => loadedIds.has(id)));
  }

  /** Any event may have changed. */
  markAllStale(): void {
    this.staleIds = new Set(this.loadedIds);
  }

  private get loadedIds(): string[] {
    return [...this.view.rows, ...this.held.rows].map(({ id }) => id);
  }

  /** Sets the visible range. */
  setVisible(first: number, last: number): void {
    this.visible = { first, last };
  }

  /** Reloads the visible rows if one of them is stale; others follow when they become visible. */
  async refresh(): Promise<void> {
    // With a status filter, a changed status changes which events match.
    if (this.isStatusFiltered) return this.catchUp();
    const { first, last } = this.visible;
    const rows = this.view.rows.slice(first, last + 1);
    if (!rows.some(({ id }) => this.staleIds.has(id))) return;
    for (const { id } of rows) this.staleIds.delete(id);
    const above = this.view.rows[first - 1]?.id ?? this.held.lowestId;
    const limit = Math.min(MAX_PAGE_SIZE, rows.length + EXTRA_ROWS);
    let page = await this.fetch(limit, above);
    // So many events may have arrived that the page ends above the rows. The first one then stays stale.
    if (page !== null && page.data.length > 0 && page.data.at(-1)!.seq > rows[0]!.seq) {
      this.markStale([rows[0]!.id]);
      page = await this.fetch(limit, rows[0]!.id);
    }
    if (page !== null) this.show({ rows: updateEvents(this.view.rows, page.data) });
    // New events may have pushed some of the rows off the page; they stay stale.
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

  /** Loads the next older page. */
  async loadOlder(): Promise<void> {
    const oldest = this.view.rows.at(-1);
    if (!this.view.hasOlder || this.view.loadingOlder || oldest === undefined) return;
    this.show({ loadingOlder: true });
    const page = await this.fetch(PAGE_SIZE, oldest.id);
    // The list may have been trimmed or replaced meanwhile.
    if (page !== null && this.view.rows.at(-1)?.seq === oldest.seq)
      this.show({ rows: [...this.view.rows, ...page.data], hasOlder: page.next_cursor !== null });
    this.show({ loadingOlder: false });
  }

  private async loadFirstPage(): Promise<boolean> {
    const page = await this.fetch(PAGE_SIZE);
    if (page !== null) this.replace(page);
    return page !== null;
  }

  /**
   * Reads the events above the newest known one. While on hold it reads all of them, to count them.
   * @returns whether the requests succeeded
   */
  private async readNewest(): Promise<boolean> {
    const knownSeq = this.newestSeq();
    const newest = await this.fetch(MAX_PAGE_SIZE);
    if (newest === null) return false;
    // Sequences only grow, so a lower one means a different history, such as a restored backup.
    if (!this.isStatusFiltered && (newest.data[0]?.seq ?? 0) < knownSeq) {
      this.replace(newest);
      return true;
    }
    const found = [...newest.data];
    let cursor = newest.next_cursor;
    while (this.isHeld && cursor !== null && found.at(-1)!.seq > knownSeq) {
      if (found.length >= MAX_ROWS) break;
      const page = await this.fetch(MAX_PAGE_SIZE, cursor);
      if (page === null) return false;
      found.push(...page.data);
      cursor = page.next_cursor;
    }
    const leavesGap = cursor !== null && found.at(-1)!.seq > knownSeq;
    if (!this.isHeld && (leavesGap || this.isStatusFiltered)) this.replace(newest);
    else this.merge(found, knownSeq, leavesGap);
    return true;
  }

  /** Updates known rows and adds newer ones. @param leavesGap whether events between the two are missing */
  private merge(found: readonly EventSummary[], knownSeq: number, leavesGap: boolean): void {
    this.held.update(found);
    this.view = { ...this.view, rows: updateEvents(this.view.rows, found) };
    const newer = found.filter(({ seq }) => seq > knownSeq);
    if (leavesGap) this.held.addAfterGap(newer);
    else this.add(newer);
    this.show({});
  }

  /** Everything missed has been read, so the buffered events follow without a gap. */
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

  /** Adds events that are newer than all rows, newest first. */
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

  /** Starts over with the newest page. */
  private replace({ data, next_cursor: next }: Page<EventSummary>): void {
    this.held.clear();
    this.show({ rows: data, phase: 'ready', error: null, hasOlder: next !== null });
  }

  private async fetch(limit: number, cursor?: string): Promise<Page<EventSummary> | null> {
    try {
      let page = await this.load(limit, cursor);
      // With a narrow filter, a page may be empty although more follow.
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
