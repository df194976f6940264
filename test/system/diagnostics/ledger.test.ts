import { ledger, type LedgerRule } from '../../../src/contract/ledger';
import { target } from '../../../src/contract/target';
import { sqliteDriver } from '../../../src/relay/database/sqlite-driver';
import { outsideGlobal } from '../../support/outside';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

let board: Switchboard;
let taking: RecordingTarget;
let failing: RecordingTarget;
let takingId: string;
/** Its targets' numbers: one takes, one fails in lanes. */
let takes: number;
let fails: number;
/** The `seq`s of their events, of two deals in turn; events of our own may come between. */
let seqs: number[];

const check = () => board.read(ledger, '/ledger', { method: 'POST' });

/** Damage as a fault of ours would do it, beside the writer. */
function alter(sql: string): void {
  const connection = new sqliteDriver(`${board.dataDir}/switchboard.db`);
  try {
    connection.pragma('busy_timeout = 5000');
    connection.exec(sql);
  } finally {
    connection.close();
  }
}

function number(name: string): number {
  const connection = new sqliteDriver(`${board.dataDir}/switchboard.db`, { readonly: true });
  try {
    return connection
      .prepare<[string], { number: number }>('SELECT number FROM targets WHERE name = ?')
      .get(name)!.number;
  } finally {
    connection.close();
  }
}

beforeAll(async () => {
  board = await Switchboard.start();
  taking = await RecordingTarget.start();
  failing = await RecordingTarget.start(404);
  ({ id: takingId } = await board.addTarget('takes', taking.url, ['deal.*']));
  const { id } = await board.addTarget('fails', failing.url, ['deal.*'], {
    policy: { ordering: 'entity', duplicates: 'deliver' },
  });
  const events: string[] = [];
  for (let i = 0; i < 8; i += 1) events.push(await board.emit('deal.updated', { id: (i % 2) + 1 }));
  await until('all of it', () => taking.hits.length === 8);
  await board.deliveryOnce(events[0]!, id, ({ attempt_count }) => attempt_count === 1);
  // The failing one is left as it is, with a retry due and what waits behind it.
  await board.ask(`/targets/${id}/pause`, { method: 'POST' });
  seqs = (await Promise.all(events.map((event) => board.event(event)))).map(({ seq }) => seq);
  takes = number('takes');
  fails = number('fails');
});

afterAll(async () => {
  await board.end();
  await Promise.all([taking.close(), failing.close()]);
});

const row = () => `event_seq = ${seqs[4]} AND target_id = ${takes}`;
const stuck = async () => (await check()).findings.filter(({ rule }) => rule === 'delivery_stuck');
const shown = () => board.read(target, `/targets/${takingId}`);
const change = (json: object) => board.ask(`/targets/${takingId}`, { method: 'PATCH', json });

