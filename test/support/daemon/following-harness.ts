import { randomBytes } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { z } from 'zod';
import { consumerCreate, consumerRead, type ConsumerRead } from '../../../src/contract/consumer';
import { ConsumerReads } from '../../../src/relay/consumers/consumer-reads.service';
import { ConsumerStatesQuery } from '../../../src/relay/consumers/consumer-states.query';
import { ConsumersService, type ConsumerClient } from '../../../src/relay/consumers/consumers.service';
import { EventEntity } from '../../../src/relay/events/event.entity';
import { HeldReads } from '../../../src/relay/events/following/held-reads.service';
import { NextEventsQuery } from '../../../src/relay/events/following/next-events.query';
import { EventIndexes } from '../../../src/relay/events/search/event-indexes';
import { FindEventsQuery } from '../../../src/relay/events/search/find-events.query';
import { MatchingEventsQuery } from '../../../src/relay/events/search/matching-events.query';
import { ReadFieldsQuery } from '../../../src/relay/events/search/read-fields.query';
import { TimeBounds } from '../../../src/relay/ground/time-bounds';
import type { Settings } from '../../../src/relay/settings/settings';
import { draft, type ScratchStore } from './scratch-journal';

export const RETENTION_DAYS = 10;

/** Someone who may use all consumers. */
export const OPERATOR: ConsumerClient = {
  actor: { kind: 'api_token', id: 'tok_operator', name: 'operator' },
  ownOnly: false,
  address: '127.0.0.1',
};

const SIGNAL = Object.assign(new AbortController().signal, { caller: 'test' });

/** What reads events in order, and consumers, on a scratch store. */
export class FollowingHarness {
  next!: NextEventsQuery;
  consumers!: ConsumersService;
  reads!: ConsumerReads;
  states!: ConsumerStatesQuery;
  /** Whether no other daemon can have become the leader. */
  holdsLease = true;
  private source: DataSource | null = null;

  private constructor(readonly store: ScratchStore) {}

  static async on(store: ScratchStore): Promise<FollowingHarness> {
    const harness = new FollowingHarness(store);
    await harness.restart();
    return harness;
  }

  /** Starts again on the same data, as after the end of a daemon. */
  async restart(): Promise<void> {
    const { store } = this;
    await store.reopen();
    this.source ??= await store.openSource([EventEntity]);
    const { source } = this;
    const { reader, journal, clock } = store;
    const matching = new MatchingEventsQuery(
      source,
      reader,
      new EventIndexes(source, reader, null as never, null as never),
    );
    const fields = new ReadFieldsQuery(reader);
    const finder = new FindEventsQuery(source, reader, journal, matching, fields);
    this.next = new NextEventsQuery(reader, journal, finder, fields);
    const held = new HeldReads(this.next, journal);
    this.consumers = new ConsumersService(source, journal, this.next, clock);
    await this.consumers.onModuleInit();
    const random = { bytes: randomBytes, fraction: Math.random };
    const leadership = { leads: true, isShared: true, holdsLease: () => this.holdsLease };
    this.reads = new ConsumerReads(this.consumers, held, this.next, journal, clock, random, leadership);
    const settings = { retentionDays: RETENTION_DAYS } as Settings;
    this.states = new ConsumerStatesQuery(reader, journal, settings, new TimeBounds(clock), clock);
  }

  async close(): Promise<void> {
    await this.source?.destroy();
    await this.store.remove();
  }

  /** Stores events of the deals 1, 2 and so on. */
  append(count: number, parts: Parameters<typeof draft>[1] = {}): Promise<unknown> {
    const { journal } = this.store;
    return Promise.all(
      Array.from({ length: count }, (_, i) => journal.append(draft(i + 1, parts), () => [])),
    );
  }

  prune(...seqs: number[]): Promise<unknown> {
    return this.store.journal.prune({ seqs, removeIdentitiesBefore: null });
  }

  create(input: z.input<typeof consumerCreate>, client = OPERATOR) {
    return this.consumers.create(consumerCreate.parse(input), client);
  }

  /** @returns the `seq`s that were read, and the lease */
  async read(name: string, input: Partial<ConsumerRead> = {}, client = OPERATOR) {
    const { followed, lease } = await this.reads.read(name, consumerRead.parse(input), client, SIGNAL);
    return { seqs: followed.events.map(({ seq }) => seq), lease, end: followed.next_cursor };
  }

  commit(name: string, lease: string, position: number | string) {
    return this.reads.commit(name, { lease, position: String(position) }, OPERATOR);
  }

  async state(name: string) {
    return (await this.states.presenter(name))(this.consumers.get(name, OPERATOR));
  }
}
