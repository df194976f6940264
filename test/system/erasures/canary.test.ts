import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { erasure, erasurePreview, type Erasure } from '../../../src/contract/erasure';
import { eventDetail } from '../../../src/contract/event';
import type { Page } from '../../../src/contract/page';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';
import { postgresEnvironment } from '../../support/daemon/database-environment';
import { assertBalanced } from '../../support/daemon/ledger';
import { queryStored } from '../../support/daemon/stored-data';
import { Switchboard } from '../../support/daemon/switchboard';
import { dumpPostgres } from '../../support/databases/dump-postgres';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { runSql, TestPostgres } from '../../support/postgres';
import { until } from '../../support/until';

/** Of the erased person; each is a text that occurs nowhere else. */
const NAME = 'Qwyzzle Vorthbakk';
const HEADER = 'zkklmheader9174';
const NOTE = 'pgghwnote5532';
const EDITED = 'xvvtrledited8820';
const CANARIES = [NAME, 'Vorthbakk', HEADER, NOTE, EDITED];
const ENTITY = 'contact:7741909';

/** By which repeated notifications of it are recognized. */
const HASHES = `SELECT i.hash FROM events e JOIN
  (SELECT seq, hash FROM identities UNION SELECT seq, hash FROM recent_identities) i ON i.seq = e.seq
  WHERE e.entity = '${ENTITY}'`;

const NO_RETRIES = { retry: { delays_s: [] }, jitter: 0, breaker: null };

interface Engine {
  environment: () => Promise<Record<string, string>>;
  query: (dataDir: string, sql: string) => Promise<Record<string, unknown>[]>;
  /** Everything that is stored, after the stop of the daemon. */
  stored: (dataDir: string) => Promise<string>;
}

let postgres: TestPostgres | undefined;
let url: string;
afterAll(() => postgres?.stop());

