// How long a text search through the API takes over all stored events, compared with a scan that reads every body. The
// text occurs in one event, in none, in all, or consists of two words. Arguments: events (200000), rounds (5).
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { connectedDaemon } from './harness/daemon.mjs';
import { median, spread } from './harness/figures.mjs';
import { scratchFolder } from './harness/processes.mjs';
import { storeEvents } from './harness/stored-events.mjs';

const EVENTS = Number(process.argv[2] ?? 200_000);
const ROUNDS = Number(process.argv[3] ?? 5);
const INDEX_TIMEOUT_MS = 1_800_000;
/** The index must be this many times as fast as the scan if at most one event matches. */
const MIN_SPEEDUP = 50;
/** Of the names of events. */
const WORDS = [
  'Anna',
  'Berg',
  'Contract',
  'Delta',
  'Ernst',
  'Fjord',
  'Gamma',
  'Huber',
  'Invoice',
  'Jakob',
  'Krone',
];
/** SQL for a word that depends on the event's number `i`, so that neighbouring events have different words. */
const wordSql = (factor) =>
  `CASE (i * ${factor} / 7) % ${WORDS.length} ${WORDS.map((text, n) => `WHEN ${n} THEN '${text}'`).join(' ')} END`;
const NAME_SQL = `${wordSql(3)} || ' ' || ${wordSql(11)} || ' ' || (i * 7919 % 1000003) || ' ' || hex(randomblob(100))`;

const daemon = await connectedDaemon(0, scratchFolder());
let folder;
await daemon.restart((dataDir) => {
  folder = dataDir;
  storeEvents(dataDir, EVENTS, NAME_SQL);
});
const startedAt = performance.now();
const database = new Sqlite(join(folder, 'switchboard.db'), { readonly: true });
const indexed = () => {
  try {
    const index = new Sqlite(join(folder, 'switchboard-search.db'), { readonly: true });
    const { through, bytes } = index
      .prepare(
        'SELECT through, (SELECT (page_count - freelist_count) * page_size FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()) AS bytes FROM state',
      )
      .get();
    index.close();
    return { through, bytes };
  } catch {
    return { through: 0, bytes: 0 };
  }
};
// Events written without the daemon are indexed after its next start, which `restart` has done.
while (indexed().through < EVENTS) {
  if (performance.now() - startedAt > INDEX_TIMEOUT_MS)
    throw new Error(`${indexed().through} events indexed.`);
  await new Promise((resolve) => setTimeout(resolve, 250));
}
const seconds = (performance.now() - startedAt) / 1_000;
console.log(
  `${EVENTS} events indexed in ${seconds.toFixed(0)} s (${((seconds * 1e6) / EVENTS).toFixed(0)} µs each), ${(indexed().bytes / EVENTS).toFixed(0)} bytes each`,
);

const scan = database.prepare(
  // As many as the API reads: a page of 50 and one more.
  `SELECT seq FROM events WHERE lower(CAST(body AS TEXT)) LIKE ? ORDER BY seq DESC LIMIT 51`,
);
const someNumber = Math.floor(EVENTS / 3);
const queries = [
  ['one event', `stored ${someNumber}"`],
  ['none', `stored ${someNumber} nowhere`],
  ['all', 'deal.updated'],
  ['two words', 'huber invoice'],
];
for (const [name, text] of queries) {
  const times = { index: [], scan: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const at = performance.now();
    const { data } = await daemon.api('GET', `/events?q=${encodeURIComponent(text)}`);
    times.index.push(performance.now() - at);
    const scanAt = performance.now();
    const rows = scan.all(`%${text}%`);
    times.scan.push(performance.now() - scanAt);
    const found = data.map(({ seq }) => seq).join();
    const firstPage = rows.slice(0, 50);
    if (found !== firstPage.map(({ seq }) => seq).join())
      throw new Error(`${text}: index and scan found different events.`);
  }
  const ratio = median(times.scan) / median(times.index);
  console.log(
    `${name.padEnd(10)} index ${spread(times.index, 1)} ms, scan ${spread(times.scan, 1)} ms: ${ratio.toFixed(1)} × as fast`,
  );
  if (name === 'none' || name === 'one event') if (ratio < MIN_SPEEDUP) process.exitCode = 1;
}
database.close();
await daemon.close();
