import { pino } from 'pino';
import type { DataSource } from 'typeorm';
import type { Journal } from '../../../src/relay/database/journal/journal';
import type { Statement } from '../../../src/relay/database/journal/statements';
import { QuarantineStore } from '../../../src/relay/intake/quarantine.store';
import { systemRandom } from '../../../src/relay/ground/random';
import { clockAt } from '../../support/clock';
import { ONLY_DAEMON } from '../../support/only-daemon';

describe('the quarantine', () => {
  const HOUR_MS = 3_600_000;
  let now: number;
  let stored: number[];
  let counted: number;
  let quarantine: QuarantineStore;

  beforeEach(() => {
    let number = 0;
    now = 0;
    stored = [];
    counted = 0;
    const journal = {
      change: async ({ statements }: { statements: Statement[] }) => {
        const rows = statements.map(([sql, [first]]) => {
          if (sql.startsWith('INSERT')) {
            stored.push((number += 1));
            return [{ number }];
          }
          const gone: number[] = sql.startsWith('DELETE') ? JSON.parse(String(first)) : [];
          stored = stored.filter((one) => !gone.includes(one));
          if (sql.startsWith('UPDATE')) counted += Number(first);
          return [];
        });
        return { rows, scheduled: [] };
      },
    };
    quarantine = new QuarantineStore(
      { query: async () => [] } as unknown as DataSource,
      journal as unknown as Journal,
      clockAt(() => now),
      systemRandom,
      ONLY_DAEMON.leadership,
      pino({ level: 'silent' }),
    );
  });

  const add = async (count: number, size: number) => {
    const rejected = {
      address: '192.0.2.1',
      reason: 'no_signature',
      subscriptionId: 1,
      headers: [],
    } as const;
    for (let i = 0; i < count; i += 1) {
      quarantine.add({ ...rejected, headers: [], body: Buffer.alloc(size) });
      if (i % 3 === 2) await quarantine.write();
    }
    await quarantine.write();
  };

  it('holds a thousand, the first of each hour, and counts the others', async () => {
    await add(5, 1);
    now += HOUR_MS;
    await add(5_000, 1);
    expect(stored).toEqual(Array.from({ length: 1_000 }, (_, i) => i + 1));
    expect(counted).toBe(4_005);

    now += HOUR_MS;
    await add(900, 1);
    expect(stored).toHaveLength(1_000);
    expect(stored.slice(0, 5)).toEqual([1, 2, 3, 4, 5]);
    // The two hours of a flood share what the quiet one leaves.
    const ofFirstFlood = stored.filter((number) => number > 5 && number <= 1_000);
    expect(ofFirstFlood.length).toBeGreaterThan(490);
    expect(ofFirstFlood.length).toBeLessThan(505);
  });

  it('holds 32 MiB, and drops the newest of the largest', async () => {
    const MIB = 1_024 * 1_024;
    await add(5, 1);
    await add(40, MIB);
    await add(5, 1);
    expect(stored.length).toBeGreaterThan(35);
    expect(stored.length).toBeLessThanOrEqual(42);
    expect(counted).toBe(50 - stored.length);
    expect(stored.slice(0, 5)).toEqual([1, 2, 3, 4, 5]);
  });

  it('holds a single entry that is larger', async () => {
    await add(1, 33 * 1_024 * 1_024);
    expect(stored).toEqual([1]);
  });
});
