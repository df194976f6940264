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

const CHECK_WITHIN_MS = 2_000;
/** Asking is open to everybody and writes: one answer serves all who ask within this time. */
const ANSWER_GOOD_FOR_MS = 1_000;

/** What must hold for this daemon to do its work. Parts add their own checks when the daemon is put together. */
@Injectable()
export class HealthChecks {
  private readonly checks: HealthCheck[] = [];
  private latest: { at: number; results: Promise<HealthResult[]> } | null = null;

  constructor(
    journal: Journal,
    private readonly clock: Clock,
  ) {
    // A write that changes nothing, since a full disk takes an empty transaction well.
    const check = () => journal.change([['UPDATE instance SET tag = tag', []]]).then(() => true);
    this.add({ name: 'database', check });
  }

  add(check: HealthCheck): void {
    this.checks.push(check);
  }

  /** One result for each check, in the order in which they were added. */
  run(): Promise<HealthResult[]> {
    const now = this.clock.monotonic();
    if (this.latest === null || now - this.latest.at >= ANSWER_GOOD_FOR_MS) {
      const results = Promise.all(
        this.checks.map(async (part) => ({ name: part.name, ok: await holds(part) })),
      );
      this.latest = { at: now, results };
    }
    return this.latest.results;
  }
}

/** A check that fails, or does not come back in time, does not hold. */
async function holds(part: HealthCheck): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, CHECK_WITHIN_MS, false);
  });
  try {
    return await Promise.race([part.check(), late]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
