import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser } from './browser';
import { Daemon, type DaemonOptions } from '../daemon/daemon';
import { enter } from './dashboard';
import { FakeCopilot } from '../fakes/copilot';

interface StandOptions extends Pick<DaemonOptions, 'environment'> {
  /** Whether the daemon has been connected to Co-Pilot already. */
  connected?: boolean;
}

interface Closable {
  close: () => unknown;
}

/**
 * A built daemon with its Co-Pilot, and a browser to look at it with.
 *
 *     stand = await BrowserSession.open();
 *     ({ page } = await stand.enter());
 *     …
 *     await stand.close();
 */
export class BrowserSession {
  private readonly kept: Closable[] = [];

  private constructor(
    readonly daemon: Daemon,
    readonly browser: Browser,
  ) {}

  static async open({ connected = true, environment = {} }: StandOptions = {}): Promise<BrowserSession> {
    const upstream = await FakeCopilot.start();
    const opened: Closable[] = [upstream];
    try {
      const options = { upstream, environment };
      const daemon = await (connected ? Daemon.startConnected(options) : Daemon.start(options));
      opened.push(daemon);
      return new BrowserSession(daemon, await launchBrowser());
    } catch (error) {
      for (const one of opened.toReversed()) await one.close();
      throw error;
    }
  }

  get upstream(): FakeCopilot {
    return this.daemon.upstream;
  }

  /** The dashboard in a context of its own, entered by a login link. */
  enter(options?: BrowserContextOptions): Promise<{ context: BrowserContext; page: Page }> {
    return enter(this.browser, this.daemon, options);
  }

  /** Closes with the stand what else a test needs, such as a target. */
  keep<One extends Closable>(one: One): One {
    this.kept.push(one);
    return one;
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.daemon.close();
    for (const one of this.kept) await one.close();
    await this.upstream.close();
  }
}