const ENGINES: Record<string, Engine> = {
  SQLite: {
    environment: async () => ({}),
    query: (dataDir, sql) => queryStored(dataDir, sql),
    stored: async (dataDir) =>
      readdirSync(dataDir, { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => readFileSync(join(dataDir, name)).toString('latin1'))
        .join('\n'),
  },
  PostgreSQL: {
    environment: async () => {
      postgres ??= await TestPostgres.start();
      url = await postgres.createMigrated();
      return postgresEnvironment(url);
    },
    query: async (_, sql) => runSql(url, sql),
    stored: async () => `${await dumpPostgres(url)}${await statistics()}`,
  },
};

/** What the planner knows of the values of columns. */
async function statistics(): Promise<string> {
  const rows = await runSql<{ text: string }>(
    url,
    `SELECT coalesce(most_common_vals::text, '') || coalesce(histogram_bounds::text, '') AS text FROM pg_stats
     WHERE schemaname = 'public'`,
  );
  return rows.map(({ text }) => text).join('\n');
}

/** What the API, the metrics and the log say. */
async function shown(hub: Switchboard): Promise<string> {
  const paths = [
    '/events?limit=200',
    '/events/export',
    '/replays',
    '/dead-letters',
    '/audit',
    '/alerts',
    '/types',
    '/saved-views',
  ];
  const { data } = (await hub.ask('/events?limit=200')).json as Page<{ id: string }>;
  const all = [
    ...paths,
    ...data.flatMap(({ id }) => [`/events/${id}`, `/events/${id}/explain`, `/events/${id}/changes`]),
  ];
  const answers = await Promise.all(all.map(async (path) => (await hub.ask(path)).text));
  const metrics = await hub.wire.send('/metrics', { headers: hub.bearer });
  return [...answers, metrics.text, hub.logged].join('\n');
}

const post = (hub: Switchboard, path: string, json: object) => hub.ask(path, { method: 'POST', json });

async function untilState(hub: Switchboard, id: string, state: Erasure['state']): Promise<Erasure> {
  await until(
    `the erasure is ${state}`,
    async () => (await hub.read(erasure, `/erasures/${id}`)).state === state,
  );
  return hub.read(erasure, `/erasures/${id}`);
}

describe.each(Object.keys(ENGINES))('erasing an entity, on %s,', (name) => {
  const engine = ENGINES[name]!;

  it('leaves nothing of it anywhere, and everything else as it was', async () => {
    const receiver = await RecordingTarget.start((response, { path = '' }) =>
      path === '/echo' ? response.writeHead(400).end(`no ${NAME}`) : response.writeHead(200).end(),
    );
    const base = new URL(receiver.url).origin;
    const hub = await Switchboard.start({ environment: await engine.environment() });
    try {
      const echo = await hub.addTarget('echo', `${base}/echo`, ['contact.*'], { policy: NO_RETRIES });
      const paused = await hub.addTarget('paused', `${base}/paused`, ['*'], {
        policy: { ordering: 'entity' },
      });
      await post(hub, `/targets/${paused.id}/pause`, { reason: 'later' });
      const kept = await hub.emit('deal.updated', { id: 1, name: 'Kept' });
      const other = await hub.emit('task.updated', { id: 5, contact_id: 7741909, note: NOTE });
      const signed = hub.sign('contact.updated', { id: 7741909, name: NAME });
      const first = ((await hub.notify(signed, { headers: [['x-person', HEADER]] })).json as { id: string })
        .id;
      await hub.notify(signed);
      const second = await hub.emit('contact.updated', { id: 7741909, name: `${NAME} II` });
      await hub.deliveryOnce(first, echo.id, ({ state }) => state === 'dead');
      await hub.deliveryOnce(second, echo.id, ({ state }) => state === 'dead');
      await post(hub, `/events/${first}/resend`, { body: { edited: EDITED }, target_ids: [paused.id] });
      const filter = { q: 'Vorthbakk' };
      const { id: replay } = (await post(hub, '/replays', { filter, target_ids: [paused.id] })).json as {
        id: string;
      };
      await until('the replay has created its deliveries', async () => {
        const { deliveries } = (await hub.ask(`/replays/${replay}`)).json as { deliveries: number };
        return deliveries === 2;
      });
      await post(hub, '/saved-views', { name: 'a view', address: '/events?q=Vorthbakk', pinned: false });
      await until('the search finds it', async () => {
        const { data } = (await hub.ask('/events?q=Vorthbakk')).json as Page<unknown>;
        return data.length === 2;
      });
      if (name === 'SQLite')
        await until('the text index has it', async () => trigramsOf(hub.dataDir).includes('wyz'));
      if (name === 'PostgreSQL') {
        await runSql(url, 'ANALYZE');
        expect(await statistics()).toContain(NAME);
      }
      const before = await shown(hub);
      for (const canary of [NAME, HEADER, NOTE]) expect(before).toContain(canary);

      const selection = { entity: ENTITY, mentions: { 'data.contact_id': 7741909 } };
      const preview = await hub.read(erasurePreview, '/erasures/preview', {
        method: 'POST',
        json: selection,
      });
      expect(preview).toMatchObject({ events: 2, mentioned: { events: 1, samples: [{ id: other }] } });
      const hashes = await engine.query(hub.dataDir, HASHES);
      const input = { ...selection, reason: 'asked to be forgotten', until_seq: preview.until_seq };
      const { id } = await hub.read(erasure, '/erasures', { method: 'POST', json: input });
      const erased = await untilState(hub, id, 'cleaning');
      expect(erased).toMatchObject({ events: 3, entity: ENTITY });
      // And those of the replay, if its own cancellation has not come first.
      expect(erased.cancelled).toBeGreaterThanOrEqual(6);

      const event = await hub.read(eventDetail, `/events/${first}`);
      expect(event).toMatchObject({ entity: null, name: null, headers: [], erased_at: expect.any(String) });
      expect(event.size_bytes).toBe(signed.body.length);
      expect(event.deliveries.map(({ state }) => state)).toEqual(expect.arrayContaining(['cancelled']));
      expect(await hub.ask(`/events/${first}/body`)).toMatchObject({
        status: 410,
        json: { code: 'event_erased' },
      });
      expect(await post(hub, `/events/${first}/replay`, {})).toMatchObject({ status: 410 });
      expect((await hub.ask(`/events/${first}/explain`)).text).toContain('was erased');
      for (const query of ['q=Vorthbakk', `entity=${ENTITY}`, 'payload={"data.name":{"$ne":1}}']) {
        const { data } = (await hub.ask(`/events?${query}`)).json as Page<{ id: string }>;
        expect(data.map((one) => one.id)).not.toContain(first);
      }
      expect(await hub.ask(`/entities/${encodeURIComponent(ENTITY)}`)).toMatchObject({ status: 404 });
      expect((await hub.ask(`/events/${kept}/body`)).text).toContain('Kept');

      // As if it had been in flight at another daemon.
      await engine.query(hub.dataDir, `UPDATE attempts SET excerpt = '${NOTE}'`);
      // What daemons tell each other is removed after a minute.
      if (name === 'PostgreSQL') await runSql(url, 'DELETE FROM commits');
      hub.clock.move(3_600_000);
      await untilState(hub, id, 'done');
      const after = await shown(hub);
      for (const canary of CANARIES) expect(after).not.toContain(canary);
      await assertBalanced({ url: hub.origin, token: hub.adminToken });
      await hub.stop();
      const stored = await engine.stored(hub.dataDir);
      for (const canary of CANARIES) expect(stored).not.toContain(canary);
      expect(stored).not.toContain(Buffer.from(NAME).toString('hex'));
      expect(hashes).toHaveLength(2);
      for (const { hash } of hashes as { hash: Buffer }[])
        for (const form of ['latin1', 'hex'] as const) expect(stored).not.toContain(hash.toString(form));
      if (name === 'SQLite') expect(trigramsOf(hub.dataDir)).not.toContain('wyz');
    } finally {
      await receiver.close();
      await hub.end();
    }
  });
});

describe.each(Object.keys(ENGINES))('a second erasure, on %s,', (name) => {
  const engine = ENGINES[name]!;

  it('leaves no alert and no event that quotes the response that an earlier one has removed', async () => {
    const receiver = await RecordingTarget.start((response) => response.writeHead(400).end(NOTE));
    const hub = await Switchboard.start({ environment: await engine.environment() });
    try {
      const echo = await hub.addTarget('echo', receiver.url, ['contact.*'], { policy: NO_RETRIES });
      const sentence = `echo is failing. Its response: “${NOTE}”.`;
      const ids: string[] = [];
      for (const contact of [1, 2]) {
        const failed = await hub.emit('contact.updated', { id: contact });
        await hub.deliveryOnce(failed, echo.id, ({ state }) => state === 'dead');
        // As the daemon tells of it.
        const told = await hub.emit('relay.target.failing', { sentence, excerpt: NOTE });
        const data = JSON.stringify({ excerpt: NOTE });
        const alert = `alr_${'0'.repeat(25)}${contact}`;
        await engine.query(
          hub.dataDir,
          `INSERT INTO alerts(id, type, subject, severity, sentence, remedy, data, count, since, last_at,
             resolved_at, events_published, published_at, published_count, published_state)
           VALUES ('${alert}', 'relay.target.failing', '', 'warning', '${sentence}', '', '${data}', 1, 1, 1,
             ${contact}, 1, 1, 1, 'resolved')`,
        );
        if (name === 'SQLite')
          await until('the text index has it', async () => trigramsOf(hub.dataDir).includes('ggh'));
        const json = { entity: `contact:${contact}`, until_seq: 1_000, reason: 'asked' };
        const { id } = await hub.read(erasure, '/erasures', { method: 'POST', json });
        await untilState(hub, id, 'cleaning');
        expect((await hub.ask(`/events/${told}/body`)).text).toContain('echo is failing.');
        expect((await hub.ask(`/events/${told}/body`)).text).not.toContain(NOTE);
        const alerts = (await hub.ask('/alerts?state=resolved')).text;
        expect(alerts).toContain(alert);
        expect(alerts).not.toContain(NOTE);
        ids.push(id);
      }
      if (name !== 'SQLite') return;
      hub.clock.move(3_600_000);
      for (const id of ids) await untilState(hub, id, 'done');
      expect(trigramsOf(hub.dataDir)).not.toContain('ggh');
    } finally {
      await receiver.close();
      await hub.end();
    }
  });
});

/** All that the text index has. */
function trigramsOf(dataDir: string): string[] {
  const file = join(dataDir, 'switchboard-search.db');
  if (!existsSync(file)) return [];
  const connection = new sqliteDriver(file);
  try {
    if (connection.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'event_text'`).get() === undefined)
      return [];
    connection.exec(`CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, 'event_text', 'row')`);
    return connection.prepare<[], string>('SELECT term FROM temp.terms').pluck().all();
  } finally {
    connection.close();
  }
}
