// Whether everything that was sent is accounted for. A run whose ledger does not balance is void.
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';

/**
 * Ends the process with an error if something is missing or there twice: sent = acknowledged = stored; delivered +
 * queued = planned; and the daemon's own consistency check.
 * @param received how many deliveries arrived at the targets, once each; undefined: not counted
 * @param read runs SQL that counts; by default on the SQLite file
 */
export async function checkLedger(daemon, { sent, acknowledged, received }, read = readFrom(daemon)) {
  const counts = { sent, acknowledged, received, ...(await countRows(read)) };
  const { balanced, findings } = await daemon.api('POST', '/ledger');
  const wrong = imbalances({ ...counts, balanced });
  if (wrong.length > 0) {
    console.error(`This run is void: ${wrong.join('; ')}.`);
    for (const { sentence } of findings ?? []) console.error(sentence);
    process.exit(1);
  }
  return counts;
}

/** What does not balance, as sentences. */
function imbalances({ sent, acknowledged, stored, planned, delivered, queued, received, balanced }) {
  return [
    sent !== acknowledged && `${sent} were sent, but ${acknowledged} acknowledged`,
    acknowledged !== stored && `${acknowledged} were acknowledged, but ${stored} stored`,
    delivered + queued !== planned &&
      `${planned} deliveries were planned, but ${delivered} delivered and ${queued} queued`,
    received !== undefined &&
      received !== delivered &&
      `${delivered} deliveries were recorded, but ${received} received`,
    balanced !== true && 'the consistency check found violations',
  ].filter(Boolean);
}

/** Events that a benchmark wrote itself have the signature 00; they were not sent, but their deliveries count. */
async function countRows(read) {
  const count = async (sql) => Number((await read(sql))[0].count ?? 0);
  return {
    stored: await count(
      `SELECT count(*) AS count FROM events WHERE type NOT LIKE 'relay.%' AND signature_value <> '00'`,
    ),
    planned: await count('SELECT sum(planned) AS count FROM events'),
    delivered: await count(`SELECT count(*) AS count FROM deliveries WHERE state = 'succeeded'`),
    queued: await count(
      `SELECT count(*) AS count FROM deliveries WHERE state IN ('pending', 'waiting', 'retrying')`,
    ),
  };
}

const readFrom =
  ({ dataDir }) =>
  (sql) => {
    const connection = new Sqlite(join(dataDir, 'switchboard.db'), { readonly: true });
    try {
      return connection.prepare(sql).all();
    } finally {
      connection.close();
    }
  };
