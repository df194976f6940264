import { target } from '../../../src/contract/target';
import { until } from '../../support/until';
import {
  accepting,
  acceptingId,
  acceptingNumber,
  alter,
  check,
  seqs,
  switchboard,
  useCheckedHub,
} from './checked-hub';

useCheckedHub();

const row = () => `event_seq = ${seqs[4]} AND target_id = ${acceptingNumber}`;
const stuck = async () => (await check()).findings.filter(({ rule }) => rule === 'delivery_stuck');
const shown = () => switchboard.read(target, `/targets/${acceptingId}`);
const change = (json: object) => switchboard.ask(`/targets/${acceptingId}`, { method: 'PATCH', json });

describe('the consistency check of a running daemon', () => {
  /** Long overdue, and of a class that no queue reads. */
  const STUCK = `state = 'pending', due_at = 1, finished_at = NULL, class = 7`;
  const RECHECK_AFTER_MS = 1_000;
  const SUCCEEDED = `state = 'succeeded', due_at = NULL, finished_at = 1, class = 0`;

  it('finds a delivery that is long overdue and is not sent', async () => {
    await alter(`UPDATE deliveries SET ${STUCK} WHERE ${row()}`);
    const found = await stuck();
    await alter(`UPDATE deliveries SET ${SUCCEEDED} WHERE ${row()}`);
    expect(found.map(({ sentence }) => sentence)).toEqual([
      expect.stringMatching(
        new RegExp(
          `^Delivery 0 of event ${seqs[4]} to "takes" \\(dlv_\\w{26}\\) is long overdue, although nothing holds it back\\.$`,
        ),
      ),
    ]);
  });

  it('finds a delivery that is due later than any pause of its target allows', async () => {
    const inTwoDays = switchboard.clock.now() + 2 * 86_400_000;
    await alter(
      `UPDATE deliveries SET ${STUCK.replace('due_at = 1', `due_at = ${inTwoDays}`)} WHERE ${row()}`,
    );
    const found = await stuck();
    await alter(`UPDATE deliveries SET ${SUCCEEDED} WHERE ${row()}`);
    expect(found.map(({ sentence }) => sentence)).toEqual([
      expect.stringMatching(
        / to "takes" \(dlv_\w{26}\) is due later than any pause allows, although nothing holds it back\.$/,
      ),
    ]);
  });

  it('does not report a delivery that has moved at the second check', async () => {
    await alter(`UPDATE deliveries SET ${STUCK} WHERE ${row()}`);
    let checks = 0;
    const schedule = globalThis.setTimeout;
    const wait = jest.spyOn(globalThis, 'setTimeout').mockImplementation((work: () => void, ms?: number) => {
      if (ms !== RECHECK_AFTER_MS || ++checks > 1) return schedule(work, ms);
      void alter(`UPDATE deliveries SET ${SUCCEEDED} WHERE ${row()}`).then(work);
      return schedule(() => undefined);
    });
    try {
      expect(await stuck()).toEqual([]);
      expect(checks).toBe(1);
    } finally {
      wait.mockRestore();
      await alter(`UPDATE deliveries SET ${SUCCEEDED} WHERE ${row()}`);
    }
  });

  it('lists fifty findings of a rule, and counts the others', async () => {
    const many = Array.from({ length: 60 }, (_, i) => `(5, '${(i + 16).toString(16)}', ${1_000_000 + i})`);
    await alter(`INSERT INTO identities(minute, hash, seq) VALUES ${many.join(', ')};
      INSERT INTO duplicates(event_seq, n, received_at) VALUES (99, 1, 1)`);
    const { found, findings } = await check();
    await alter('DELETE FROM identities WHERE minute = 5; DELETE FROM duplicates WHERE event_seq = 99');
    expect(found).toBe(61);
    expect(findings.filter(({ rule }) => rule === 'identity_orphan')).toHaveLength(50);
    expect(findings.filter(({ rule }) => rule === 'duplicate_orphan')).toHaveLength(1);
  });

  it('does not report deliveries held back by a pause, a rate limit, an open circuit breaker or an attempt in flight', async () => {
    await alter(`UPDATE deliveries SET ${STUCK} WHERE ${row()}`);
    try {
      await switchboard.ask(`/targets/${acceptingId}/pause`, { method: 'POST' });
      expect(await stuck()).toEqual([]);
      await switchboard.ask(`/targets/${acceptingId}/resume`, { method: 'POST' });
      await change({ policy: { rate: { limit: 1, per: 'minute' } } });
      expect(await stuck()).toEqual([]);
      accepting.respondWith(503);
      await change({ policy: { rate: null, breaker: { failures: 1, first_probe_s: 3_600, cap_s: 3_600 } } });
      await switchboard.emit('deal.updated', { id: 8 });
      await until('its circuit breaker is open', async () => (await shown()).breaker !== null);
      expect(await stuck()).toEqual([]);
      await change({ policy: { breaker: null } });
      accepting.respondWith(() => undefined);
      const event = await switchboard.emit('deal.updated', { id: 9 });
      await until('the request is in flight', () => accepting.of(event).length === 1);
      expect(await stuck()).toEqual([]);
    } finally {
      await alter(`UPDATE deliveries SET ${SUCCEEDED} WHERE ${row()}`);
    }
  });
});
