import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { INestApplicationContext, Type } from '@nestjs/common';
import { pino } from 'pino';
import type { Connection } from '../../../src/contract/connection';
import type { Subscription } from '../../../src/contract/subscription';
import type { Clock } from '../../../src/relay/ground/clock';
import type { AuthorizationOutcome } from '../../../src/relay/connection/authorization-flow';
import type { Journal } from '../../../src/relay/database/journal';
import { ConnectionService } from '../../../src/relay/connection/connection.service';
import { CopilotClient } from '../../../src/relay/connection/copilot-client';
import { ENTITIES } from '../../../src/relay/relay.module';
import { GroundModule } from '../../../src/relay/ground.module';
import { HostAddresses } from '../../../src/relay/network/host-addresses';
import { migrateDatabase, openReadingSource } from '../../../src/relay/database/open-database';
import { NestFactory } from '@nestjs/core';
import { PublicAddress } from '../../../src/relay/settings/public-address';
import { Reader } from '../../../src/relay/database/reader';
import { readClockRecord } from '../../../src/relay/database/clock-record';
import { readSettings } from '../../../src/relay/settings/read-settings';
import { SubscriptionReconciler } from '../../../src/relay/subscription/subscription-reconciler';
import { Renewal } from '../../../src/relay/connection/renewal';
import { Sealer } from '../../../src/relay/secrets/sealer';
import { SqliteJournal } from '../../../src/relay/database/journal/sqlite-journal';
import { sqliteDriver } from '../../../src/relay/database/sqlite-driver';
import { SubscriptionModule } from '../../../src/relay/subscription/subscription.module';
import { SubscriptionService } from '../../../src/relay/subscription/subscription.service';
import { systemRandom } from '../../../src/relay/ground/random';
import { TimeBounds } from '../../../src/relay/ground/time-bounds';
import type { FakeCopilot } from '../../support/fakes/copilot';

export const HOUR_MS = 3_600_000;

/** Time that stands still until a test sets it, and how far the wall clock was set away from it. */
interface MovedClock extends Clock {
  time: number;
  jumped: number;
}

/** What stays when the daemon ends: the data, the time, the log. */
export interface Premises {
  dataDir: string;
  clock: MovedClock;
  /** Every line that was logged. */
  logged: string[];
  /** What the consents have left in the browser. */
  browser: string[];
}

export function makePremises(): Premises {
  const clock: MovedClock = {
    time: Date.UTC(2026, 10, 20, 12),
    jumped: 0,
    now: () => clock.time + clock.jumped,
    monotonic: () => clock.time,
    slept: () => 0,
  };
  return { dataDir: mkdtempSync(join(tmpdir(), 'switchboard-connection-')), clock, logged: [], browser: [] };
}

export function clearPremises({ dataDir }: Premises): void {
  rmSync(dataDir, { recursive: true, force: true });
}

/** The bytes of every file of the data, one behind the other. */
export function allBytes({ dataDir }: Premises): Buffer {
  return Buffer.concat(
    readdirSync(dataDir, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(dataDir, entry.name))),
  );
}

/** Reads the database beside the daemon, as it is on disk at this moment. */
export function readRows<Row>({ dataDir }: Premises, sql: string): Row[] {
  const connection = new sqliteDriver(join(dataDir, 'switchboard.db'), { readonly: true });
  try {
    return connection.prepare<[], Row>(sql).all();
  } finally {
    connection.close();
  }
}

/** Holds up whoever waits for `opened` until `open` is called. */
export class Gate {
  open: () => void = () => undefined;
  readonly opened = new Promise<void>((resolve) => (this.open = resolve));
}

/** Connection and subscription over a real journal, without the scheduler: tests tick by themselves. */
export class Stand {
  private ended: Promise<void> | null = null;

  private constructor(
    readonly premises: Premises,
    readonly app: INestApplicationContext,
    readonly journal: Journal,
    private readonly closeGround: () => Promise<void>,
  ) {}

  static async open(
    premises: Premises,
    upstream: FakeCopilot,
    environment: Record<string, string> = {},
    features: Type[] = [SubscriptionModule],
  ): Promise<Stand> {
    const { dataDir, clock, logged } = premises;
    const settings = readSettings({
      DATA_DIR: dataDir,
      COPILOT_BASE_URL: upstream.baseUrl,
      COPILOT_CLIENT_ID: upstream.clientId,
      COPILOT_CLIENT_SECRET: upstream.clientSecret,
      PUBLIC_URL: 'https://hub.example',
      SWITCHBOARD_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      ...environment,
    });
    await migrateDatabase(settings.databaseFile);
    const log = pino({ level: 'trace' }, collectLines(logged));
    const bounds = new TimeBounds(clock, readClockRecord(settings.databaseFile));
    const journal = await SqliteJournal.open(settings.databaseFile, clock, bounds, log);
    const reader = new Reader(settings.databaseFile);
    const source = await openReadingSource(settings.databaseFile, ENTITIES);
    const closeGround = async () => {
      await source.destroy();
      await reader.close();
      await journal.close();
    };
    const ground = GroundModule.with({
      settings,
      publicAddress: new PublicAddress(settings),
      clock,
      bounds,
      random: systemRandom,
      log,
      hosts: new HostAddresses(clock),
      sealer: new Sealer(Buffer.alloc(32, 7), systemRandom),
      journal,
      source,
      reader,
    });
    class StandModule {}
    try {
      const app = await NestFactory.createApplicationContext(
        { module: StandModule, imports: [ground, ...features] },
        { logger: false, abortOnError: false },
      );
      return new Stand(premises, app, journal, closeGround);
    } catch (error) {
      await closeGround();
      throw error;
    }
  }

  /** Stops as the daemon does. */
  async close(): Promise<void> {
    await this.app.close();
    await this.kill();
  }

  /** Ends as a killed process does: nothing is waited for, and nothing more is written. */
  async kill(): Promise<void> {
    this.ended ??= this.closeGround();
    await this.ended;
  }

  get connection(): ConnectionService {
    return this.app.get(ConnectionService);
  }

  get subscription(): SubscriptionService {
    return this.app.get(SubscriptionService);
  }

  get renewal(): Renewal {
    return this.app.get(Renewal, { strict: false });
  }

  get registrar(): SubscriptionReconciler {
    return this.app.get(SubscriptionReconciler, { strict: false });
  }

  get copilot(): CopilotClient {
    return this.app.get(CopilotClient, { strict: false });
  }

  connectionState(): Connection {
    return this.connection.state();
  }

  subscriptionState(): Subscription {
    return this.subscription.state();
  }

  /** Begins a consent in the one browser. @returns where that is sent */
  async begin(): Promise<string> {
    const { url, browserSecret } = await this.connection.startAuthorization();
    this.premises.browser.push(browserSecret);
    return url;
  }

  /** The browser comes back. */
  complete(query: unknown): Promise<AuthorizationOutcome> {
    return this.connection.completeAuthorization(query, this.premises.browser);
  }

  /** The operator's consent, from the first click to the callback. */
  async connect(upstream: FakeCopilot): Promise<void> {
    const callback = await upstream.consent(await this.begin());
    const outcome = await this.complete(Object.fromEntries(callback.searchParams));
    expect(outcome).toEqual({ status: 'connected' });
  }

  /** Moves the clock on and lets everything that is then due happen. */
  async pass(ms: number): Promise<void> {
    this.premises.clock.time += ms;
    await this.renewal.tick();
    await this.registrar.tick();
  }
}

function collectLines(lines: string[]): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString('utf8'));
      done();
    },
  });
}
