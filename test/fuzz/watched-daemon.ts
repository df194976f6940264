import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Daemon } from '../support/daemon/daemon';
import { until } from '../support/until';
import { FakeCopilot } from '../support/fakes/copilot';
import { isStall } from './stalls';

const STALL_RECORDER = resolve(__dirname, '../../bench/programs/record-stalls.cjs');
const MEGABYTE = 1024 * 1024;

interface Stall {
  stallMs: number;
  /** CPU time of the main thread in that time. */
  cpuMs: number;
}
interface Memory {
  heapBytes: number;
  rssBytes: number;
}

/** A connected daemon in a process of its own, which records the stalls of its event loop. */
export class WatchedDaemon {
  private seen = 0;

  private constructor(
    readonly daemon: Daemon,
    private readonly upstream: FakeCopilot,
  ) {}

  static async start(): Promise<WatchedDaemon> {
    const upstream = await FakeCopilot.start();
    // The working directory of the daemon is its data folder.
    const environment = { NODE_OPTIONS: `--require "${STALL_RECORDER}"`, STALL_LOG: 'stalls' };
    return new WatchedDaemon(await Daemon.startConnected({ upstream, environment }), upstream);
  }

  /** Stalls since the last call that were too long, by wall time and by CPU time. */
  stalls(): Stall[] {
    const lines = this.lines();
    const newStalls = lines.slice(this.seen) as Stall[];
    this.seen = lines.length;
    return newStalls.filter(({ stallMs, cpuMs }) => isStall(Math.min(stallMs, cpuMs)));
  }

  /** Memory after a garbage collection. Earlier stalls have been recorded by then. */
  async memory(): Promise<{ heapMB: number; rssMB: number }> {
    const from = this.lines().length;
    process.kill(this.daemon.pid, 'SIGUSR2');
    let found: Memory | undefined;
    await until('the memory line in the stall log', () => {
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
    const file = join(this.daemon.dataDir, 'stalls');
    if (!existsSync(file)) return [];
    const whole = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    return whole.map((line) => JSON.parse(line) as Stall | Memory);
  }
}
