import { type LedgerRule } from '../../../src/contract/ledger';
import { acceptingNumber, alter, check, failingNumber, seqs, useCheckedHub } from './checked-hub';

useCheckedHub();

const insertState = (origin: string) =>
  `INSERT INTO entity_floor(entity, seq, received_at, type, origin, body) VALUES ('deal:${origin}', 99, 1, 'deal.updated', '${origin}', '{}')`;

const insertSchema = (schema: string) =>
  `INSERT INTO payload_schemas(type, schema) VALUES ('x', '${schema}')`;

describe('the consistency check of a running daemon', () => {
  it('finds nothing wrong with queued deliveries', async () => {
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
      'a missing delivery',
      () => `CREATE TABLE kept AS SELECT * FROM deliveries WHERE event_seq = ${seqs[6]} AND target_id = ${failingNumber};
             DELETE FROM deliveries WHERE event_seq = ${seqs[6]} AND target_id = ${failingNumber}`,
      () => `INSERT INTO deliveries SELECT * FROM kept; DROP TABLE kept`,
      /^Event \d+ \(evt_\w{26}\): accepted by 2 targets, 1 live delivery there\.$/,
    ],
    [
      'delivery_state',
      'a delivery that is both finished and due',
      () =>
        `UPDATE deliveries SET due_at = 1, class = 7 WHERE event_seq = ${seqs[4]} AND target_id = ${acceptingNumber}`,
      () =>
        `UPDATE deliveries SET due_at = NULL, class = 0 WHERE event_seq = ${seqs[4]} AND target_id = ${acceptingNumber}`,
      /^Delivery 0 of event \d+ to "takes" \(dlv_\w{26}\) is inconsistent: it is succeeded, with a due time, finished/,
    ],
    [
      'delivery_state',
      'a delivery with an unknown state',
      () =>
        `UPDATE deliveries SET state = 'lost' WHERE event_seq = ${seqs[4]} AND target_id = ${acceptingNumber}`,
      () =>
        `UPDATE deliveries SET state = 'succeeded' WHERE event_seq = ${seqs[4]} AND target_id = ${acceptingNumber}`,
      /it is lost/,
    ],
    [
      'delivery_attempts',
      'an attempt that is not counted',
      () =>
        `INSERT INTO attempts(${ALL}, number, at, duration_ms) VALUES (${seqs[4]}, ${acceptingNumber}, 0, 2, 1, 1)`,
      () =>
        `DELETE FROM attempts WHERE event_seq = ${seqs[4]} AND target_id = ${acceptingNumber} AND number = 2`,
      /^Delivery 0 of event \d+ to "takes" \(dlv_\w{26}\) counts 1 attempt, but 2 are stored, the last with number 2\.$/,
    ],
    [
      'attempt_orphan',
      'an attempt without a delivery',
      () =>
        `INSERT INTO attempts(${ALL}, number, at, duration_ms) VALUES (${seqs[4]}, ${acceptingNumber}, 7, 1, 1, 1)`,
      () => `DELETE FROM attempts WHERE n = 7`,
      /^Attempt 1 of delivery 7 of event \d+ to "takes" has no delivery\.$/,
    ],
    [
      'delivery_orphan',
      'a delivery without an event',
      () =>
        `INSERT INTO deliveries(${ALL}, state, "trigger", created_at, finished_at) VALUES (99, ${acceptingNumber}, 1, 'cancelled', 'manual', 1, 1)`,
      () => `DELETE FROM deliveries WHERE event_seq = 99`,
      /^Delivery 1 of event 99 to "takes" \(dlv_\w{26}\) has no event any more\.$/,
    ],
    [
      'delivery_orphan',
      'a delivery without a target',
      () =>
        `INSERT INTO deliveries(${ALL}, state, "trigger", created_at, finished_at) VALUES (${seqs[4]}, 999, 1, 'cancelled', 'manual', 1, 1)`,
      () => `DELETE FROM deliveries WHERE target_id = 999`,
      /^Delivery 1 of event \d+ to target 999 \(dlv_\w{26}\) has no target any more\.$/,
    ],
    [
      'duplicate_orphan',
      'a duplicate without an event',
      () => `INSERT INTO duplicates(event_seq, n, received_at) VALUES (99, 1, 1)`,
      () => `DELETE FROM duplicates WHERE event_seq = 99`,
      /^Duplicate 1 of event 99 has no event\.$/,
    ],
    [
      'identity_orphan',
      'an identity without an event',
      () => `INSERT INTO identities(minute, hash, seq) VALUES (5, 'aa', 99)`,
      () => `DELETE FROM identities WHERE minute = 5`,
      /^The identity of event 99 has no event\.$/,
    ],
    [
      'identity_orphan',
      'a recent identity without an event',
      () => `INSERT INTO recent_identities(minute, hash, seq) VALUES (5, 'aa', 99)`,
      () => `DELETE FROM recent_identities WHERE minute = 5`,
      /^The identity of event 99 has no event\.$/,
    ],
    [
      'payload_schemas',
      'schemas that count events that are not stored',
      () => `INSERT INTO schema_position(id, seq) VALUES (2, 999)`,
      () => `DELETE FROM schema_position WHERE id = 2`,
      /^Schemas count events through 999, but the newest is \d+\.$/,
    ],
    [
      'payload_schemas',
      'a schema of more events than there were',
      () => insertSchema('{"events":1,"root":{"count":2}}'),
      () => `DELETE FROM payload_schemas WHERE type = 'x'`,
      /^The schema of x counts 2 examined events, but 1 in all\.$/,
    ],
    [
      'payload_schemas',
      'a schema beyond its limit',
      () => insertSchema(`{"events":1,"root":{"count":1}}${' '.repeat(128 * 1_024)}`),
      () => `DELETE FROM payload_schemas WHERE type = 'x'`,
      /^The schema of x is larger than 128 KiB\.$/,
    ],
    [
      'entity_floor',
      'a state of a removed event above the horizon, but not one that was read at Co-Pilot',
      () => `${insertState('event')}; ${insertState('baseline')}`,
      () => `DELETE FROM entity_floor`,
      /^The last state of deal:event is that of event 99, above the horizon\.$/,
    ],
    [
      'dead_letters',
      'a dead letter that is counted but missing',
      () => `INSERT INTO dead_letter_counts(target, count) VALUES (${acceptingNumber}, 1)`,
      () => `DELETE FROM dead_letter_counts`,
      /^1 dead letters are counted for "takes", but 0 exist\.$/,
    ],
    [
      'lane_heads',
      'a lane without a head',
      () =>
        `UPDATE deliveries SET state = 'waiting', due_at = NULL WHERE event_seq = ${seqs[1]} AND target_id = ${failingNumber}`,
      () =>
        `UPDATE deliveries SET state = 'retrying', due_at = 1 WHERE event_seq = ${seqs[1]} AND target_id = ${failingNumber}`,
      /^Lane deal:2 of "fails" has 4 queued and none at its head, .* First delivery: Delivery 0 of event \d+ to "fails" /,
    ],
    [
      'lane_heads',
      'a lane with two heads',
      () =>
        `UPDATE deliveries SET state = 'pending', due_at = 1 WHERE event_seq = ${seqs[3]} AND target_id = ${failingNumber}`,
      () =>
        `UPDATE deliveries SET state = 'waiting', due_at = NULL WHERE event_seq = ${seqs[3]} AND target_id = ${failingNumber}`,
      /^Lane deal:2 of "fails" has 2 deliveries at its head/,
    ],
    [
      'lane_heads',
      'a lane whose head is not its first',
      () =>
        `UPDATE deliveries SET state = 'waiting', due_at = NULL WHERE event_seq = ${seqs[1]} AND target_id = ${failingNumber};
         UPDATE deliveries SET state = 'pending', due_at = 1 WHERE event_seq = ${seqs[3]} AND target_id = ${failingNumber}`,
      () =>
        `UPDATE deliveries SET state = 'retrying', due_at = 1 WHERE event_seq = ${seqs[1]} AND target_id = ${failingNumber};
         UPDATE deliveries SET state = 'waiting', due_at = NULL WHERE event_seq = ${seqs[3]} AND target_id = ${failingNumber}`,
      /^Lane deal:2 of "fails" has a delivery queued ahead of the one at its head/,
    ],
    [
      'lane_heads',
      'a lane that a dead letter blocks though its event was delivered',
      () =>
        `UPDATE deliveries SET state = 'dead', due_at = NULL WHERE event_seq = ${seqs[1]} AND target_id = ${failingNumber};
         INSERT INTO deliveries(event_seq, target_id, n, state, "trigger", created_at, finished_at, attempts)
         VALUES (${seqs[1]}, ${failingNumber}, 1, 'succeeded', 'manual', 1, 1, 1)`,
      () =>
        `UPDATE deliveries SET state = 'retrying', due_at = 1 WHERE event_seq = ${seqs[1]} AND target_id = ${failingNumber} AND n = 0;
         DELETE FROM deliveries WHERE event_seq = ${seqs[1]} AND target_id = ${failingNumber} AND n = 1`,
      /^Lane deal:2 of "fails" is blocked by a dead letter although its event was delivered, so none of 3 is sent/,
    ],
    [
      'delivery_attempts',
      'an attempt that is counted but missing',
      () =>
        `UPDATE deliveries SET attempts = 2 WHERE event_seq = ${seqs[4]} AND target_id = ${acceptingNumber}`,
      () =>
        `UPDATE deliveries SET attempts = 1 WHERE event_seq = ${seqs[4]} AND target_id = ${acceptingNumber}`,
      /counts 2 attempts, but 1 are stored, the last with number 1\.$/,
    ],
    [
      'delivery_attempts',
      'attempts with wrong numbers',
      () => `UPDATE attempts SET number = 4 WHERE event_seq = ${seqs[4]} AND target_id = ${acceptingNumber}`,
      () => `UPDATE attempts SET number = 1 WHERE event_seq = ${seqs[4]} AND target_id = ${acceptingNumber}`,
      /counts 1 attempt, but 1 are stored, the last with number 4\.$/,
    ],
  ];

  it.each(damages)('finds %s: %s', async (rule, _, damage, repair, sentence) => {
    await alter(damage());
    const found = await check();
    await alter(repair());
    expect(found.balanced).toBe(false);
    expect(found.findings).toContainEqual(
      expect.objectContaining({ rule, sentence: expect.stringMatching(sentence) }),
    );
    expect(await check()).toMatchObject({ balanced: true });
  });

  it('finds an event that is missing with all its records', async () => {
    const of7 = ['deliveries', 'attempts', 'duplicates'].map(
      (table) => `CREATE TABLE kept_${table} AS SELECT * FROM ${table} WHERE event_seq = ${seqs[5]};
        DELETE FROM ${table} WHERE event_seq = ${seqs[5]};`,
    );
    await alter(`${of7.join('\n')}
      CREATE TABLE kept_events AS SELECT * FROM events WHERE seq = ${seqs[5]}; DELETE FROM events WHERE seq = ${seqs[5]};`);
    const { findings } = await check();
    // An event that retention removed is not missing, though its identity is still stored.
    await alter(`UPDATE instance SET pruned_through = ${seqs[5]}`);
    const removed = await check();
    await alter('UPDATE instance SET pruned_through = 0');
    await alter(
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
});
