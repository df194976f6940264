import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INestApplicationContext, Type } from '@nestjs/common';
import type { Connection } from '../../../src/contract/connection';
import {
  AuthorizationFlow,
  type AuthorizationOutcome,
} from '../../../src/relay/connection/authorization-flow';
import type { Journal } from '../../../src/relay/database/journal/journal';
import { ConnectionService } from '../../../src/relay/connection/connection.service';
import { CopilotClient } from '../../../src/relay/connection/copilot-client';
import { NestFactory } from '@nestjs/core';
import { ActiveKeys } from '../../../src/relay/subscription/active-keys';
import { CheckAge, type CheckState } from '../../../src/relay/subscription/check-age';
import type { SubscriptionState } from '../../../src/relay/subscription/describe-subscription';
import { OperatorActionsService } from '../../../src/relay/subscription/operator-actions.service';
import { SubscriptionWorker } from '../../../src/relay/subscription/subscription.worker';
import { RenewalWorker } from '../../../src/relay/connection/renewal.worker';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';
import { SubscriptionModule } from '../../../src/relay/subscription/subscription.module';
import { SubscriptionService } from '../../../src/relay/subscription/subscription.service';
import { FixedClock } from '../clock';
import { openTestGround, type TestGround } from './test-ground';
import { FakeCopilot } from '../fakes/copilot';

export const HOUR_MS = 3_600_000;

/** What outlives a run of the daemon. */
interface Workspace {
  dataDir: string;
  clock: FixedClock;
  /** Every line that was logged. */
  logged: string[];
  /** The secrets that authorizations have stored in the browser. */
  browser: string[];
}

function createWorkspace(): Workspace {
  return {
    dataDir: mkdtempSync(join(tmpdir(), 'switchboard-connection-')),
    clock: new FixedClock(),
    logged: [],
    browser: [],
  };
}

/** `opened` resolves once `open` is called. */
export class Gate {
  open: () => void = () => undefined;
  readonly opened = new Promise<void>((resolve) => (this.open = resolve));
}

/** One run of the modules; `ended` is set once its journal is being closed. */
interface Run {
  app: INestApplicationContext;
  ground: TestGround;
  ended: Promise<void> | null;
}

/**
 * Some of the daemon's modules on a real journal, connected to a fake Co-Pilot. They can be closed and opened again on
 * the same workspace. There is no scheduler: tests advance the clock with `pass`.
 */
export class FeatureHarness {
  upstream!: FakeCopilot;
  workspace!: Workspace;
  private run: Run | null = null;

  constructor(protected readonly features: Type[] = [SubscriptionModule]) {}

  /** Starts the fake Co-Pilot and creates the workspace. */
  async prepare(): Promise<void> {
    this.upstream = await FakeCopilot.start();
    this.workspace = createWorkspace();
  }

  /** Starts the modules on what the previous run has left in the workspace. */
  async open(environment: Record<string, string> = {}): Promise<void> {
    const { dataDir, clock, logged } = this.workspace;
    const ground = await openTestGround(
      {
        DATA_DIR: dataDir,
        COPILOT_BASE_URL: this.upstream.baseUrl,
        COPILOT_CLIENT_ID: this.upstream.clientId,
        COPILOT_CLIENT_SECRET: this.upstream.clientSecret,
        PUBLIC_URL: 'https://hub.example',
        SWITCHBOARD_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
        ...environment,
      },
      clock,
      logged,
    );
    try {
      this.run = { app: await this.createApplication(ground), ground, ended: null };
    } catch (error) {
      await ground.close();
      throw error;
    }
  }

  protected createApplication({ module }: TestGround): Promise<INestApplicationContext> {
    class Root {}
    return NestFactory.createApplicationContext(
      { module: Root, imports: [module, ...this.features] },
      { logger: false, abortOnError: false },
    );
  }

  /** Registers and checks the webhook from now on, as the daemon does once it listens. */
  listen(): void {
    this.subscriptionWorker.onListening();
  }

  /** Stops as the daemon does. */
  async close(): Promise<void> {
    await this.app.close();
    await this.kill();
  }

