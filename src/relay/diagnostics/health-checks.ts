import { Injectable } from '@nestjs/common';
import { Clock } from '../ground/clock';
import { Journal } from '../database/journal';

export interface HealthCheck {
  name: string;
  check(): Promise<boolean>;
}

export interface HealthResult {
  name: string;
  ok: boolean;
}

const CHECK_TIMEOUT_MS = 2_000;
/** The endpoint is public and writes: callers within this time share a result. */
const CACHE_MS = 1_000;

/** What this daemon needs to work. Features add their own checks. */
@Injectable()
export class HealthChecks {
  private readonly checks: HealthCheck[] = [];
  private latest: { at: number; results: Promise<HealthResult[]> } | null = null;

  constructor(
    journal: Journal,
    private readonly clock: Clock,
  ) {
    // A write that changes nothing: an empty transaction would succeed on a full disk.
    const check = () => journal.change([['UPDATE instance SET tag = tag', []]]).then(() => true);
    this.add({ name: 'database', check });
  }

  add(check: HealthCheck): void {
    this.checks.push(check);
  }

  /** One result per check, in the order they were added. */
  run(): Promise<HealthResult[]> {
    const now = this.clock.monotonic();
    if (this.latest === null || now - this.latest.at >= CACHE_MS) {
      const results = Promise.all(
        this.checks.map(async (part) => ({ name: part.name, ok: await passes(part) })),
      );
      this.latest = { at: now, results };
    }
    return this.latest.results;
  }
}

/** False if the check fails or times out. */
async function passes(check: HealthCheck): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, CHECK_TIMEOUT_MS, false);
  });
  try {
    return await Promise.race([check.check(), late]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
