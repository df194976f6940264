import type { Pool } from 'pg';
import type { LeaderAddress } from '../ground/daemons';
import type { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';
import { Signal } from '../ground/signal';
import { endpointOf, type Endpoint } from '../network/endpoint';
import { DaemonRecords, LEASE_MS, type Leader, type Member } from './daemon-records';
import { Generations } from '../database/postgres/generations';
import { Notices } from '../database/postgres/notices';
import { TargetOwnerRecords } from './ownership/target-owner-records';

/** Leaves room for three renewals within a lease. */
const RENEW_EVERY_MS = 3_000;

/** After the end of another daemon's lease, for the time that a query takes. */
const MARGIN_MS = 20;

/**
 * This daemon among those of its database: renews its lease, and leads when nobody else does. Whether it leads is
 * decided by the database alone; `holdsLease` is what the daemon may assume without asking.
 */
export class Membership {
  readonly records: DaemonRecords;
  readonly notices: Notices;
  readonly owners: TargetOwnerRecords;
  readonly generations: Generations;
  /** Where the daemons are reached, when the lease was renewed last. */
  endpoints: readonly Endpoint[] = [];
  private readonly renewed = new Signal<[owned: ReadonlyMap<number, number>]>();
  private current: Leader | null = null;
  /** By this process' monotonic time. Before the end that the server knows, since it is counted from the request. */
  private leaseUntil = 0;
  private timer: NodeJS.Timeout | null = null;
  private readonly renewals = new NonOverlapping(
    () => this.renew(),
    (error) => {
      this.log.warn({ err: error }, 'the lease of this daemon was not renewed');
      this.renewIn(RENEW_EVERY_MS / 3);
    },
  );

  /** @param pool with one connection, which nothing else may delay */
  constructor(
    url: string,
    pool: Pool,
    readonly member: Member,
    private readonly log: Log,
  ) {
    this.records = new DaemonRecords(pool);
    this.owners = new TargetOwnerRecords(pool);
    this.generations = new Generations(pool);
    this.notices = new Notices(url, pool);
    this.notices.onConnect(() => this.check());
    this.notices.onNotice(({ kind }) => kind === 'leader' && this.check());
  }

  /** Obtains a lease; afterwards the leader is known. @throws what the driver throws */
  async join(): Promise<void> {
    await this.renew();
    await this.notices.open();
  }

  /** The epoch in which this daemon leads; null if it does not. */
  get epoch(): number | null {
    return this.current?.daemon === this.member.id ? this.current.epoch : null;
  }

  /** Of the leader, when the lease was renewed last; null if there is none, or it does not listen yet. */
  get leaderAddress(): LeaderAddress | null {
    const { daemon = null, epoch = 0, address = null } = this.current ?? {};
    return daemon === null || address === null ? null : { epoch, address };
  }

  /** Calls `listener` after each renewal of the lease, with the epoch of each target that this daemon owns. */
  onRenewed(listener: (owned: ReadonlyMap<number, number>) => void): void {
    this.renewed.subscribe(listener);
  }

  /** Renews the lease now, which tells who leads, such as after the database has refused a write of this leader. */
  check(): void {
    void this.renewals.run();
  }

  /** Whether no other daemon can have become the leader since the lease was renewed. */
  holdsLease(epoch: number): boolean {
    return this.epoch === epoch && this.isLeaseRunning;
  }

  /** Whether no other daemon can have become the owner of what this one owned when it renewed its lease. */
  get isLeaseRunning(): boolean {
    return performance.now() < this.leaseUntil;
  }

  /** Sets whether targets may be assigned to this daemon. */
  async setDelivers(delivers: boolean): Promise<void> {
    this.member.delivers = delivers;
    await this.records.renew(this.member);
    await this.notices.send({ kind: 'owners' });
  }

  /** @param host null if the server is to say how it sees this machine */
  async listeningOn(host: string | null, port: number): Promise<void> {
    await this.records.setAddress(this.member, host, port);
    await this.notices.send({ kind: 'leader' });
  }

  /** Gives up the lease, so that another daemon leads at once. */
  async leave(): Promise<void> {
    await this.renewals.stop();
    if (this.timer !== null) clearTimeout(this.timer);
    this.current = null;
    try {
      await this.records.leave(this.member);
      for (const kind of ['leader', 'owners'] as const) await this.notices.send({ kind });
    } catch (error) {
      this.log.warn({ err: error }, 'the lease of this daemon was not given up; it runs out');
    }
    await this.notices.close();
    await this.records.close();
  }

  private async renew(): Promise<void> {
    const startedAt = performance.now();
    await this.generations.check();
    const leader = await this.records.renew(this.member);
    if (leader.remainingMs <= 0 && (await this.records.takeOver(this.member))) {
      this.current = await this.records.leader();
      this.log.info({ epoch: this.current.epoch }, 'this daemon leads');
    } else {
      this.current = leader;
    }
    this.endpoints = this.current.addresses.split(' ').filter(Boolean).map(endpointOf);
    // After the renewal: what another daemon took before it is not among them.
    const owned = await this.owners.ownedBy(this.member.id);
    this.leaseUntil = startedAt + LEASE_MS;
    const endsInMs = this.epoch === null ? Math.min(leader.remainingMs, leader.nextEndMs) : leader.nextEndMs;
    this.renewIn(Math.min(RENEW_EVERY_MS, endsInMs + MARGIN_MS));
    this.renewed.emit(new Map(owned.map(({ target, epoch }) => [target, epoch])));
  }

  private renewIn(delayMs: number): void {
    if (this.renewals.isStopped) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(() => this.check(), delayMs);
  }
}
