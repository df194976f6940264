import type { EventSummary } from '../../../src/contract/event';
import type { Page } from '../../../src/contract/page';
import type { EventFilter } from '../api/events';
import { accepts } from './event-filter';
import { mergeEvents, updateEvents } from './merge-events';

const PAGE = 100;
const LARGEST_PAGE = 200;
/** A refresh reads this many rows beyond those it wants: the newest ones may not have come by socket yet. */
const SOME_NEW = 25;
/** Beyond this, rows below the fold and rows in waiting are let go; the daemon has them. */
const MOST_ROWS = 5_000;

/** Why new rows are held back: what is being read must not move. */
export type HoldReason = 'paused' | 'scrolled' | 'selected' | 'pointed';

/** What the list shows at a moment. */
export interface TailView {
  rows: EventSummary[];
  waiting: number;
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

/** Reads one page of the daemon's list. */
export type LoadPage = (limit: number, cursor?: string) => Promise<Page<EventSummary>>;

/**
 * A live list of events, newest first. The socket brings new ones; the daemon's list is the truth for their states, for
 * what is older, and for what the socket missed. While it is held, new rows wait and are counted.
 */
export class EventTail {
  private readonly watchers = new Set<() => void>();
  private readonly takes: (event: EventSummary) => boolean;
  private waiting: EventSummary[] = [];
  private readonly touched = new Set<string>();
  private missed = 0;
  private cursor: string | null = null;
  private view: TailView = {
    rows: [],
    waiting: 0,
    held: new Set(),
    phase: 'loading',
    error: null,
    hasOlder: false,
    loadingOlder: false,
  };
  private seen: Place = { offset: 0, activeId: null };

  constructor(
    filter: EventFilter,
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
    if (this.missed > 0) {
      void this.restart();
      return;
    }
    if (this.waiting.length === 0) return;
    const rows = mergeEvents(this.view.rows, this.waiting);
    this.waiting = [];
    this.show({ rows });
  }

  /** Takes what the socket brought. */
  receive(events: readonly EventSummary[]): void {
    const known = new Set(this.view.rows.map(({ id }) => id));
    const fresh = events.filter((event) => !known.has(event.id) && this.takes(event));
    const rows = updateEvents(this.view.rows, events);
    if (this.view.held.size > 0 || this.view.phase !== 'ready') {
      this.waiting = mergeEvents(this.waiting, fresh);
      this.letGoOfWaiting();
      this.show({ rows });
    } else {
      this.show({ rows: fresh.length === 0 ? rows : mergeEvents(rows, fresh) });
      if (this.view.rows.length > MOST_ROWS) void this.restart();
    }
  }

  /** More was missed than the socket hands over: what lies between, without what waits already. */
  miss(afterSeq: number, lastSeq: number): void {
    const here = this.waiting.filter(({ seq }) => seq > afterSeq && seq <= lastSeq).length;
    this.missed = Math.max(this.missed, lastSeq - afterSeq - here);
    if (this.view.held.size === 0) void this.restart();
    else this.show({});
  }

  /** Notes that the states of events have changed, for the next `refresh`. */
  touch(ids: Iterable<string>): void {
    for (const id of ids) this.touched.add(id);
  }

  /** Compares the newest rows with the daemon's list; reaches down to the oldest row that was touched. */
  async refresh(): Promise<void> {
    if (this.view.phase !== 'ready') return this.restart();
    const oldest = this.view.rows.findLastIndex(({ id }) => this.touched.has(id));
    this.touched.clear();
    const reach = oldest + 1 + this.waiting.length + SOME_NEW;
    const before = this.newest();
    const page = await this.fetch(Math.min(LARGEST_PAGE, reach));
    if (page === null) return;
    // What was committed does not vanish: a shorter history is another one, such as a restored backup.
    if ((page.data[0]?.seq ?? 0) < before) return this.forget(page);
    const newest = this.newest();
    const lowest = page.data.at(-1)?.seq ?? 0;
    const hole = page.next_cursor !== null && lowest > newest;
    if (hole && this.view.held.size === 0) this.replace(page);
    else if (hole) this.miss(newest, page.data[0]?.seq ?? newest);
    else this.receive(page.data);
  }

  /** Begins anew with the newest page, forgetting what was below it. */
  async restart(): Promise<void> {
    const page = await this.fetch(PAGE);
    if (page !== null) this.replace(page);
  }

  /** Reads on downwards. */
  async loadOlder(): Promise<void> {
    if (this.cursor === null || this.view.loadingOlder) return;
    this.show({ loadingOlder: true });
    const page = await this.fetch(PAGE, this.cursor);
    if (page !== null) {
      this.cursor = page.next_cursor;
      this.show({ rows: mergeEvents(this.view.rows, page.data), hasOlder: page.next_cursor !== null });
    }
    this.show({ loadingOlder: false });
  }

  private newest(): number {
    return Math.max(this.view.rows[0]?.seq ?? 0, this.waiting[0]?.seq ?? 0);
  }

  private forget(page: Page<EventSummary>): void {
    this.waiting = [];
    this.show({ rows: [] });
    this.replace(page);
  }

  private replace(page: Page<EventSummary>): void {
    const lowest = page.data.at(-1)?.seq ?? 0;
    // Rows that came by socket while the page was under way are newer than it; what is older it describes better.
    const newer = [...this.view.rows, ...this.waiting].filter(({ seq }) => seq > (page.data[0]?.seq ?? 0));
    this.waiting = [];
    this.missed = 0;
    this.cursor = page.next_cursor;
    const rows = mergeEvents(
      newer.filter(({ seq }) => seq > lowest),
      page.data,
    );
    this.show({ rows, phase: 'ready', error: null, hasOlder: page.next_cursor !== null });
  }

  private async fetch(limit: number, cursor?: string): Promise<Page<EventSummary> | null> {
    try {
      return await this.load(limit, cursor);
    } catch (error) {
      this.show(this.view.phase === 'ready' ? { error } : { error, phase: 'failed' });
      return null;
    }
  }

  private letGoOfWaiting(): void {
    if (this.waiting.length <= MOST_ROWS) return;
    this.missed += this.waiting.length;
    this.waiting = [];
  }

  private show(change: Partial<TailView>): void {
    this.view = { ...this.view, ...change, waiting: this.waiting.length + this.missed };
    for (const hear of this.watchers) hear();
  }
}
