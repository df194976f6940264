import { Injectable } from '@nestjs/common';
import type {
  ConsumerCommit,
  ConsumerCommitted,
  ConsumerRead,
  ConsumerRelease,
} from '../../contract/consumer';
import { Journal } from '../database/journal/journal';
import { NOT_LEADER, storageFailed } from '../database/journal/work';
import type { RequestSignal } from '../database/reading/reader';
import { HeldReads, type Followed } from '../events/following/held-reads.service';
import { NextEventsQuery, type Following } from '../events/following/next-events.query';
import { Clock } from '../ground/clock';
import { newId, positionId } from '../ground/ids';
import { toIso } from '../ground/iso-time';
import { Leadership } from '../ground/leadership';
import { Random } from '../ground/random';
import { RelayError } from '../ground/relay-error';
import { leaseEndOf, type ConsumerRecord, type Lease, type Selection } from './consumer-record';
import { ConsumersService, type ConsumerClient } from './consumers.service';

/** Reads for the one reader that has the lease of a consumer, and moves its position. */
@Injectable()
export class ConsumerReads {
  constructor(
    private readonly consumers: ConsumersService,
    private readonly held: HeldReads,
    private readonly next: NextEventsQuery,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly leadership: Leadership,
  ) {}

  /**
   * What follows the position, or `after`. If nothing does, the position moves behind what was examined: otherwise
   * retention would overtake a consumer whose events are rare.
   * @throws RelayError `consumer_unknown`, 404; `consumer_leased`, `lease_lost`, 409; `not_leader`, 503; as
   * `HeldReads.read`
   */
  async read(
    name: string,
    { wait, limit, include, after, ...wanted }: ConsumerRead,
    client: ConsumerClient,
    signal: RequestSignal,
  ): Promise<{ followed: Followed; lease: string; until: string }> {
    const consumer = this.consumers.get(name, client);
    const lease = await this.lease(consumer, wanted, client);
    const { position } = consumer;
    const from = after === undefined ? position : await this.next.advance(position, after, signal);
    const following = followingOf(consumer.selection, limit, include === 'body');
    // It must not end while the reader waits.
    this.renew(consumer, lease, wait);
    const reading = this.held.read(following, from, wait * 1_000, signal);
    const followed = await reading.finally(() => this.renew(consumer, lease));
    await consumer.queue.run(async () => {
      assertHeld(consumer, lease.id);
      // A later leader may have moved the position, which is not known here then.
      if (!this.leadership.holdsLease()) throw storageFailed(NOT_LEADER);
      const hasMoved = followed.position.seq > consumer.position.seq;
      if (after === undefined && followed.events.length === 0 && hasMoved)
        await this.consumers.save(consumer, { position: followed.position, lastReadAt: this.clock.now() });
    });
    return { followed, lease: lease.id, until: toIso(leaseEndOf(consumer, this.clock)) };
  }

  /**
   * Everything up to a position is done. Repeating it changes nothing.
   * @throws RelayError `consumer_unknown`, 404; `lease_lost`, `position_behind`, 409; `position_unknown`, 410
   */
  async commit(
    name: string,
    { lease: id, position }: ConsumerCommit,
    client: ConsumerClient,
  ): Promise<ConsumerCommitted> {
    const consumer = this.consumers.get(name, client);
    await consumer.queue.run(async () => {
      const lease = assertHeld(consumer, id);
      const to = await this.next.advance(consumer.position, position);
      if (to.seq < consumer.position.seq) throw positionBehind();
      if (to.seq > consumer.position.seq)
        await this.consumers.save(consumer, { position: to, lastReadAt: this.clock.now() });
      this.renew(consumer, lease);
    });
    const { seq, accepted } = consumer.position;
    return {
      position: positionId(seq, accepted, this.journal.instanceId),
      lease_until: toIso(leaseEndOf(consumer, this.clock)),
    };
  }

  /** Ends a lease. @throws RelayError `consumer_unknown`, 404; `lease_lost`, 409 */
  release(name: string, { lease }: ConsumerRelease, client: ConsumerClient): Promise<void> {
    const consumer = this.consumers.get(name, client);
    return consumer.queue.run(async () => {
      assertHeld(consumer, lease);
      await this.consumers.save(consumer, { lease: null });
    });
  }

  /** The lease that the reader has, or a new one. */
  private lease(
    consumer: ConsumerRecord,
    {
      lease: id,
      lease_s: seconds,
      take_over: takesOver,
    }: Pick<ConsumerRead, 'lease' | 'lease_s' | 'take_over'>,
    { actor, address }: ConsumerClient,
  ): Promise<Lease> {
    return consumer.queue.run(async () => {
      if (id !== undefined) return assertHeld(consumer, id);
      const { lease: current, leasedUntil } = consumer;
      if (current !== null && leasedUntil > this.clock.monotonic() && !takesOver)
        throw this.leased(consumer, current);
      const [holder, now] = [actor.name ?? actor.kind, this.clock.now()];
      const lease = { id: newId('lse', now, this.random), holder, address, seconds };
      await this.consumers.save(consumer, { lease, lastReadAt: now });
      this.renew(consumer, lease);
      return lease;
    });
  }

  private renew(consumer: ConsumerRecord, lease: Lease, moreSeconds = 0): void {
    if (consumer.lease !== lease) return;
    consumer.leasedUntil = this.clock.monotonic() + (lease.seconds + moreSeconds) * 1_000;
  }

  private leased(consumer: ConsumerRecord, { holder, address }: Lease): RelayError {
    const until = toIso(leaseEndOf(consumer, this.clock));
    return new RelayError(
      'consumer_leased',
      409,
      `${holder} at ${address} reads the consumer ${consumer.name}, and has its lease until ${until}.`,
      {
        remedy: 'Wait until then, or read with "take_over": true, which ends that lease.',
        members: { lease: { holder, address, until } },
      },
    );
  }
}

function followingOf(
  { types, entity, payload, q }: Selection,
  limit: number,
  withBodies: boolean,
): Following {
  const filters = {
    ...(entity !== null && { entity }),
    ...(payload !== null && { payload }),
    ...(q !== null && { q }),
  };
  return { filters, types: types ?? ['*'], withBodies, limit };
}

/** A lease that has ended is still held, if no other reader has taken one. */
function assertHeld({ name, lease }: ConsumerRecord, id: string): Lease {
  if (lease?.id === id) return lease;
  throw new RelayError(
    'lease_lost',
    409,
    `Another reader has the lease of the consumer ${name}, or it was reset.`,
    {
      remedy: 'Read without `lease`, from the committed position on: what was read since may be read twice.',
    },
  );
}

const positionBehind = () =>
  new RelayError('position_behind', 409, 'The consumer has committed a later position.', {
    remedy: 'Commit what was read last. POST /api/v1/consumers/:name/reset goes back.',
  });
