import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../ground/clock';
import { ConnectionService } from '../connection/connection.service';
import { SystemEventsService, type SystemEvent } from '../events/system-events.service';
import { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';
import { RegistrationStore } from '../subscription/registration.store';
import { SubscriptionService } from '../subscription/subscription.service';
import { describeDrift } from './describe-drift';
import { PublishedStates } from './published-states';

const TICK_MS = 1_000;

/** A state other than the healthy one is published once it has been stable for this long. */
const STABLE_AFTER_MS = 5_000;

interface Topic {
  name: 'connection' | 'subscription';
  read: () => { state: string; sentence: string; remedy: string | null };
  /** The state of a new instance, which is not published. */
  initial: string;
  /** Published at once, since receivers that know of a problem wait for it. */
  healthy: string;
  /** A short state between two others, which is never published. */
  transient: string | null;
}

/**
 * Publishes changes of connection and subscription as system events, each state once, also across restarts. If an
 * event cannot be stored, it is published later, with the state at that time.
 */
@Injectable()
export class ConnectionEventsWorker implements OnModuleDestroy {
  private readonly topics: Topic[];
  /** The last state of each topic and when it began: `at` by the wall clock, `since` by monotonic time. */
  private readonly observed = new Map<string, { state: string; at: number; since: number }>();
  private rotations: SystemEvent[] = [];
  private readonly publishing = new NonOverlapping(
    () => this.publish(),
    (error) => this.log.error({ err: error }, 'connection events not published'),
  );

  constructor(
    connection: ConnectionService,
    private readonly subscription: SubscriptionService,
    registrations: RegistrationStore,
    private readonly systemEvents: SystemEventsService,
    private readonly published: PublishedStates,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.topics = [
      {
        name: 'connection',
        read: () => connection.state(),
        initial: 'not_connected',
        healthy: 'connected',
        transient: 'renewing',
      },
      {
        name: 'subscription',
        read: () => subscription.state(),
        initial: 'none',
        healthy: 'active',
        transient: null,
      },
    ];
    registrations.onRotated(() => this.recordRotation());
  }

  @Interval(TICK_MS)
  tick(): Promise<void> {
    return this.publishing.run();
  }

  onModuleDestroy(): Promise<void> {
    return this.publishing.stop();
  }

  private async publish(): Promise<void> {
    for (const topic of this.topics) await this.publishState(topic);
    await this.publishDrift();
    while (this.rotations.length > 0 && (await this.systemEvents.record(this.rotations[0]!)))
      this.rotations.shift();
  }

  private async publishState({ name, read, initial, healthy, transient }: Topic): Promise<void> {
    const { state, sentence, remedy } = read();
    if (state === transient) return;
    const now = this.clock.monotonic();
    if (this.observed.get(name)?.state !== state)
      this.observed.set(name, { state, at: this.clock.now(), since: now });
    const { at, since } = this.observed.get(name)!;

    const previous = this.published.of(name);
    if (state === (previous?.state ?? initial)) return;
    if (state !== healthy && now - since < STABLE_AFTER_MS) return;
    const recorded = await this.systemEvents.record({
      type: `relay.${name}.${state}`,
      at,
      data: { state, before: previous?.state ?? initial, sentence, remedy },
      occurrence: `${name} ${(previous?.number ?? 0) + 1}`,
    });
    if (recorded) await this.published.save(name, state);
  }

  private async publishDrift(): Promise<void> {
    const lastPublished = this.published.of('drift')?.state ?? '';
    const unpublished = this.subscription.state().drift.filter(({ at }) => at > lastPublished);
    for (const drift of unpublished.toReversed()) {
      const { at, ...found } = drift;
      const recorded = await this.systemEvents.record({
        type: 'relay.subscription.drifted',
        at: Date.parse(at),
        data: { state: 'drifted', ...found, sentence: describeDrift(drift) },
        occurrence: `drift ${at} ${drift.field}`,
      });
      if (!recorded) return;
    }
    if (unpublished.length > 0) await this.published.save('drift', unpublished[0]!.at);
  }

  private recordRotation(): void {
    const at = this.clock.now();
    const sentence = 'A new webhook with a new key and secret replaced the previous one.';
    this.rotations.push({
      type: 'relay.subscription.rotated',
      at,
      data: { state: 'rotated', sentence },
      occurrence: `rotated ${at}`,
    });
  }
}
