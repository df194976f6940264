import { Injectable } from '@nestjs/common';
import type { Consumer } from '../../contract/consumer';
import { Journal } from '../database/journal/journal';
import { Reader } from '../database/reading/reader';
import { missingBehind } from '../events/following/next-events.query';
import { Clock } from '../ground/clock';
import { positionId } from '../ground/ids';
import { isoOrNull, toIso } from '../ground/iso-time';
import { Settings } from '../settings/settings';
import { TimeBounds } from '../ground/time-bounds';
import { leaseEndOf, type ConsumerRecord } from './consumer-record';

const DAY_MS = 24 * 60 * 60 * 1_000;
const IDLE_MS = 30 * DAY_MS;

/** How far a consumer has read. */
export interface ConsumerState {
  name: string;
  /** Events that are stored behind its position. */
  lag: number;
  /** Events that were removed behind its position, and not accepted yet. */
  missed: number;
  /** When the oldest event behind the position was received, in ms since 1970; null if there is none. */
  oldestUnreadAt: number | null;
}

const STATES = `SELECT name, newest - position - missing AS lag, missing - accepted AS missed, "oldestUnreadAt" FROM (
    SELECT c.name AS name, c.position AS position, c.accepted AS accepted,
      (SELECT coalesce(max(seq), 0) FROM events) AS newest,
      ${missingBehind('c.position')} AS missing,
      (SELECT e.received_at FROM events e WHERE e.seq > c.position ORDER BY e.seq LIMIT 1) AS "oldestUnreadAt"
    FROM consumers c, instance
  ) states`;

/** Compares the positions of consumers with the events that are stored. */
@Injectable()
export class ConsumerStatesQuery {
  constructor(
    private readonly reader: Reader,
    private readonly journal: Journal,
    private readonly settings: Settings,
    private readonly bounds: TimeBounds,
    private readonly clock: Clock,
  ) {}

  /** By name. @param name only this one */
  async read(name?: string): Promise<Map<string, ConsumerState>> {
    const [condition, parameters] = name === undefined ? ['', []] : [' WHERE name = ?', [name]];
    const states = await this.reader.all<ConsumerState>([STATES + condition, parameters]);
    return new Map(states.map((state) => [state.name, state]));
  }

  /** The part of its time that an event is stored for which has passed, from 0; 0 without such a limit. */
  usedOf({ oldestUnreadAt: at }: ConsumerState): number {
    const { retentionDays } = this.settings;
    return at === null || retentionDays === 0 ? 0 : this.bounds.ageOf(at) / (retentionDays * DAY_MS);
  }

  /** Makes consumers presentable. @param name only this one */
  async presenter(name?: string): Promise<(consumer: ConsumerRecord) => Consumer> {
    const states = await this.read(name);
    return (consumer) => this.present(consumer, states.get(consumer.name));
  }

  /** @param state unknown if it was removed in the meantime */
  private present(consumer: ConsumerRecord, state?: ConsumerState): Consumer {
    const { name, selection, position, lease, createdBy, createdAt, lastReadAt } = consumer;
    const now = this.clock.now();
    const leaseEndsAt = leaseEndOf(consumer, this.clock);
    const { lag = 0, missed = 0, oldestUnreadAt = null } = state ?? {};
    const lastsMs = this.settings.retentionDays * DAY_MS;
    const pruneAt =
      oldestUnreadAt === null || lastsMs === 0 ? null : now + lastsMs - this.bounds.ageOf(oldestUnreadAt);
    return {
      name,
      ...selection,
      position:
        position.seq === 0 ? null : positionId(position.seq, position.accepted, this.journal.instanceId),
      lag,
      missed: Math.max(0, missed),
      oldest_unread_at: isoOrNull(oldestUnreadAt),
      prune_at: isoOrNull(pruneAt),
      lease:
        lease === null || leaseEndsAt <= now
          ? null
          : { holder: lease.holder, address: lease.address, until: toIso(leaseEndsAt) },
      created_by: createdBy,
      created_at: toIso(createdAt),
      last_read_at: isoOrNull(lastReadAt),
      idle: now - (lastReadAt ?? createdAt) >= IDLE_MS,
    };
  }
}
