import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { entityList, type EntityState } from '../../src/contract/entity';
import type { Problem } from '../../src/contract/problem';
import type { SettingsView } from '../../src/contract/settings';
import { versionOfBody } from '../../src/relay/ground/record-version';
import { Daemon } from '../support/daemon/daemon';
import { postgresEnvironment } from '../support/daemon/database-environment';
import { assertBalanced } from '../support/daemon/ledger';
import { expectedState, type ModelEvent } from '../support/entity-model';
import { FakeCopilot } from '../support/fakes/copilot';
import { RetryingSender } from '../support/fakes/retrying-sender';
import { WebhookSender } from '../support/fakes/webhook-sender';
import { runSql, TestPostgres } from '../support/postgres';
import { report } from '../support/runs/report';
import { until } from '../support/until';

const KILLS = Number(process.env['KILLS'] ?? 4);
const WITHIN_MS = Number(process.env['WITHIN_MS'] ?? 700);
const DEALS = 400;
const LIVE_PER_SECOND = 40;
/** More than are removed between two kills. */
const EVENTS_PER_KILL = { sqlite: 3_000, postgres: 700 };
const SETTLED_WITHIN_MS = 300_000;

const FAST = { NODE_OPTIONS: `--require ${resolve(__dirname, '../support/daemon/fast-intervals.cjs')}` };

const below = (limit: number) => Math.floor(Math.random() * limit);

interface StoredEvent {
  seq: number | string;
  type: string;
  entity: string | null;
  unreadable: string | null;
  body: Buffer;
}

interface KnownEvent extends ModelEvent {
  type: string;
  record: unknown;
}

describe.each(['sqlite', 'postgres'] as const)(
  'retention on %s, killed while it removes events',
  (engine) => {
    let upstream: FakeCopilot;
    let postgres: TestPostgres | undefined;
    let url: string;
    let daemon: Daemon;
    let sender: WebhookSender;
    /** Every event that was ever stored. */
    const events: KnownEvent[] = [];

    beforeAll(async () => {
      upstream = await FakeCopilot.start();
      if (engine === 'postgres') {
        postgres = await TestPostgres.start();
        url = await postgres.createMigrated();
      }
      const environment = {
        ...FAST,
        SWITCHBOARD_RETENTION_DAYS: '1',
        ...(postgres && postgresEnvironment(url)),
      };
      daemon = await Daemon.startConnected({ upstream, environment });
      sender = new WebhookSender(daemon.webhook);
    });
    afterAll(async () => {
      sender?.close();
      await daemon?.close();
      await postgres?.stop();
      await upstream?.close();
    });

    const read = <Row>(sql: string) =>
      postgres === undefined ? daemon.rows<Row>(sql) : runSql<Row>(url, sql);
    const count = async (sql: string) => Number((await read<{ n: number | string }>(sql))[0]!.n);

    const through = () => count('SELECT floor_through AS n FROM instance');

    /** Adds what is stored now to the reference. @returns the newest `seq` */
    async function learn(): Promise<number> {
      const newest = events.at(-1)?.seq ?? 0;
      const rows = await read<StoredEvent>(
        `SELECT seq, type, entity, unreadable, body FROM events WHERE seq > ${newest} ORDER BY seq`,
      );
      for (const { seq, type, entity, unreadable, body } of rows)
        events.push({
          seq: Number(seq),
          type,
          record: (JSON.parse(body.toString()) as { data: unknown }).data,
          entity: entity ?? '',
          version: versionOfBody(body),
          isReadable: unreadable === null,
        });
      return events.at(-1)!.seq;
    }

    /** Changes of deals: some late, some without a version, some deletions, some that cannot be read. */
    async function store(): Promise<void> {
      let n = 0;
      const start = Date.now();
      const sendNext = async (): Promise<void> => {
        while (n < KILLS * EVENTS_PER_KILL[engine]) {
          n += 1;
          const at = new Date(start + (n - (below(4) === 0 ? below(3_000) : 0)) * 1_000).toISOString();
          const data = { id: below(DEALS), n, ...(below(12) > 0 && { updated_at: at }) };
          const event = below(30) === 0 ? 'deal.deleted' : 'deal.updated';
          const timestamp = below(20) === 0 ? {} : { timestamp: at };
          const payload = { event, ...timestamp, webhook_id: daemon.webhook.webhook_id, data };
          expect((await sender.send(Buffer.from(JSON.stringify(payload)))).status).toBe(200);
        }
      };
      await Promise.all(Array.from({ length: 64 }, sendNext));
    }

    const getList = async (query: string) =>
      entityList.parse(await daemon.get(`/entities?kind=deal&state=all&sort=entity&limit=150&${query}`));

    async function listAt(seq: number): Promise<EntityState[]> {
      const listed: EntityState[] = [];
      for (let cursor = ''; ;) {
        const { data, next_cursor: next } = await getList(`as_of_seq=${seq}${cursor}`);
        listed.push(...data);
        if (next === null) return listed;
        cursor = `&cursor=${next}`;
      }
    }

    /** Not while no daemon leads, as after a kill on PostgreSQL. */
    async function removes(): Promise<boolean> {
      const { status, body } = await daemon.request('GET', '/settings');
      return status === 200 && (body as SettingsView).retention.removed > 0;
    }

    /** Expects every entity once, with its last state. */
    async function compareAt(seq: number): Promise<void> {
      const names = [...new Set(events.map(({ entity }) => entity))].filter((name) => name !== '').toSorted();
      const expected = names.flatMap(
        (entity) => (expectedState(events, entity, seq) as KnownEvent | null) ?? [],
      );
      const listed = await listAt(seq);
      expect(
        listed.map(({ entity, seq: of, event_type: type, record }) => [entity, of, type, record]),
      ).toEqual(expected.map(({ entity, seq: of, type, record }) => [entity, of, type, record]));
    }

    it('leaves the last state of each entity, as it was, once', async () => {
      await store();
      expect(await daemon.stop()).toBe(0);
      const old = await learn();
      const age = `UPDATE events SET received_at = received_at - ${3 * 86_400_000}`;
      if (postgres === undefined) daemon.alterDatabase(age);
      else await runSql(url, age);
      const leftOf = () => count(`SELECT count(*) AS n FROM events WHERE seq <= ${old}`);
      const live = new RetryingSender(sender, LIVE_PER_SECOND, daemon.webhook.webhook_id, 1, DEALS);
      live.start();
      try {
        for (let kill = 1, before = old; kill <= KILLS; kill += 1) {
          await daemon.restart();
          await until('it removes events', removes, SETTLED_WITHIN_MS);
          await compareAt(await learn());
          await compareAt(old);
          await pause(Math.random() * WITHIN_MS);
          await daemon.kill();
          const left = await leftOf();
          report(
            `kill ${kill} on ${engine}: ${left} left, ${before - left} removed, kept up to ${await through()}`,
          );
          expect(left).toBeGreaterThan(0);
          before = left;
        }
        await daemon.restart();
        await until('all are removed', async () => (await leftOf()) === 0, SETTLED_WITHIN_MS);
      } finally {
        live.cancel();
      }
      await compareAt(await learn());
      await compareAt(old);
      const { status, body } = await daemon.request('GET', `/entities?as_of_seq=${old - 1}`);
      expect({ status, code: (body as Problem).code }).toEqual({ status: 422, code: 'as_of_before_horizon' });
      await assertBalanced(daemon);
    });
  },
);
