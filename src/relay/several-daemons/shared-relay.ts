import type { Relay } from '../application';
import { CONNECTIONS, IDLE_IN_TRANSACTION_MS, openPool } from '../database/postgres/connect';
import { preparePostgres } from '../database/postgres/prepare-postgres';
import { orUnavailable } from '../database/postgres/unavailable';
import { newId } from '../ground/ids';
import { NonOverlapping } from '../ground/non-overlapping';
import { VERSION } from '../ground/version';
import { withTimeout } from '../ground/with-timeout';
import { checkPassedSocket, listen, listenOptions, saveAddress } from '../http/listening';
import { endpointOf, hostInUrl } from '../network/endpoint';
import { checkTrustedProxies } from '../settings/check-trusted-proxies';
import { ApplicationInstance, type SharedParts } from './application-instance';
import { ConnectionFront } from './connection-front';
import { Membership } from './membership';

/** A lease must not run out because of a connection that stalls. */
const LEASE_QUERY_TIMEOUT_MS = 3_000;

/** Less than the stop timeouts of the process and of service managers: a PostgreSQL server that hangs must not get it killed. */
const STOP_TIMEOUT_MS = 11_000;

/** These say where to listen, not where other machines connect to. */
const ALL_ADDRESSES = ['0.0.0.0', '::'];

/**
 * A daemon among others on one database. It runs the whole application while it leads, and otherwise only what receives
 * notifications and delivers. When that changes, it starts the other application, which reads everything from the
 * database, and passes it the connections. So no feature handles a change of the leader.
 */
export class SharedRelay implements Relay {
  readonly firstStart: boolean;
  private readonly front: ConnectionFront;
  private address = { host: '', port: 0 };
  private forgetAddress: () => void = () => undefined;
  /** Replaced applications that have not ended yet. */
  private readonly replaced = new Set<ApplicationInstance>();
  private readonly replacements = new NonOverlapping(
    () => this.replaceApplication(),
    (error) => this.parts.log.error({ err: error }, 'the application was not replaced; retrying'),
  );

  private constructor(
    private readonly open: (epoch: number | null) => Promise<ApplicationInstance>,
    private readonly parts: SharedParts,
    private readonly membership: Membership,
    private current: ApplicationInstance,
    isNew: boolean,
  ) {
    this.firstStart = isNew && current.epoch !== null;
    this.front = new ConnectionFront(current.server);
  }

  /** @throws StartupError if the server cannot be reached or used */
  static async start(url: string, parts: SharedParts, listenFd: number | null): Promise<SharedRelay> {
    const { clock, random, log } = parts;
    const { applied, isNew } = await preparePostgres(url);
    if (applied.length > 0) log.info({ migrations: applied }, 'the database was upgraded');
    const pool = openPool(url, CONNECTIONS.lease, {
      queryTimeoutMs: LEASE_QUERY_TIMEOUT_MS,
      idleInTransactionMs: IDLE_IN_TRANSACTION_MS,
    });
    const member = { id: newId('dmn', clock.now(), random), version: VERSION, delivers: false };
    const membership = new Membership(url, pool, member, log);
    try {
      await orUnavailable(url, () => membership.join());
      const open = (epoch: number | null) => ApplicationInstance.open(url, parts, membership, epoch);
      const relay = new SharedRelay(open, parts, membership, await open(membership.epoch), isNew);
      await relay.listenAndRun(listenFd);
      return relay;
    } catch (error) {
      await membership.leave();
      throw error;
    }
  }

  get url(): string {
    return this.parts.publicAddress.url;
  }

  makeLoginLink(): Promise<string> {
    return this.current.makeLoginLink();
  }

