import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../clock';
import { backOffMs } from '../connection/back-off';
import { Grants } from '../connection/grants';
import { LOG, type Log } from '../log';
import { Random } from '../random';
import { PublicAddress } from '../settings/public-address';
import { Turns } from '../turns';
import { Checking } from './checking';
import { Drifts } from './drifts';
import { Registering } from './registering';
import { isOver, type Registration } from './registration';
import { Registrations } from './registrations';
import { Removal } from './removal';
import { Rotation } from './rotation';
import { Strays } from './strays';
import { WebhookApi } from './webhook-api';

const TICK_MS = 500;
const CHECK_EVERY_MS = 300_000;
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
  private readonly turns = new Turns();
  private inTurns = 0;
  private reconciling: Promise<void> | null = null;
  private startedAt: number | null = null;
  private stopped = false;
  /** When to work on it next, in ms since 1970; null while nothing can be done. */
  private dueAt: number | null = null;
  private failures = 0;

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
    private readonly random: Random,
    strays: Strays,
    @Inject(LOG) private readonly log: Log,
  ) {
    grants.onConnected(() => this.again());
    strays.onFound(() => (this.dueAt = 0));
  }

  /** To be called once the daemon listens: only then is its address known, and only then can Co-Pilot send to it. */
  start(): void {
    this.startedAt = this.clock.now();
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
    return this.turns.take(work).finally(() => (this.inTurns -= 1));
  }

  /** Takes everything of ours down, for a connection that is about to be given up. @throws RelayError `storage_failed` */
  remove(): ReturnType<Removal['removeAll']> {
    return this.inTurn(async () => {
      const outcome = await this.removal.removeAll();
      // Until the tokens are forgotten, nobody shall register it anew.
      if (typeof outcome === 'string') this.dueAt = null;
      return outcome;
    });
  }

  /** Only looks whether something is due; resolves once that is done, whatever became of it. */
  @Interval(TICK_MS)
  async tick(): Promise<void> {
    if (this.startedAt === null || this.stopped || this.inTurns > 0) return;
    const now = this.clock.now();
    const due = this.dueAt !== null && now >= this.dueAt;
    if (!due && !this.registrations.all().some((one) => isOver(one, now))) return;
    try {
      await this.ensureRegistered();
    } catch (error) {
      this.postpone();
      this.log.error({ act: 'register', err: error }, 'the registration failed on our side');
    }
  }

  /** Nothing is deregistered: what Co-Pilot sends while we are away, it tries again. */
  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    await this.turns.ended();
  }

  private again(): void {
    this.failures = 0;
    this.dueAt = 0;
    void this.tick();
  }

  private postpone(): void {
    this.failures += 1;
    const wait = Math.max(backOffMs(this.failures, this.random), this.api.askedToWaitMs);
    this.dueAt = this.clock.now() + wait;
  }

  private async reconcile(): Promise<void> {
    this.dueAt = null;
    await this.removal.forgetOver();
    const grant = this.grants.current;
    // Without a grant nothing can be done; a consent calls again.
    if (grant === null || grant.state === 'consent_needed') return;
    const asWanted = await this.work();
    if (asWanted) this.failures = 0;
    // Unless a consent, or what was learned, has asked for another look already.
    if (this.dueAt !== null) return;
    if (asWanted) this.dueAt = this.clock.now() + CHECK_EVERY_MS;
    else this.postpone();
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
    const since = Math.max(this.startedAt ?? 0, this.registrations.current()?.registeredAt ?? 0);
    const isEarly = this.clock.now() < since + RETRIES_REACH_MS;
    const replaced = this.registrations.replaced();
    // What stands at a former address of ours cannot be delivered any more, however long it is tried.
    const ripe = replaced.filter(({ publicUrl }) => !isEarly || publicUrl !== this.address.url);
    if (ripe.length < replaced.length) this.dueAt ??= since + RETRIES_REACH_MS;
    return this.removal.takeDown(ripe);
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
