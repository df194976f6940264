import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Daemon } from '../support/daemon/daemon';
import { until } from '../support/until';
import { FakeCopilot } from '../support/fakes/copilot';
import { MOST_MS } from './stalls';

const PROBE = resolve(__dirname, '../../bench/loop-probe.cjs');
const MEGABYTE = 1024 * 1024;

interface Stall {
  stallMs: number;
  /** What the loop's thread worked in that time. */
  cpuMs: number;
}
interface Memory {
  heapBytes: number;
  rssBytes: number;
}

/** A built daemon that is connected, in a process of its own, with a probe in its event loop. */
export class WatchedDaemon {
  private seen = 0;

  private constructor(
    readonly daemon: Daemon,
    private readonly upstream: FakeCopilot,
  ) {}

  static async start(): Promise<WatchedDaemon> {
    const upstream = await FakeCopilot.start();
    // The daemon runs in the folder of its data.
    const environment = { NODE_OPTIONS: `--require "${PROBE}"`, LOOP_PROBE: 'probe' };
    return new WatchedDaemon(await Daemon.startConnected({ upstream, environment }), upstream);
  }

  /** What stood still for too long, and worked in that time, since it was asked last. */
  stalls(): Stall[] {
    const lines = this.lines();
    const fresh = lines.slice(this.seen) as Stall[];
    this.seen = lines.length;
    return fresh.filter(({ stallMs, cpuMs }) => Math.min(stallMs, cpuMs) > MOST_MS);
  }

  /** After everything that can go has gone; whatever stalls were there are noted by then. */
  async memory(): Promise<{ heapMB: number; rssMB: number }> {
    const from = this.lines().length;
    process.kill(this.daemon.pid, 'SIGUSR2');
    let found: Memory | undefined;
    await until('the probe has answered', () => {
      found = this.lines()
        .slice(from)
        .find((line): line is Memory => 'heapBytes' in line);
      return found !== undefined;
    });
    return { heapMB: found!.heapBytes / MEGABYTE, rssMB: found!.rssBytes / MEGABYTE };
  }

  async close(): Promise<void> {
    await this.daemon.close();
    await this.upstream.close();
  }

  private lines(): (Stall | Memory)[] {
    const file = join(this.daemon.dataDir, 'probe');
    if (!existsSync(file)) return [];
    const whole = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    return whole.map((line) => JSON.parse(line) as Stall | Memory);
  }
}
