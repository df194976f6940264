import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../ground/clock';
import { backOffMs } from '../connection/back-off';
import { Grants } from '../connection/grants';
import { Log } from '../ground/log';
import { Random } from '../ground/random';
import { PublicAddress } from '../settings/public-address';
import { TimeBounds } from '../ground/time-bounds';
import { SerialQueue } from '../ground/serial-queue';
import { CHECK_EVERY_MS } from './check-age';
import { Checking } from './webhook-verification';
import { Drifts } from './drifts';
import { Registering } from './webhook-registration';
import { isOver, type Registration } from './registration';
import { Registrations } from './registrations';
import { Removal } from './webhook-deletion';
import { Rotation } from './rotation';
import { WebhookApi } from './webhook-api';

const TICK_MS = 500;
/**
 * A webhook's notifications may well end with it: those on their way when its successor was made, which gets none of them,
 * and those that could not be delivered while we were away (document, 6.3: 5 + 25 s). Until they are through, both stand.
 */
const RETRIES_REACH_MS = 30_000;

/**
 * Keeps our webhook registered, exactly once. Its way: stored as `registering`, then sent, then `active`. One whose
 * outcome is unknown is looked for before it is sent again. One that is gone, or stands at another address, gets a
 * successor with a key of its own, and is taken down once that is active.
 */
@Injectable()
export class Registrar implements OnModuleDestroy {
  private readonly turns = new SerialQueue();
  private inTurns = 0;
  private reconciling: Promise<void> | null = null;
  private started = false;
  private stopped = false;
  /** When to look next, on the scale of `TimeBounds.latest`. Each look sets the next one, however it ends. */
  private dueAt = 0;
  private failures = 0;
  /** `since` by monotonic time. */
  private present: { id: number | null; since: number } = { id: null, since: 0 };

  constructor(
    private readonly registrations: Registrations,
    private readonly registering: Registering,
    private readonly checking: Checking,
    private readonly rotation: Rotation,
    private readonly removal: Removal,
    private readonly drifts: Drifts,
    private readonly api: WebhookApi,
    private readonly grants: Grants,
    private readonly address: PublicAddress,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
    private readonly random: Random,
    private readonly log: Log,
  ) {
    grants.onConnected(() => this.again());
  }

  /** To be called once the daemon listens: only then is its address known, and only then can Co-Pilot send to it. */
  start(): void {
    this.started = true;
    this.again();
  }

  /** As far as it goes now. All who ask meanwhile wait for the same. @throws RelayError `storage_failed` */
  ensureRegistered(): Promise<void> {
    this.reconciling ??= this.inTurn(() => this.reconcile()).finally(() => (this.reconciling = null));
    return this.reconciling;
  }

  /** One piece of work on the registration at a time; the rest waits for its turn. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.inTurns += 1;
    return this.turns.run(work).finally(() => (this.inTurns -= 1));
  }

  /** Takes everything of ours down, for a connection that is about to be given up. @throws RelayError `storage_failed` */
  remove(): ReturnType<Removal['removeAll']> {
    return this.inTurn(async () => {
      const outcome = await this.removal.removeAll();
      // Until the tokens are forgotten, nobody shall register it anew.
      if (typeof outcome === 'string') this.dueAt = this.bounds.latest() + CHECK_EVERY_MS;
      return outcome;
    });
  }

  /** Only looks whether something is due; resolves once that is done, whatever became of it. */
  @Interval(TICK_MS)
  async tick(): Promise<void> {
    if (!this.started || this.stopped || this.inTurns > 0) return;
    const now = this.bounds.latest();
    if (now < this.dueAt && !this.registrations.all().some((one) => isOver(one, now))) return;
    try {
      await this.ensureRegistered();
    } catch (error) {
      this.log.error({ act: 'register', err: error }, 'the registration failed on our side');
    }
  }

