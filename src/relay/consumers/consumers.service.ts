import { isDeepStrictEqual } from 'node:util';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Actor } from '../../contract/audit';
import type { ConsumerChange, ConsumerCreate, ConsumerStart } from '../../contract/consumer';
import { Journal } from '../database/journal/journal';
import { insert, upsert } from '../database/journal/statements';
import { NextEventsQuery, type Position } from '../events/following/next-events.query';
import { compileFilter } from '../filters/compile-filter';
import { setAuditSubject } from '../ground/audit-context';
import { Clock } from '../ground/clock';
import { RelayError } from '../ground/relay-error';
import { SerialQueue } from '../ground/serial-queue';
import { fromRow, toRow, type ConsumerRecord, type ConsumerRow, type Selection } from './consumer-record';

const MAX_CONSUMERS = 100;
/** Of a caller that may use no others. */
const MAX_OWN = 5;
/** Where a new reader stands, which knows of no loss. */
const BEGINNING: Position = { seq: 0, accepted: 0 };

/** Who uses consumers. */
export interface ConsumerClient {
  actor: Actor;
  /** Whether it may use only the consumers that it has created. */
  ownOnly: boolean;
  address: string;
}

/** The consumers, held in memory, as only one daemon at a time serves them. */
@Injectable()
export class ConsumersService implements OnModuleInit {
  private readonly consumers = new Map<string, ConsumerRecord>();
  private readonly creations = new SerialQueue();

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly next: NextEventsQuery,
    private readonly clock: Clock,
  ) {}

  async onModuleInit(): Promise<void> {
    const rows = await this.source.query<ConsumerRow[]>('SELECT * FROM consumers ORDER BY name');
    for (const row of rows) this.consumers.set(row.name, fromRow(row, this.clock.monotonic()));
  }

  /** Ordered by name. */
  list(client: ConsumerClient): ConsumerRecord[] {
    return [...this.consumers.values()]
      .filter((consumer) => isVisible(consumer, client))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** @throws RelayError `consumer_unknown`, 404 */
  get(name: string, client: ConsumerClient): ConsumerRecord {
    const consumer = this.consumers.get(name);
    if (consumer !== undefined && isVisible(consumer, client)) return consumer;
    throw consumerUnknown(name);
  }

  /**
   * The consumer of this name, if it has the same settings, or a new one.
   * @throws RelayError `consumer_name_taken`, `too_many_consumers`, 409; `filter_invalid`, 422; `position_unknown`, 410
   */
  create(
    { name, start, ...given }: ConsumerCreate,
    client: ConsumerClient,
  ): Promise<{ consumer: ConsumerRecord; isNew: boolean }> {
    return this.creations.run(async () => {
      const selection = asStored(given);
      const known = this.consumers.get(name);
      if (known !== undefined) {
        if (isVisible(known, client) && isDeepStrictEqual(known.selection, selection))
          return { consumer: known, isNew: false };
        throw nameTaken(name);
      }
      if (selection.payload !== null) compileFilter(selection.payload);
      this.checkCount(client);
      setAuditSubject({ id: name, name });
      const [position, now] = [await this.next.advance(BEGINNING, start), this.clock.now()];
      const consumer: ConsumerRecord = {
        name,
        selection,
        position,
        lease: null,
        createdBy: client.actor,
        createdAt: now,
        lastReadAt: null,
        leasedUntil: 0,
        queue: new SerialQueue(),
      };
      await this.journal.change({ statements: [insert('consumers', toRow(consumer))] });
      this.consumers.set(name, consumer);
      return { consumer, isNew: true };
    });
  }

  /** Reads other events from its position on. @throws RelayError `consumer_unknown`, 404; `filter_invalid`, 422 */
  async change(name: string, change: ConsumerChange, client: ConsumerClient): Promise<ConsumerRecord> {
    const consumer = this.get(name, client);
    if (change.payload) compileFilter(change.payload);
    setAuditSubject({ id: name, name });
    await consumer.queue.run(() =>
      this.save(consumer, { selection: asStored({ ...consumer.selection, ...change }) }),
    );
    return consumer;
  }

  /** @throws RelayError `consumer_unknown`, 404 */
  async remove(name: string, client: ConsumerClient): Promise<void> {
    const consumer = this.get(name, client);
    setAuditSubject({ id: name, name });
    await consumer.queue.run(async () => {
      this.assertKept(consumer);
      await this.journal.change({ statements: [['DELETE FROM consumers WHERE name = ?', [name]]] });
      this.consumers.delete(name);
    });
  }

  /**
   * Continues from another position, accepts the events that were removed, and ends the lease.
   * @throws RelayError `consumer_unknown`, 404; `position_unknown`, 410
   */
  async reset(name: string, to: ConsumerStart, client: ConsumerClient): Promise<ConsumerRecord> {
    const consumer = this.get(name, client);
    await consumer.queue.run(async () => {
      const missed = await this.next.missedBehind(consumer.position);
      setAuditSubject({ id: name, name: missed === 0 ? name : `${name}: ${missed} events missed` });
      const position = await this.next.resolve(to);
      await this.save(consumer, { position: await this.next.accept(position), lease: null });
    });
    return consumer;
  }

  /** Stores changes of a consumer; call it in its queue. @throws RelayError `consumer_unknown`, 404 */
  async save(
    consumer: ConsumerRecord,
    changes: Partial<Pick<ConsumerRecord, 'selection' | 'position' | 'lease' | 'lastReadAt'>>,
  ): Promise<void> {
    this.assertKept(consumer);
    const row = toRow({ ...consumer, ...changes });
    await this.journal.change({ statements: [upsert('consumers', 'name', row)] });
    Object.assign(consumer, changes);
  }

  private assertKept(consumer: ConsumerRecord): void {
    if (this.consumers.get(consumer.name) !== consumer) throw consumerUnknown(consumer.name);
  }

  private checkCount(client: ConsumerClient): void {
    if (this.consumers.size >= MAX_CONSUMERS) throw tooMany(MAX_CONSUMERS, 'There are');
    if (client.ownOnly && this.list(client).length >= MAX_OWN)
      throw tooMany(MAX_OWN, 'This token has created');
  }
}

/** In JSON, an exact number is a string. */
const asStored = (selection: { [Name in keyof Selection]: Selection[Name] | undefined }) =>
  JSON.parse(JSON.stringify(selection)) as Selection;

const isVisible = ({ createdBy }: ConsumerRecord, { actor, ownOnly }: ConsumerClient): boolean =>
  !ownOnly || (createdBy.kind === actor.kind && createdBy.id === actor.id);

const consumerUnknown = (name: string) =>
  new RelayError('consumer_unknown', 404, `There is no consumer ${name}.`, {
    remedy: 'GET /api/v1/consumers lists those that this token may use.',
  });

const nameTaken = (name: string) =>
  new RelayError('consumer_name_taken', 409, `There is a consumer ${name} with other settings.`, {
    remedy: 'Choose another name, or change that consumer.',
  });

const tooMany = (count: number, who: string) =>
  new RelayError('too_many_consumers', 409, `${who} ${count} consumers, the maximum.`, {
    remedy: 'Remove consumers that are no longer read.',
  });