  private async listenAndRun(listenFd: number | null): Promise<void> {
    const { membership, current, parts } = this;
    const { settings, publicAddress, log } = parts;
    try {
      await this.listen(listenFd);
    } catch (error) {
      this.front.server.close();
      await current.close();
      throw error;
    }
    this.run(current);
    membership.notices.onNotice((notice) => this.current.receive(notice));
    membership.notices.onConnect(() => {
      this.current.readAgain();
      log.warn('notices of the other daemons may have been lost; reading everything again');
    });
    membership.onRenewed((owned) => {
      this.current.onLeaseRenewed(owned);
      void this.replacements.run();
    });
    await membership.setDelivers(true);
    void this.deliverAlone(this.current);
    void this.replacements.run();
    log.info(
      {
        url: publicAddress.url,
        port: this.address.port,
        data_dir: settings.dataDir,
        version: VERSION,
        node: process.versions.node,
        daemon: membership.member.id,
        leads: this.current.epoch !== null,
      },
      'listening',
    );
  }

  private async listen(listenFd: number | null): Promise<void> {
    const { settings, publicAddress } = this.parts;
    const { port, address } = await listen(
      () => this.front.listen(listenOptions(settings, listenFd)),
      settings,
    );
    if (listenFd !== null) checkPassedSocket(address, settings);
    publicAddress.listeningPort = port;
    this.address = { host: address, port };
    const host = ALL_ADDRESSES.includes(address) ? null : hostInUrl(address);
    await this.membership.listeningOn(host, port);
    const { addresses } = await this.membership.records.leader();
    const hosts = addresses.split(' ').map((one) => endpointOf(one).host);
    checkTrustedProxies(settings, hosts);
  }

  /** Passes connections to an application from now on, and starts it. */
  private run(application: ApplicationInstance): void {
    const { settings, log } = this.parts;
    this.current = application;
    this.front.use(application.server);
    application.start();
    const { host, port } = this.address;
    this.forgetAddress = saveAddress(settings.dataDir, host, port, application.secret, log);
    const { epoch } = application;
    log.info({ epoch }, epoch === null ? 'following' : 'leading');
  }

  /** Runs the application that leads, or the one that receives, as the database says. */
  private async replaceApplication(): Promise<void> {
    while (!this.current.isUpToDate && !this.replacements.isStopped) {
      const previous = this.current;
      const next = await this.open(this.membership.epoch);
      this.run(next);
      void this.endReplaced(previous);
      void this.deliverAlone(next);
    }
  }

  private async endReplaced(application: ApplicationInstance): Promise<void> {
    this.replaced.add(application);
    try {
      await application.end(null);
    } catch (error) {
      const { epoch } = application;
      this.parts.log.error({ err: error, epoch }, 'the replaced application did not end cleanly');
    }
    this.replaced.delete(application);
  }

  /** Starts deliveries once replaced applications have stopped theirs: only they know their attempts in flight. */
  private async deliverAlone(application: ApplicationInstance): Promise<void> {
    await Promise.all([...this.replaced].map((one) => one.stopDelivering()));
    if (application === this.current && !this.replacements.isStopped) application.startDelivering();
  }

  async stop(): Promise<void> {
    const isStopped = await withTimeout(
      this.stopInOrder().then(() => true),
      STOP_TIMEOUT_MS,
      false,
    );
    if (isStopped) return;
    this.parts.log.warn(
      'the shutdown took too long, perhaps because PostgreSQL does not respond. Attempts whose results are not stored are made again; the lease of this daemon runs out. No acknowledged event is lost',
    );
  }

  private async stopInOrder(): Promise<void> {
    const { membership, parts } = this;
    await this.replacements.stop();
    this.forgetAddress();
    // Otherwise the targets that are released would be assigned to this daemon again.
    await membership.setDelivers(false).catch((error: unknown) => {
      parts.log.warn(
        { err: error },
        'other daemons take the targets of this one only once its lease has run out',
      );
    });
    await this.current.end(this.front.server);
    await Promise.allSettled([...this.replaced].map((one) => one.end(null)));
    await membership.leave();
  }
}
