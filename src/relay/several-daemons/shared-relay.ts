import { LoginLinksService } from '../access/login-links.service';
import { ProofController } from '../api/controllers/proof.controller';
import { makeLoginLink, type Relay } from '../application';
import { CONNECTIONS, IDLE_IN_TRANSACTION_MS, openPool } from '../database/postgres/connect';
import { Membership } from './membership';
import { preparePostgres } from '../database/postgres/prepare-postgres';
import { orUnavailable } from '../database/postgres/unavailable';
import { followNotices } from './follow-notices';
import { newId } from '../ground/ids';
import { NonOverlapping } from '../ground/non-overlapping';
import { callOnListening } from '../ground/on-listening';
import { VERSION } from '../ground/version';
import { withTimeout } from '../ground/with-timeout';
import { ConnectionFront } from './connection-front';
import { HandOver } from './hand-over';
import { checkPassedSocket, listen, listenOptions, saveAddress } from '../listening';
import { endpointOf, hostInUrl } from '../network/endpoint';
import { openRunning, type Running, type SharedParts } from './open-running';
import { checkTrustedProxies } from '../settings/check-trusted-proxies';

/** A lease must not run out because of a connection that stalls. */
const LEASE_QUERY_TIMEOUT_MS = 3_000;

/** Less than the process gives itself, and service managers give it: a server that does not respond must not get it killed. */
const STOP_TIMEOUT_MS = 11_000;

/** These say where to listen, not where other machines connect to. */
const ALL_ADDRESSES = ['0.0.0.0', '::'];

/**
 * A daemon among others on one database. It runs the whole application while it leads, and otherwise only what receives
 * notifications. When that changes, it starts the other application anew, which reads everything from the database, and gives
 * it the connections. So no feature has to cope with a change of the leader.
 */
export class SharedRelay implements Relay {
  readonly firstStart: boolean;
  private readonly front: ConnectionFront;
  private address = { host: '', port: 0 };
  private forgetAddress: () => void = () => undefined;
  private retiring: Promise<unknown> = Promise.resolve();
  /** Resolves once no former application of this daemon delivers. */
  private delivering: Promise<unknown> = Promise.resolve();
  private readonly switching = new NonOverlapping(
    () => this.followMembership(),
    (error) => this.parts.log.error({ err: error }, 'the daemon could not change over; it tries again'),
  );

  private constructor(
    private readonly openFor: (epoch: number | null) => Promise<Running>,
    private readonly parts: SharedParts,
    private readonly membership: Membership,
    private current: Running,
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
    const openFor = (epoch: number | null) => openRunning(url, parts, membership, epoch);
    try {
      await orUnavailable(url, () => membership.join());
      const relay = new SharedRelay(openFor, parts, membership, await openFor(membership.epoch), isNew);
      await relay.begin(listenFd);
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
    return makeLoginLink(this.current.application.app.get(LoginLinksService));
  }

  async stop(): Promise<void> {
    const isStopped = await withTimeout(
      this.stopInOrder().then(() => true),
      STOP_TIMEOUT_MS,
      false,
    );
    if (isStopped) return;
    this.parts.log.warn(
      'the shutdown took too long, perhaps because PostgreSQL does not respond: results of attempts that are not stored are given up, so that these are made again, and the lease of this daemon runs out; no acknowledged event is lost',
    );
  }

  private async stopInOrder(): Promise<void> {
    await this.switching.stop();
    this.forgetAddress();
    const { current, front, membership, parts } = this;
    // Otherwise the targets that are released fall to this daemon again.
    await membership.setDelivers(false).catch((error: unknown) => {
      parts.log.warn({ err: error }, 'the targets of this daemon are served once its lease has run out');
    });
    // Together: the other daemons wait for all of it.
    await Promise.all([
      current.stopDelivering(),
      current.stopRenewing(),
      new HandOver(current.server, front.server).run(),
    ]);
    await current.close();
    await this.retiring;
    await this.membership.leave();
  }

  private async begin(listenFd: number | null): Promise<void> {
    const { settings, publicAddress, log } = this.parts;
    try {
      const { port, address } = await listen(
        () => this.front.listen(listenOptions(settings, listenFd)),
        settings,
      );
      if (listenFd !== null) checkPassedSocket(address, settings);
      publicAddress.listeningOn(port);
      this.address = { host: address, port };
      const host = ALL_ADDRESSES.includes(address) ? null : hostInUrl(address);
      await this.membership.listeningOn(host, port);
      const { addresses } = await this.membership.records.leader();
      const daemons = addresses.split(' ').map((one) => endpointOf(one).host);
      checkTrustedProxies(settings, daemons);
    } catch (error) {
      this.front.server.close();
      await this.current.close();
      throw error;
    }
    this.use(this.current);
    this.follow();
    await this.membership.setDelivers(true);
    void this.deliverAfter(Promise.resolve(), this.current);
    void this.switching.run();
    log.info(
      {
        url: publicAddress.url,
        port: this.address.port,
        data_dir: settings.dataDir,
        version: VERSION,
        node: process.versions.node,
        daemon: this.membership.member.id,
        leads: this.current.epoch !== null,
      },
      'listening',
    );
  }

  private follow(): void {
    followNotices(this.membership.notices, () => this.current, this.parts.log);
    this.membership.onBeat(() => {
      this.current.owned.followLease();
      this.current.endFormer();
      this.current.daemons.takeMessages();
      void this.switching.run();
    });
  }

  /** Runs the application that leads, or the one that receives, as the database says. */
  private async followMembership(): Promise<void> {
    const { membership } = this;
    while (
      (membership.epoch !== this.current.epoch || this.current.isOutdated()) &&
      !this.switching.isStopped
    ) {
      const previous = this.current;
      const next = await this.openFor(membership.epoch);
      this.use(next);
      const stopped = previous.stopDelivering().catch((error: unknown) => {
        this.parts.log.error({ err: error }, 'deliveries of the former application did not end cleanly');
      });
      this.delivering = Promise.all([this.delivering, stopped]);
      void this.deliverAfter(this.delivering, next);
      this.retiring = Promise.all([this.retiring, this.retire(previous, stopped)]);
    }
  }

  /** Ends an application whose place another one has taken; what it could not write is not lost, but due again. */
  private async retire(previous: Running, stopped: Promise<unknown>): Promise<void> {
    try {
      await Promise.all([stopped, previous.stopRenewing(), new HandOver(previous.server, null).run()]);
      await previous.close();
    } catch (error) {
      this.parts.log.error(
        { err: error, epoch: previous.epoch },
        'the former application did not end cleanly',
      );
    }
  }

  /** Lets an application take targets, once no other one of this daemon delivers: attempts in flight are known to one only. */
  private async deliverAfter(others: Promise<unknown>, running: Running): Promise<void> {
    await others;
    if (running === this.current && !this.switching.isStopped) running.owned.start();
  }

  private use(running: Running): void {
    const { settings, log } = this.parts;
    const { epoch, application, journal, dispatcher } = running;
    this.current = running;
    this.front.use(running.server);
    if (epoch === null) dispatcher.onListening();
    else callOnListening(application.app);
    journal.start();
    const { secret } = application.app.get(ProofController);
    this.forgetAddress = saveAddress(settings.dataDir, this.address.host, this.address.port, secret, log);
    log.info({ epoch }, epoch === null ? 'receiving for the leader' : 'leading');
  }
}