describe('the books of a daemon that runs', () => {
  it('balance, whatever is open', async () => {
    expect(await check()).toMatchObject({
      balanced: true,
      checked: { deliveries: 16, lanes: 2 },
      found: 0,
      findings: [],
    });
  });

  const ALL = 'event_seq, target_id, n';
  const damages: [LedgerRule, string, () => string, () => string, RegExp][] = [
    [
      'event_unplanned',
      'a delivery that vanished',
      () => `CREATE TABLE kept AS SELECT * FROM deliveries WHERE event_seq = ${seqs[6]} AND target_id = ${fails};
             DELETE FROM deliveries WHERE event_seq = ${seqs[6]} AND target_id = ${fails}`,
      () => `INSERT INTO deliveries SELECT * FROM kept; DROP TABLE kept`,
      /^Event \d+ \(evt_\w{26}\): accepted by 2 targets, 1 live delivery there\.$/,
    ],
    [
      'delivery_state',
      'one that is done and due',
      () =>
        `UPDATE deliveries SET due_at = 1, class = 7 WHERE event_seq = ${seqs[4]} AND target_id = ${takes}`,
      () =>
        `UPDATE deliveries SET due_at = NULL, class = 0 WHERE event_seq = ${seqs[4]} AND target_id = ${takes}`,
      /^Delivery 0 of event \d+ to "takes" \(dlv_\w{26}\) is inconsistent: it is succeeded, with a due time, settled/,
    ],
    [
      'delivery_state',
      'one of no known state',
      () => `UPDATE deliveries SET state = 'lost' WHERE event_seq = ${seqs[4]} AND target_id = ${takes}`,
      () => `UPDATE deliveries SET state = 'succeeded' WHERE event_seq = ${seqs[4]} AND target_id = ${takes}`,
      /it is lost/,
    ],
    [
      'delivery_attempts',
      'an attempt that is not counted',
      () => `INSERT INTO attempts(${ALL}, number, at, duration_ms) VALUES (${seqs[4]}, ${takes}, 0, 2, 1, 1)`,
      () => `DELETE FROM attempts WHERE event_seq = ${seqs[4]} AND target_id = ${takes} AND number = 2`,
      /^Delivery 0 of event \d+ to "takes" \(dlv_\w{26}\) counts 1 attempt, but 2 are stored, the last with number 2\.$/,
    ],
    [
      'attempt_orphan',
      'an attempt of no delivery',
      () => `INSERT INTO attempts(${ALL}, number, at, duration_ms) VALUES (${seqs[4]}, ${takes}, 7, 1, 1, 1)`,
      () => `DELETE FROM attempts WHERE n = 7`,
      /^Attempt 1 of delivery 7 of event \d+ to "takes" has no delivery\.$/,
    ],
    [
      'delivery_orphan',
      'a delivery of no event',
      () =>
        `INSERT INTO deliveries(${ALL}, state, "trigger", created_at, settled_at) VALUES (99, ${takes}, 1, 'cancelled', 'manual', 1, 1)`,
      () => `DELETE FROM deliveries WHERE event_seq = 99`,
      /^Delivery 1 of event 99 to "takes" \(dlv_\w{26}\) has no event any more\.$/,
    ],
    [
      'delivery_orphan',
      'a delivery to no target',
      () =>
        `INSERT INTO deliveries(${ALL}, state, "trigger", created_at, settled_at) VALUES (${seqs[4]}, 999, 1, 'cancelled', 'manual', 1, 1)`,
      () => `DELETE FROM deliveries WHERE target_id = 999`,
      /^Delivery 1 of event \d+ to target 999 \(dlv_\w{26}\) has no target any more\.$/,
    ],
    [
      'duplicate_orphan',
      'a duplicate of no event',
      () => `INSERT INTO duplicates(event_seq, n, received_at) VALUES (99, 1, 1)`,
      () => `DELETE FROM duplicates WHERE event_seq = 99`,
      /^Duplicate 1 of event 99 has no event\.$/,
    ],
    [
      'identity_orphan',
      'an identity of no event',
      () => `INSERT INTO identities(minute, hash, seq) VALUES (5, x'aa', 99)`,
      () => `DELETE FROM identities WHERE minute = 5`,
      /^The identity of event 99 has no event\.$/,
    ],
    [
      'dead_letters',
      'a dead letter that is not there',
      () => `INSERT INTO dead_letters(target, standing) VALUES (${takes}, 1)`,
      () => `DELETE FROM dead_letters`,
      /^1 dead letters are counted for "takes", but 0 exist\.$/,
    ],
    [
      'lane_heads',
      'a lane in which all wait',
      () =>
        `UPDATE deliveries SET state = 'waiting', due_at = NULL WHERE event_seq = ${seqs[1]} AND target_id = ${fails}`,
      () =>
        `UPDATE deliveries SET state = 'retrying', due_at = 1 WHERE event_seq = ${seqs[1]} AND target_id = ${fails}`,
      /^Lane deal:2 of "fails" has 4 queued and none at its head, .* First delivery: Delivery 0 of event \d+ to "fails" /,
    ],
    [
      'lane_heads',
      'a lane with two heads',
      () =>
        `UPDATE deliveries SET state = 'pending', due_at = 1 WHERE event_seq = ${seqs[3]} AND target_id = ${fails}`,
      () =>
        `UPDATE deliveries SET state = 'waiting', due_at = NULL WHERE event_seq = ${seqs[3]} AND target_id = ${fails}`,
      /^Lane deal:2 of "fails" has 2 deliveries at its head/,
    ],
    [
      'lane_heads',
      'a lane whose head is not its first',
      () =>
        `UPDATE deliveries SET state = 'waiting', due_at = NULL WHERE event_seq = ${seqs[1]} AND target_id = ${fails};
         UPDATE deliveries SET state = 'pending', due_at = 1 WHERE event_seq = ${seqs[3]} AND target_id = ${fails}`,
      () =>
        `UPDATE deliveries SET state = 'retrying', due_at = 1 WHERE event_seq = ${seqs[1]} AND target_id = ${fails};
         UPDATE deliveries SET state = 'waiting', due_at = NULL WHERE event_seq = ${seqs[3]} AND target_id = ${fails}`,
      /^Lane deal:2 of "fails" has a delivery queued ahead of the one at its head/,
    ],
    [
      'delivery_attempts',
      'an attempt that is counted and not there',
      () => `UPDATE deliveries SET attempts = 2 WHERE event_seq = ${seqs[4]} AND target_id = ${takes}`,
      () => `UPDATE deliveries SET attempts = 1 WHERE event_seq = ${seqs[4]} AND target_id = ${takes}`,
      /counts 2 attempts, but 1 are stored, the last with number 1\.$/,
    ],
    [
      'delivery_attempts',
      'attempts that are numbered wrongly',
      () => `UPDATE attempts SET number = 4 WHERE event_seq = ${seqs[4]} AND target_id = ${takes}`,
      () => `UPDATE attempts SET number = 1 WHERE event_seq = ${seqs[4]} AND target_id = ${takes}`,
      /counts 1 attempt, but 1 are stored, the last with number 4\.$/,
    ],
  ];

  it.each(damages)('do not balance with %s: %s', async (rule, _, damage, repair, sentence) => {
    alter(damage());
    const found = await check();
    alter(repair());
    expect(found.balanced).toBe(false);
    expect(found.findings).toContainEqual(
      expect.objectContaining({ rule, sentence: expect.stringMatching(sentence) }),
    );
    expect(await check()).toMatchObject({ balanced: true });
  });

  it('do not balance with an event that vanished with all that was its', async () => {
    const of7 = ['deliveries', 'attempts', 'duplicates'].map(
      (table) => `CREATE TABLE kept_${table} AS SELECT * FROM ${table} WHERE event_seq = ${seqs[5]};
        DELETE FROM ${table} WHERE event_seq = ${seqs[5]};`,
    );
    alter(`${of7.join('\n')}
      CREATE TABLE kept_events AS SELECT * FROM events WHERE seq = ${seqs[5]}; DELETE FROM events WHERE seq = ${seqs[5]};`);
    const { findings } = await check();
    // What retention has removed is not missed, though its identity is remembered.
    alter(`UPDATE instance SET pruned_through = ${seqs[5]}`);
    const removed = await check();
    alter('UPDATE instance SET pruned_through = 0');
    alter(
      ['deliveries', 'attempts', 'duplicates', 'events']
        .map((table) => `INSERT INTO ${table} SELECT * FROM kept_${table}; DROP TABLE kept_${table};`)
        .join('\n'),
    );
    expect(findings).toContainEqual(
      expect.objectContaining({
        rule: 'event_missing',
        sentence: expect.stringMatching(
          new RegExp(
            `^Event ${seqs[5]} is missing although retention did not remove it: received between \\S+ and \\S+\\.$`,
          ),
        ),
      }),
    );
    expect(findings).toContainEqual(expect.objectContaining({ rule: 'identity_orphan' }));
    expect(removed).toMatchObject({ balanced: true });
    expect(await check()).toMatchObject({ balanced: true });
  });

  /** Due for long, and of a class that no queue takes from. */
  const STUCK = `state = 'pending', due_at = 1, settled_at = NULL, class = 7`;
  const BETWEEN_LOOKS_MS = 1_000;
  const THROUGH = `state = 'succeeded', due_at = NULL, settled_at = 1, class = 0`;

  it('do not balance with a delivery that is long due and goes nowhere', async () => {
    alter(`UPDATE deliveries SET ${STUCK} WHERE ${row()}`);
    const found = await stuck();
    alter(`UPDATE deliveries SET ${THROUGH} WHERE ${row()}`);
    expect(found.map(({ sentence }) => sentence)).toEqual([
      expect.stringMatching(
        new RegExp(
          `^Delivery 0 of event ${seqs[4]} to "takes" \\(dlv_\\w{26}\\) is long overdue, although nothing holds it back\\.$`,
        ),
      ),
    ]);
  });

  it('do not balance with a delivery that is due further off than any pause of its target', async () => {
    const inTwoDays = board.clock.now() + 2 * 86_400_000;
    alter(`UPDATE deliveries SET ${STUCK}, due_at = ${inTwoDays} WHERE ${row()}`);
    const found = await stuck();
    alter(`UPDATE deliveries SET ${THROUGH} WHERE ${row()}`);
    expect(found.map(({ sentence }) => sentence)).toEqual([
      expect.stringMatching(
        / to "takes" \(dlv_\w{26}\) is due later than any pause allows, although nothing holds it back\.$/,
      ),
    ]);
  });

  it('hold nothing for stuck that has moved at a second look', async () => {
    alter(`UPDATE deliveries SET ${STUCK} WHERE ${row()}`);
    let looks = 0;
    const schedule = outsideGlobal.setTimeout;
    const wait = jest
      .spyOn(outsideGlobal, 'setTimeout')
      .mockImplementation((work: () => void, ms?: number) => {
        if (ms === BETWEEN_LOOKS_MS && ++looks === 1)
          alter(`UPDATE deliveries SET ${THROUGH} WHERE ${row()}`);
        return schedule(work, ms);
      });
    try {
      expect(await stuck()).toEqual([]);
      expect(looks).toBe(1);
    } finally {
      wait.mockRestore();
      alter(`UPDATE deliveries SET ${THROUGH} WHERE ${row()}`);
    }
  });

  it('name fifty findings of a rule, and count the others', async () => {
    const many = Array.from({ length: 60 }, (_, i) => `(5, x'${(i + 16).toString(16)}', ${1_000_000 + i})`);
    alter(`INSERT INTO identities(minute, hash, seq) VALUES ${many.join(', ')};
      INSERT INTO duplicates(event_seq, n, received_at) VALUES (99, 1, 1)`);
    const { found, findings } = await check();
    alter('DELETE FROM identities WHERE minute = 5; DELETE FROM duplicates WHERE event_seq = 99');
    expect(found).toBe(61);
    expect(findings.filter(({ rule }) => rule === 'identity_orphan')).toHaveLength(50);
    expect(findings.filter(({ rule }) => rule === 'duplicate_orphan')).toHaveLength(1);
  });

  it('hold nothing for stuck that a pause, a rate by the minute, an open breaker or an attempt on its way holds up', async () => {
    alter(`UPDATE deliveries SET ${STUCK} WHERE ${row()}`);
    try {
      await board.ask(`/targets/${takingId}/pause`, { method: 'POST' });
      expect(await stuck()).toEqual([]);
      await board.ask(`/targets/${takingId}/resume`, { method: 'POST' });
      await change({ policy: { rate: { limit: 1, per: 'minute' } } });
      expect(await stuck()).toEqual([]);
      taking.answer(503);
      await change({ policy: { rate: null, breaker: { failures: 1, first_probe_s: 3_600, cap_s: 3_600 } } });
      await board.emit('deal.updated', { id: 8 });
      await until('its breaker is open', async () => (await shown()).breaker !== null);
      expect(await stuck()).toEqual([]);
      await change({ policy: { breaker: null } });
      taking.answer(() => undefined);
      const event = await board.emit('deal.updated', { id: 9 });
      await until('it hangs', () => taking.of(event).length === 1);
      expect(await stuck()).toEqual([]);
    } finally {
      alter(`UPDATE deliveries SET ${THROUGH} WHERE ${row()}`);
    }
  });
});
