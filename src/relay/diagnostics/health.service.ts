import type { Readiness } from '../../contract/health';
import { Injectable } from '@nestjs/common';
import { Clock } from '../ground/clock';
import { Journal, type Change } from '../database/journal/journal';
import { RelayError } from '../ground/relay-error';
import { withTimeout } from '../ground/with-timeout';

export interface HealthCheck {
  name: string;
  check(): Promise<boolean>;
}

type HealthResult = NonNullable<Readiness['checks']>[number];

const CHECK_TIMEOUT_MS = 2_000;
/** Callers within this time share a result, because the endpoint is public and the check writes. */
const CACHE_MS = 1_000;

/** Checks whether the daemon can do its work. Features add their own checks. */
@Injectable()
export class HealthService {
  private readonly checks: HealthCheck[] = [];
  private cachedRun: { at: number; results: Promise<HealthResult[]> } | null = null;

  constructor(
    journal: Journal,
    private readonly clock: Clock,
  ) {
    let isWritable = true;
    journal.onDiskFailure((part, code) => {
      if (part === 'commit') isWritable = code === null;
    });
    // A write that changes nothing: an empty transaction would succeed on a full disk. So may this one where events
    // fail.
    const check = async () => {
      const change = { statements: [['UPDATE instance SET tag = tag', []]] } satisfies Partial<Change>;
      return (await journal.change(change).then(() => true, isNotLeader)) && isWritable;
    };
    this.add({ name: 'database', check });
  }

  add(check: HealthCheck): void {
    this.checks.push(check);
  }

  /** One result per check, in the order they were added. */
  run(): Promise<HealthResult[]> {
    const now = this.clock.monotonic();
    if (this.cachedRun === null || now - this.cachedRun.at >= CACHE_MS) {
      const results = Promise.all(
        this.checks.map(async (part) => ({ name: part.name, ok: await passes(part) })),
      );
      this.cachedRun = { at: now, results };
    }
    return this.cachedRun.results;
  }
}

/** The database has responded, and stores the events of a daemon that leads no more. */
const isNotLeader = (error: unknown) => error instanceof RelayError && error.code === 'not_leader';

/** False if the check fails or times out. */
async function passes(part: HealthCheck): Promise<boolean> {
  try {
    return await withTimeout(part.check(), CHECK_TIMEOUT_MS, false);
  } catch {
    return false;
  }
}
