// What strict order cannot be faster than: one request to a receiver, then one synced commit, and the next. Run by
// strict-order.mjs. Arguments: the receiver's address, a database file, how many. Prints how long each took,
// in ms.
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
// As in a daemon that has run for a while, the log need not grow.
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
  const began = performance.now();
  const answer = await pool.request({ path: pathname, method: 'POST', body });
  await answer.body.dump();
  const answered = performance.now();
  store.run(Date.now(), answer.statusCode);
  roundTrips.push(answered - began);
  commits.push(performance.now() - answered);
}
console.log(JSON.stringify({ roundTrips, commits }));
connection.close();
await pool.close();