  /** Nothing is deregistered: what Co-Pilot sends while we are away, it tries again. */
  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    await this.turns.idle();
  }

  private again(): void {
    this.failures = 0;
    this.dueAt = 0;
    void this.tick();
  }

  /** Nothing ends the periodic looks: one that fails is followed by another as well, whoever asked for it. */
  private async reconcile(): Promise<void> {
    this.dueAt = Number.POSITIVE_INFINITY;
    let waitMs: number | null = null;
    try {
      await this.removal.forgetOver();
      if (!this.hasGrant || (await this.work())) waitMs = CHECK_EVERY_MS;
    } finally {
      this.failures = waitMs === null ? this.failures + 1 : 0;
      this.lookWithin(waitMs ?? this.retryDelayMs());
    }
  }

  /** Unless an earlier look was asked for already, as by a consent meanwhile. */
  private lookWithin(ms: number): void {
    this.dueAt = Math.min(this.dueAt, this.bounds.latest() + ms);
  }

  private retryDelayMs(): number {
    return Math.max(backOffMs(this.failures, this.random), this.api.askedToWaitMs);
  }

  /** Without one nothing can be done at Co-Pilot. */
  private get hasGrant(): boolean {
    const { current } = this.grants;
    return current !== null && current.state !== 'consent_needed';
  }

  /** @returns whether all is as wanted */
  private async work(): Promise<boolean> {
    let current = this.registrations.current();
    if (current === null || current.publicUrl !== this.address.url) current = await this.succeed(current);
    if (current.state === 'active') {
      const outcome = await this.checking.check(current);
      if (outcome === 'unclear') return false;
      if (outcome === 'gone') await this.tellGone(current);
      if (outcome === 'gone' || outcome === 'moved') current = await this.succeed(current);
    }
    if (current.state !== 'active' && !(await this.register(current))) return false;
    const rotating = this.registrations.rotating();
    if (rotating !== null && !this.stopped && (await this.rotation.advance(rotating)).kind === 'unclear')
      return false;
    return this.stopped || this.takeDownReplaced();
  }

  private async register(made: Registration): Promise<boolean> {
    if (made.deleteFirst && !(await this.removal.takeDown(this.registrations.replaced()))) return false;
    if (this.stopped) return false;
    const outcome = await this.registering.register(made);
    if (outcome.kind === 'active') return true;
    const { why: problem, remedy } = outcome;
    const state = outcome.kind === 'refused' ? 'failed' : 'registering';
    await this.registrations.change(made.id, { state, problem, remedy });
    this.log.warn(
      { act: 'register', subscription_id: made.id, outcome: state, problem },
      'not registered yet',
    );
    return false;
  }

  private takeDownReplaced(): Promise<boolean> {
    const waitMs = RETRIES_REACH_MS - this.presentForMs();
    const isEarly = waitMs > 0;
    const replaced = this.registrations.replaced();
    // What stands at a former address of ours cannot be delivered any more, however long it is tried.
    const ripe = replaced.filter(({ publicUrl }) => !isEarly || publicUrl !== this.address.url);
    if (ripe.length < replaced.length) this.lookWithin(waitMs);
    return this.removal.takeDown(ripe);
  }

  /** How long the present one has stood since this daemon runs. */
  private presentForMs(): number {
    const now = this.clock.monotonic();
    const id = this.registrations.current()?.id ?? null;
    if (this.present.id !== id) this.present = { id, since: now };
    return now - this.present.since;
  }

  private tellGone({ webhookId }: Registration): Promise<void> {
    return this.drifts.record({
      field: 'webhook',
      before: webhookId ?? 'registered',
      after: 'deleted',
      outcome: 'repaired',
    });
  }

  private async succeed(before: Registration | null): Promise<Registration> {
    const made = await this.registrations.begin(this.address.url);
    this.registering.notSentYet(made);
    this.log.info(
      {
        act: 'register',
        subscription_id: made.id,
        in_place_of: before?.id ?? null,
        public_url: made.publicUrl,
        outcome: 'begun',
      },
      'a registration was made',
    );
    return made;
  }
}
