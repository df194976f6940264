// How long a text is searched for in all stored events, over the API, against the scan that reads every body: for a text that one
// event has, that none has, and that all have. Arguments: events (200000), rounds (5).
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { connectedDaemon } from './connected-daemon.mjs';
import { median, spread } from './figures.mjs';
import { scratchFolder } from './processes.mjs';
import { storeEvents } from './stored-deliveries.mjs';

const EVENTS = Number(process.argv[2] ?? 200_000);
const ROUNDS = Number(process.argv[3] ?? 5);
const GIVE_UP_MS = 1_800_000;
const WANTED = 50;
/** As many words as names have, made of the number so that neighbours differ. */
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
const word = (factor) =>
  `CASE (i * ${factor} / 7) % ${WORDS.length} ${WORDS.map((text, n) => `WHEN ${n} THEN '${text}'`).join(' ')} END`;
const NAME = `${word(3)} || ' ' || ${word(11)} || ' ' || (i * 7919 % 1000003) || ' ' || hex(randomblob(100))`;

const daemon = await connectedDaemon(0, scratchFolder());
let folder;
await daemon.restart((dataDir) => {
  folder = dataDir;
  storeEvents(dataDir, EVENTS, { name: NAME });
});
const began = performance.now();
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
// Nothing asks it to catch up but what is stored; the daemon's own start does, once.
while (indexed().through < EVENTS) {
  if (performance.now() - began > GIVE_UP_MS) throw new Error(`${indexed().through} events indexed.`);
  await new Promise((resolve) => setTimeout(resolve, 250));
}
const seconds = (performance.now() - began) / 1_000;
console.log(
  `${EVENTS} events indexed in ${seconds.toFixed(0)} s (${((seconds * 1e6) / EVENTS).toFixed(0)} µs each), ${(indexed().bytes / EVENTS).toFixed(0)} bytes each`,
);

const scan = database.prepare(
  `SELECT seq FROM events WHERE lower(CAST(body AS TEXT)) LIKE ? ORDER BY seq DESC LIMIT 51`,
);
const some = Math.floor(EVENTS / 3);
const queries = [
  ['one event', `stored ${some}"`],
  ['none', `stored ${some} nowhere`],
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
    if (
      found !==
      rows
        .slice(0, 50)
        .map(({ seq }) => seq)
        .join()
    )
      throw new Error(`${text}: another answer.`);
  }
  const ratio = median(times.scan) / median(times.index);
  console.log(
    `${name.padEnd(10)} index ${spread(times.index, 1)} ms, scan ${spread(times.scan, 1)} ms: ${ratio.toFixed(1)} × as fast`,
  );
  if (name === 'none' || name === 'one event') if (ratio < WANTED) process.exitCode = 1;
}
database.close();
await daemon.close();
