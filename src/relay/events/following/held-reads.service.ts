import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Journal } from '../../database/journal/journal';
import type { RequestSignal } from '../../database/reading/reader';
import { positionId } from '../../ground/ids';
import { RelayError } from '../../ground/relay-error';
import { NextEventsQuery, type Following, type NextEvents, type Position } from './next-events.query';

/** All requests that wait for the same events are answered by one read in this time. */
const READ_EVERY_MS = 100;
/** The pause after the reads for all of them, as a multiple of their duration: others read, too. */
const PAUSE_FACTOR = 4;
const MAX_EVENTS_PER_READ = 200;

/** A request that has examined every event, and waits for the next one. */
interface Waiter {
  following: Following;
  signal: RequestSignal;
  /** Its response, if it ended now. */
  page: NextEvents;
  resolve: (page: NextEvents) => void;
  reject: (error: unknown) => void;
}

/** What follows a position, as it is returned. */
export interface Followed extends Pick<NextEvents, 'events' | 'bodies'> {
  /** Behind the last event examined. */
  position: Position;
  next_cursor: string;
  newest_seq: number;
  /** Events that are stored behind the position. */
  lag: number;
}

/** Reads what follows a position, and holds requests until there is something. A commit only announces its events. */
@Injectable()
export class HeldReads implements OnModuleDestroy {
  /** Those that wait for the same events, by the JSON of these. */
  private readonly groups = new Map<string, Set<Waiter>>();
  private newestSeq = 0;
  private timer: NodeJS.Timeout | null = null;
  /** When to read at the earliest, by `performance.now`. */
  private pausedUntil = 0;
  private isClosed = false;

  constructor(
    private readonly next: NextEventsQuery,
    private readonly journal: Journal,
  ) {
    journal.onCommit(({ events }) => {
      this.newestSeq = events.at(-1)?.seq ?? this.newestSeq;
      if (this.groups.size > 0) this.schedule();
    });
  }

  /**
   * The next events behind a position; none once the time is up, or the daemon stops.
   * @throws RelayError as {@link NextEventsQuery.read}; `no_leader`, 503, if it would wait while the daemon stops
   */
  async read(following: Following, from: Position, waitMs: number, signal: RequestSignal): Promise<Followed> {
    if (this.isClosed && waitMs > 0) throw stopping();
    const end = performance.now() + waitMs;
    const isOver = () => this.isClosed || performance.now() >= end;
    let page = await this.next.read(following, from, signal);
    while (page.events.length === 0 && page.position.seq < page.newestSeq && !isOver())
      page = await this.next.read(following, page.position, signal);
    if (page.events.length === 0 && !isOver())
      page = await this.hold(following, page, end - performance.now(), signal);
    const { events, bodies, position, newestSeq } = page;
    return {
      events,
      bodies,
      position,
      next_cursor: positionId(position.seq, position.accepted, this.journal.instanceId),
      newest_seq: newestSeq,
      lag: newestSeq - position.seq - position.accepted,
    };
  }

  /** Ends the requests that are held for a credential, which is no longer valid. */
  endOf(credentialId: string): void {
    this.end(({ signal }) => signal.caller.endsWith(` ${credentialId}`));
  }

  /** Ends all requests, and holds no more. */
  close(): void {
    this.isClosed = true;
    this.end(() => true);
  }

  onModuleDestroy(): void {
    this.close();
  }

  private end(isConcerned: (waiter: Waiter) => boolean): void {
    for (const waiter of [...this.groups.values()].flatMap((group) => [...group]))
      if (isConcerned(waiter)) waiter.resolve(waiter.page);
  }

  private async hold(
    following: Following,
    page: NextEvents,
    ms: number,
    signal: RequestSignal,
  ): Promise<NextEvents> {
    const key = JSON.stringify({ ...following, limit: null });
    const group = this.groups.get(key) ?? new Set();
    this.groups.set(key, group);
    const waiter = { following, signal, page } as Waiter;
    const answer = new Promise<NextEvents>((resolve, reject) => Object.assign(waiter, { resolve, reject }));
    const end = () => waiter.resolve(waiter.page);
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
    group.add(waiter);
    if (this.newestSeq > page.position.seq) this.schedule();
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      group.delete(waiter);
      if (group.size === 0 && this.groups.get(key) === group) this.groups.delete(key);
    }
  }

  private schedule(): void {
    const delayMs = Math.max(READ_EVERY_MS, this.pausedUntil - performance.now());
    this.timer ??= setTimeout(() => void this.readAll(), delayMs);
  }

  private async readAll(): Promise<void> {
    const startedAt = performance.now();
    for (const group of this.groups.values()) {
      const waiters = [...group];
      if (waiters.some((waiter) => this.isBehind(waiter))) await this.readFor(waiters);
    }
    const endedAt = performance.now();
    this.pausedUntil = endedAt + (endedAt - startedAt) * PAUSE_FACTOR;
    this.timer = null;
    if ([...this.groups.values()].some((group) => [...group].some((waiter) => this.isBehind(waiter))))
      this.schedule();
  }

  private isBehind({ page }: Waiter): boolean {
    return page.position.seq < this.newestSeq;
  }

  private async readFor(waiters: readonly Waiter[]): Promise<void> {
    const following = { ...waiters[0]!.following, limit: MAX_EVENTS_PER_READ };
    const from = waiters.reduce((first, { page }) => Math.min(first, page.position.seq), Infinity);
    try {
      // The newest event is never removed, so none is missing behind the position of any of them.
      const found = await this.next.read(following, { seq: from, accepted: 0 }, undefined, this.newestSeq);
      for (const waiter of waiters) offer(waiter, found);
    } catch (error) {
      for (const { reject } of waiters) reject(error);
    }
  }
}

/** Answers the request if some of the events are behind what it has examined; otherwise it has examined more now. */
function offer(waiter: Waiter, found: NextEvents): void {
  const { page, following, resolve } = waiter;
  if (found.position.seq <= page.position.seq) return;
  const behind = found.events.filter(({ seq }) => seq > page.position.seq);
  const events = behind.slice(0, following.limit);
  const position = events.length < behind.length ? { seq: events.at(-1)!.seq, accepted: 0 } : found.position;
  waiter.page = { ...found, events, position };
  if (events.length > 0) resolve(waiter.page);
}

const stopping = () =>
  new RelayError('no_leader', 503, 'This daemon is stopping.', {
    remedy: 'Try again: the next one continues from the same position.',
  });
