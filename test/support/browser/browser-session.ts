import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser } from './browser';
import { Daemon, type DaemonOptions } from '../daemon/daemon';
import { openDashboard } from './dashboard';
import { FakeCopilot } from '../fakes/copilot';

interface SessionOptions extends Pick<DaemonOptions, 'environment'> {
  /** Whether the daemon has been connected to Co-Pilot already. */
  connected?: boolean;
}

interface Closable {
  close: () => unknown;
}

/**
 * The built daemon with a fake Co-Pilot, and a browser.
 *
 *     session = await BrowserSession.open();
 *     ({ page } = await session.enter());
 *     …
 *     await session.close();
 */
export class BrowserSession {
  private readonly closables: Closable[] = [];

  private constructor(
    readonly daemon: Daemon,
    readonly browser: Browser,
  ) {}

  static async open({ connected = true, environment = {} }: SessionOptions = {}): Promise<BrowserSession> {
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

  /** Opens the dashboard in a new browser context, by a login link. */
  enter(options?: BrowserContextOptions): Promise<{ context: BrowserContext; page: Page }> {
    return openDashboard(this.browser, this.daemon, options);
  }

  /** Closes this together with the session, such as a target. */
  closeLater<One extends Closable>(one: One): One {
    this.closables.push(one);
    return one;
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.daemon.close();
    for (const one of this.closables) await one.close();
    await this.upstream.close();
  }
}
