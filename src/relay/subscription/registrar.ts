import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../clock';
import { backOffMs } from '../connection/back-off';
import { Grants } from '../connection/grants';
import { LOG, type Log } from '../log';
import { Random } from '../random';
import { PublicAddress } from '../settings/public-address';
import { Checking } from './checking';
import { Registering } from './registering';
import { isOver, type Registration } from './registration';
import { Registrations } from './registrations';
import { Removal } from './removal';

const TICK_MS = 500;

/**
 * Keeps our webhook registered, exactly once. Its way: stored as `registering`, then sent, then `active`. One whose
 * outcome is unknown is looked for before it is sent again. One that is gone, or stands at another address, gets a
 * successor with a key of its own, and is taken down once that is active.
 */
@Injectable()
export class Registrar implements OnModuleDestroy {
  private running: Promise<void> | null = null;
  private started = false;
  private stopped = false;
  /** When to work on it next, in ms since 1970; null while it stands as wanted. */
  private dueAt: number | null = null;
  private failures = 0;
  private checked = false;
  /** The registration that was made by this process and not sent yet, so that nobody need look for it. */
  private unsent: number | null = null;

  constructor(
    private readonly registrations: Registrations,
    private readonly registering: Registering,
    private readonly checking: Checking,
    private readonly removal: Removal,
    private readonly grants: Grants,
    private readonly address: PublicAddress,
    private readonly clock: Clock,
    private readonly random: Random,
    @Inject(LOG) private readonly log: Log,
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
    this.running ??= this.reconcile().finally(() => (this.running = null));
    return this.running;
  }

  /**
   * Deletes what is ours at Co-Pilot, and lets the registration go.
   * @throws RelayError `storage_failed`
   */
  async remove(): Promise<'removed' | 'nothing' | { failed: string }> {
    await this.running?.catch(() => undefined);
    this.running = Promise.resolve();
    try {
      return await this.removal.removeAll();
    } finally {
      this.running = null;
    }
  }

  /** Only looks whether something is due; resolves once that is done, whatever became of it. */
  @Interval(TICK_MS)
  async tick(): Promise<void> {
    if (!this.started || this.stopped || this.running !== null) return;
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
    await this.running?.catch(() => undefined);
  }

  private again(): void {
    this.checked = false;
    this.failures = 0;
    this.dueAt = 0;
    void this.tick();
  }

  private postpone(): void {
    this.failures += 1;
    this.dueAt = this.clock.now() + backOffMs(this.failures, this.random);
  }

  private async reconcile(): Promise<void> {
    this.dueAt = null;
    await this.removal.forgetOver();
    const grant = this.grants.current;
    // Without a grant nothing can be done; a consent calls again.
    if (grant === null || grant.state === 'consent_needed') return;
    const asWanted = await this.work();
    if (asWanted) this.failures = 0;
    // Unless a consent has asked for another look already.
    else if (this.dueAt === null) this.postpone();
  }

  /** @returns whether all is as wanted */
  private async work(): Promise<boolean> {
    let current = this.registrations.current();
    if (current === null || current.publicUrl !== this.address.url) current = await this.succeed(current);
    if (current.state === 'active' && !this.checked) {
      const outcome = await this.checking.check(current);
      if (outcome === 'unclear') return false;
      if (outcome === 'gone') current = await this.succeed(current);
    }
    if (current.state !== 'active' && !(await this.register(current))) return false;
    this.checked = true;
    return this.stopped || this.removal.takeDownReplaced();
  }

  private async register(made: Registration): Promise<boolean> {
    if (made.state === 'registering' && made.id !== this.unsent) {
      const adopted = await this.registering.adopt(made);
      if (adopted !== 'absent') return adopted === 'adopted';
    }
    if (this.stopped) return false;
    this.unsent = null;
    return this.registering.send(made);
  }

  private async succeed(before: Registration | null): Promise<Registration> {
    const made = await this.registrations.begin(this.address.url);
    this.unsent = made.id;
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
