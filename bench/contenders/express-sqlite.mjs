// Express and SQLite: one synced commit per notification with its deliveries, one per result.
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { CONCURRENCY, dataFolder, deliver, isGenuine, load, ready, targets } from './webhooks.mjs';

const [{ default: express }] = await load('express');
const database = new Sqlite(join(dataFolder, 'relay.db'));
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.exec(`
  CREATE TABLE events(id INTEGER PRIMARY KEY, received_at INTEGER NOT NULL, body BLOB NOT NULL);
  CREATE TABLE deliveries(id INTEGER PRIMARY KEY, event_id INTEGER NOT NULL, target INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'queued', attempts INTEGER NOT NULL DEFAULT 0);
  CREATE INDEX deliveries_queued ON deliveries(id) WHERE state = 'queued';
`);
const insertEvent = database.prepare('INSERT INTO events(received_at, body) VALUES (?, ?)');
const insertDelivery = database.prepare('INSERT INTO deliveries(event_id, target) VALUES (?, ?)');
const update = database.prepare('UPDATE deliveries SET state = ?, attempts = attempts + 1 WHERE id = ?');
const store = database.transaction((body) => {
  const event = insertEvent.run(Date.now(), body).lastInsertRowid;
  return targets.map((target) => ({ id: insertDelivery.run(event, target).lastInsertRowid, event, target }));
});

const queue = [];
let sending = 0;
const app = express();
app.post('/hook', express.raw({ type: '*/*' }), (request, response) => {
  if (!isGenuine(request.body, request.get('x-signature'))) {
    response.sendStatus(401);
    return;
  }
  for (const delivery of store(request.body)) queue.push({ ...delivery, body: request.body });
  response.sendStatus(200);
  sendQueued();
});
const server = app.listen(0, '127.0.0.1', () =>
  ready(server.address().port, [
    'Express 5, better-sqlite3 (WAL, synchronous FULL)',
    'a commit per notification and per result',
    `${CONCURRENCY} requests at once`,
  ]),
);

function sendQueued() {
  while (sending < CONCURRENCY && queue.length > 0) {
    sending += 1;
    void send(queue.shift());
  }
}

async function send({ id, event, target, body }) {
  try {
    await deliver(target, `event_${event}`, body);
    update.run('delivered', id);
  } catch {
    update.run('failed', id);
  }
  sending -= 1;
  sendQueued();
}