  /** Ends as a killed process does: nothing is waited for, and nothing more is written. */
  async kill(): Promise<void> {
    const run = this.current;
    run.ended ??= run.ground.close();
    await run.ended;
  }

  /** Closes the modules and continues with an empty workspace. */
  async replaceWorkspace(): Promise<void> {
    await this.close();
    rmSync(this.workspace.dataDir, { recursive: true, force: true });
    this.workspace = createWorkspace();
  }

  /** Closes everything and deletes the workspace. */
  async dispose(): Promise<void> {
    if (this.run?.ended === null) await this.close();
    await this.upstream.close();
    rmSync(this.workspace.dataDir, { recursive: true, force: true });
  }

  /** The bytes of all data files, concatenated. */
  storedBytes(): Buffer {
    const { dataDir } = this.workspace;
    return Buffer.concat(
      readdirSync(dataDir, { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(dataDir, entry.name))),
    );
  }

  /** Reads the database through a separate connection: only what is committed. */
  readRows<Row>(sql: string): Row[] {
    const connection = new sqliteDriver(join(this.workspace.dataDir, 'switchboard.db'), { readonly: true });
    try {
      return connection.prepare<[], Row>(sql).all();
    } finally {
      connection.close();
    }
  }

  get app(): INestApplicationContext {
    return this.current.app;
  }

  private get current(): Run {
    if (this.run === null) throw new Error('The harness is not open.');
    return this.run;
  }

  get journal(): Journal {
    return this.current.ground.journal;
  }

  get authorization(): AuthorizationFlow {
    return this.app.get(AuthorizationFlow);
  }

  get connection(): ConnectionService {
    return this.app.get(ConnectionService);
  }

  get subscription(): SubscriptionService {
    return this.app.get(SubscriptionService);
  }

  get renewal(): RenewalWorker {
    return this.app.get(RenewalWorker, { strict: false });
  }

  get actions(): OperatorActionsService {
    return this.app.get(OperatorActionsService);
  }

  get keys(): ActiveKeys {
    return this.app.get(ActiveKeys);
  }

  get checkState(): CheckState {
    return this.app.get(CheckAge).state;
  }

  get subscriptionWorker(): SubscriptionWorker {
    return this.app.get(SubscriptionWorker, { strict: false });
  }

  get copilot(): CopilotClient {
    return this.app.get(CopilotClient, { strict: false });
  }

  connectionState(): Connection {
    return this.connection.state();
  }

  subscriptionState(): SubscriptionState {
    return this.subscription.state();
  }

  /** Starts an authorization in the browser. @returns the URL at Co-Pilot */
  async startAuthorization(): Promise<string> {
    const { url, browserSecret } = await this.authorization.start();
    this.workspace.browser.push(browserSecret);
    return url;
  }

  /** The browser follows Co-Pilot's redirect back. */
  completeAuthorization(query: unknown): Promise<AuthorizationOutcome> {
    return this.authorization.complete(query, this.workspace.browser);
  }

  /** Authorizes at Co-Pilot, from the first click to the callback. */
  async connect(): Promise<void> {
    const callback = await this.upstream.consent(await this.startAuthorization());
    const outcome = await this.completeAuthorization(Object.fromEntries(callback.searchParams));
    expect(outcome).toEqual({ status: 'connected' });
  }

  /** Advances the clock and runs what is due then. */
  async advance(ms: number): Promise<void> {
    const { renewal, subscriptionWorker } = this;
    this.workspace.clock.time += ms;
    await renewal.tick();
    await subscriptionWorker.tick();
  }
}

/** Prepares the harness before each test of a suite, and disposes of it afterwards. Tests open it themselves. */
export function useFeatureHarness(): FeatureHarness;
export function useFeatureHarness<Harness extends FeatureHarness>(harness: Harness): Harness;
export function useFeatureHarness(harness = new FeatureHarness()): FeatureHarness {
  beforeEach(() => harness.prepare());
  afterEach(() => harness.dispose());
  return harness;
}
