import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Drift } from '../../contract/subscription';
import { Clock } from '../ground/clock';
import { ConnectionService } from '../connection/connection.service';
import { SystemEvents, type SystemEvent } from '../events/system-events';
import { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';
import { SubscriptionService } from '../subscription/subscription.service';
import { ToldStates } from './published-states';

const TICK_MS = 1_000;

/** A state is told once it has stood for so long: what passes sooner is a flicker. */
const SETTLED_MS = 5_000;

interface Topic {
  name: 'connection' | 'subscription';
  read: () => { state: string; sentence: string; remedy: string | null };
  /** How it stands before anything was done: no news. */
  first: string;
  /** Told at once, since whoever was told of a trouble waits for it; after a flicker it is no news. */
  good: string;
  /** On the way from one state to the next: never told. */
  passing: string | null;
}

/**
 * Makes events of our own out of the changes of connection and subscription: each state once, whatever is restarted
 * meanwhile. What cannot be stored now is told later, as it is by then.
 */
@Injectable()
export class TellStates implements OnModuleDestroy {
  private readonly topics: Topic[];
  /** `at` for whoever is told, `since` by monotonic time. */
  private readonly seen = new Map<string, { state: string; at: number; since: number }>();
  private rotations: SystemEvent[] = [];
  private readonly telling = new NonOverlapping(
    () => this.tell(),
    (error) => this.log.error({ err: error }, 'own events'),
  );

  constructor(
    connection: ConnectionService,
    private readonly subscription: SubscriptionService,
    private readonly own: SystemEvents,
    private readonly told: ToldStates,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.topics = [
      {
        name: 'connection',
        read: () => connection.state(),
        first: 'not_connected',
        good: 'connected',
        passing: 'renewing',
      },
      {
        name: 'subscription',
        read: () => subscription.state(),
        first: 'none',
        good: 'active',
        passing: null,
      },
    ];
    subscription.onRotated(() => this.noteRotation());
  }

  @Interval(TICK_MS)
  tick(): Promise<void> {
    return this.telling.run();
  }

  onModuleDestroy(): Promise<void> {
    return this.telling.stop();
  }

  private async tell(): Promise<void> {
    for (const topic of this.topics) await this.tellState(topic);
    await this.tellDrift();
    while (this.rotations.length > 0 && (await this.own.record(this.rotations[0]!))) this.rotations.shift();
  }

  private async tellState({ name, read, first, good, passing }: Topic): Promise<void> {
    const { state, sentence, remedy } = read();
    if (state === passing) return;
    const now = this.clock.monotonic();
    if (this.seen.get(name)?.state !== state)
      this.seen.set(name, { state, at: this.clock.now(), since: now });
    const { at, since } = this.seen.get(name)!;

    const before = this.told.of(name);
    if (state === (before?.state ?? first)) return;
    if (state !== good && now - since < SETTLED_MS) return;
    const recorded = await this.own.record({
      type: `relay.${name}.${state}`,
      at,
      data: { state, before: before?.state ?? first, sentence, remedy },
      occurrence: `${name} ${(before?.number ?? 0) + 1}`,
    });
    if (recorded) await this.told.note(name, state);
  }

  private async tellDrift(): Promise<void> {
    const last = this.told.of('drift')?.state ?? '';
    const fresh = this.subscription.state().drift.filter(({ at }) => at > last);
    for (const drift of fresh.toReversed()) {
      const { at, field, before, after, outcome } = drift;
      const recorded = await this.own.record({
        type: 'relay.subscription.drifted',
        at: Date.parse(at),
        data: {
          state: 'drifted',
          field,
          before,
          after,
          outcome,
          sentence: sentenceOf(drift),
        },
        occurrence: `drift ${at} ${field}`,
      });
      if (!recorded) return;
    }
    if (fresh.length > 0) await this.told.note('drift', fresh[0]!.at);
  }

  private noteRotation(): void {
    const at = this.clock.now();
    const sentence = 'A new webhook with a key and a secret of its own took the place of the one before.';
    this.rotations.push({
      type: 'relay.subscription.rotated',
      at,
      data: { state: 'rotated', sentence },
      occurrence: `rotated ${at}`,
    });
  }
}

function sentenceOf({ field, before, after, outcome }: Drift): string {
  return field === 'webhook_id'
    ? `Signed notifications name the webhook ${after}, while Co-Pilot's API calls ours ${before}.`
    : `At Co-Pilot the webhook's ${field} changed from ${before} to ${after}; it was ${outcome}.`;
}
