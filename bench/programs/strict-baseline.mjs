// The lower bound for strict order: one request to a receiver, then one synced commit, then the next request. Run by
// strict-order.mjs. Arguments: the receiver's URL, a database file, the number of requests. Prints the durations in ms.
import Sqlite from 'better-sqlite3';
import { Pool } from 'undici';

const [address, file, count] = process.argv.slice(2);
const { origin, pathname } = new URL(address);
const pool = new Pool(origin, { connections: 1 });
const connection = new Sqlite(file);
connection.pragma('journal_mode = WAL');
connection.pragma('synchronous = FULL');
connection.exec('CREATE TABLE IF NOT EXISTS results(number INTEGER PRIMARY KEY, at INTEGER, status INTEGER)');
const store = connection.prepare('INSERT INTO results(at, status) VALUES (?, ?)');
// Fills the write-ahead log first, so that it need not grow, as in a daemon that has run for a while.
connection.pragma('wal_autocheckpoint = 0');
for (let i = 0; i < Number(count); i += 1) store.run(0, 0);
connection.pragma('wal_checkpoint(RESTART)');

const roundTrips = [];
const commits = [];
for (let i = 0; i < Number(count); i += 1) {
  const body = JSON.stringify({
    event: 'deal.updated',
    data: { nonce: `baseline ${i}`, name: 'x'.repeat(300) },
  });
  const startedAt = performance.now();
  const response = await pool.request({ path: pathname, method: 'POST', body });
  await response.body.dump();
  const respondedAt = performance.now();
  store.run(Date.now(), response.statusCode);
  roundTrips.push(respondedAt - startedAt);
  commits.push(performance.now() - respondedAt);
}
console.log(JSON.stringify({ roundTrips, commits }));
connection.close();
await pool.close();
