// Pages of the list of events through the API, on SQLite and on PostgreSQL, with the same stored events. The CPU is that of the
// daemon, and on PostgreSQL of its server. Arguments: events (1000000), rounds (5).
import { randomBytes } from 'node:crypto';
import { connectedDaemon } from './harness/daemon.mjs';
import { alternate } from './harness/figures.mjs';
import { startPostgres } from './harness/postgres.mjs';
import { SERVER_CORE, cpuMicroseconds, quiet, scratchFolder } from './harness/processes.mjs';
import { report } from './harness/report.mjs';
import { skipTextIndex, storeEvents, storeEventsOnServer } from './harness/stored-events.mjs';

const [events = 1_000_000, rounds = 5] = process.argv.slice(2).map(Number);
/** One event in so many has it. */
const RARE = 10_000;
const type = `CASE i % ${RARE} WHEN 0 THEN 'contact.created' ELSE 'deal.updated' END`;
const payload = encodeURIComponent(JSON.stringify({ 'data.id': Math.floor(events / 2) }));
/** Only PostgreSQL searches without an index; `text-search` measures SQLite's. */
const WITHOUT_INDEX = 'a text';
const QUERIES = {
  'the newest': 'limit=50',
  'a rare type': 'type=contact.created&limit=50',
  'one entity': `entity=deal:${Math.floor(events / 3)}&limit=50`,
  'a payload filter': `payload=${payload}&limit=50`,
  [WITHOUT_INDEX]: `q=${encodeURIComponent(`stored ${Math.floor(events / 2)}"`)}&limit=50`,
};

const folder = scratchFolder();
const postgres = await startPostgres(SERVER_CORE, folder);
const sqlite = await connectedDaemon(SERVER_CORE, folder);
const onServer = await connectedDaemon(SERVER_CORE, folder, {
  settings: {
    DATABASE_URL: postgres.url,
    SWITCHBOARD_SECRET_KEY: randomBytes(32).toString('base64'),
    SWITCHBOARD_ADMIN_TOKEN: randomBytes(32).toString('hex'),
  },
});
// Until there is a text index to skip.
await quiet(sqlite.pid);
await sqlite.restart((dataDir) => {
  storeEvents(dataDir, events, { type });
  skipTextIndex(dataDir);
});
await storeEventsOnServer(postgres, events, { type });
for (const { pid } of [sqlite, onServer]) await quiet(pid);
const SIDES = {
  SQLite: { daemon: sqlite, cpu: () => cpuMicroseconds(sqlite.pid) },
  PostgreSQL: { daemon: onServer, cpu: () => cpuMicroseconds(onServer.pid) + postgres.cpu() },
};

const measured = [];
for (const [name, query] of Object.entries(QUERIES)) {
  const sides = Object.entries(SIDES)
    .filter(([side]) => side === 'PostgreSQL' || name !== WITHOUT_INDEX)
    .map(([side, parts]) => [side, () => measure(parts, query)]);
  measured.push({ name, results: await alternate(rounds, Object.fromEntries(sides)) });
}
for (const { daemon } of Object.values(SIDES)) await daemon.close();
await postgres.stop();

const rowsOf = (unit, figure) =>
  measured.flatMap(({ name, results }) =>
    Object.keys(results[0]).map((side) => ({
      name: `${name}, ${side}`,
      unit,
      digits: 1,
      values: results.map((round) => round[side][figure]),
    })),
  );
report({
  settings: { events, rounds },
  rows: [...rowsOf('ms', 'ms'), ...rowsOf('ms CPU', 'cpu')],
  notes: measured.map(({ name, results: [first] }) => {
    const found = Object.entries(first).map(([side, page]) => `${page.found} on page ${page.pages}, ${side}`);
    return `${name}: found ${found.join('; ')}`;
  }),
});

/** Reads pages until one has an event, or nothing is left. */
async function measure({ daemon, cpu }, query) {
  const before = cpu();
  const startedAt = performance.now();
  let found = 0;
  let pages = 0;
  for (let cursor = null; found === 0 && (pages === 0 || cursor !== null); pages += 1) {
    const page = await daemon.api('GET', `/events?${query}${cursor === null ? '' : `&cursor=${cursor}`}`);
    found = page.data.length;
    cursor = page.next_cursor;
  }
  return { ms: performance.now() - startedAt, cpu: (cpu() - before) / 1_000, found, pages };
}
