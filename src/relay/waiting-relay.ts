import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { dirname } from 'node:path';
import type { Relay } from './application';
import { diskFullCode, isWritable } from './database/journal/disk-full';
import { runSteps } from './ground/run-steps';
import { problemDetails } from './http/describe-problem';
import { writeProblem } from './http/send-problem';
import { listen, listenOptions } from './http/listening';
import type { Settings } from './settings/settings';

const RETRY_MS = 1_000;

const PROBLEM = {
  ...problemDetails(503, 'disk_full', 'Switchboard has not started: a disk is full or failing.'),
  remedy: 'Free disk space. It then starts by itself.',
};
const rejectAll: RequestListener = (_, response) =>
  writeProblem(response, PROBLEM, { 'retry-after': '5', connection: 'close' });

/**
 * Answers 503 in place of a daemon that cannot start because a disk is full, and starts it once that can be written.
 */
export class WaitingRelay implements Relay {
  readonly firstStart = false;
  private started: Relay | null = null;
  private server = createServer(rejectAll);
  private readonly stopping = new AbortController();
  private waiting: Promise<void> = Promise.resolve();

  private constructor(
    private readonly settings: Settings,
    private readonly tryToStart: () => Promise<Relay>,
  ) {}

  /** @param onFailed called if the start fails for another reason */
  static async start(
    settings: Settings,
    tryToStart: () => Promise<Relay>,
    onFailed: (error: unknown) => void,
  ): Promise<WaitingRelay> {
    const relay = new WaitingRelay(settings, tryToStart);
    await relay.listen();
    relay.waiting = runSteps(() => relay.step(), {
      retryAfterMs: RETRY_MS,
      signal: relay.stopping.signal,
      onError: (error) => {
        if (diskFullCode(error) === null) onFailed(error);
      },
    });
    return relay;
  }

  get url(): string {
    return this.started?.url ?? `http://${this.settings.host}:${this.settings.port}`;
  }

  makeLoginLink(): Promise<string> {
    return this.started?.makeLoginLink() ?? Promise.reject(new Error('The daemon has not started yet.'));
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.waiting;
    await (this.started?.stop() ?? this.close());
  }

  /** @returns whether to try again */
  private async step(): Promise<boolean> {
    const { dataDir, databaseFile } = this.settings;
    const areWritable = await Promise.all([dataDir, dirname(databaseFile)].map(isWritable));
    if (areWritable.includes(false)) throw Object.assign(new Error('A disk is full.'), { code: 'ENOSPC' });
    await this.close();
    try {
      this.started = await this.tryToStart();
      return false;
    } catch (error) {
      await this.listen();
      throw error;
    }
  }

  private async listen(): Promise<void> {
    this.server = createServer(rejectAll);
    await listen(async () => {
      this.server.listen(listenOptions(this.settings, null));
      await once(this.server, 'listening');
    }, this.settings);
  }

  private async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}
