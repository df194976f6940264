import type { Alert } from '../../../src/relay/events/alert';
import { HOUR_MS } from '../../support/daemon/feature-harness';
import {
  DISK,
  MINUTE_MS,
  alerts,
  harness,
  list,
  open,
  pass,
  published,
  restart,
  states,
} from './open-alerts';

const LOST: Alert = {
  type: 'relay.notification.not_stored',
  subject: 'too_large',
  severity: 'warning',
  sentence: 'A notification was too large.',
  remedy: 'Raise the limit.',
  data: { limit: 100 },
  quietAfterMs: 10 * MINUTE_MS,
};

const severities = () => published().map((event) => (event as { severity?: string }).severity);

describe('an alert', () => {
  beforeEach(() => open());

  it('is published immediately, and listed until it is resolved', async () => {
    alerts.raise(LOST);
    await alerts.tick();
    expect(published()).toEqual([
      {
        type: 'relay.notification.not_stored',
        state: 'raised',
        alert_id: expect.stringMatching(/^alr_/),
        subject: 'too_large',
        severity: 'warning',
        sentence: 'A notification was too large.',
        remedy: 'Raise the limit.',
        count: 1,
        since: '2026-11-20T12:00:00.000Z',
        last_at: '2026-11-20T12:00:00.000Z',
        limit: 100,
      },
    ]);
    expect(alerts.active()).toMatchObject([{ type: LOST.type, count: 1, resolved_at: null }]);

    alerts.resolve(LOST.type, LOST.subject, 'The limit was raised.');
    await alerts.tick();
    expect(states()).toEqual(['raised', 'resolved']);
    expect(published()[1]).toMatchObject({ sentence: 'The limit was raised.', remedy: null });
    expect(alerts.active()).toEqual([]);
    expect(await list('resolved')).toMatchObject([
      { type: LOST.type, resolved_at: '2026-11-20T12:00:00.000Z', resolution: 'The limit was raised.' },
    ]);
  });

  it('that is raised repeatedly is published with a count after five minutes, then every hour', async () => {
    alerts.raise(DISK, 7);
    await alerts.tick();
    await pass(4 * MINUTE_MS, DISK);
    expect(states()).toEqual(['raised']);
    await pass(MINUTE_MS, DISK);
    expect(states()).toEqual(['raised', 'repeated']);
    expect(published()[1]).toMatchObject({
      count: 12,
      sentence: '3 % of the disk is free. 12 times since 2026-11-20T12:00:00.000Z.',
    });
    await pass(59 * MINUTE_MS, DISK);
    expect(states()).toEqual(['raised', 'repeated']);
    await pass(4 * HOUR_MS, DISK);
    expect(states()).toEqual(['raised', ...Array.from({ length: 5 }, () => 'repeated')]);
  });

  it('that becomes critical is published at once, however often that happens', async () => {
    alerts.raise({ ...DISK, severity: 'warning' });
    await pass(MINUTE_MS);
    alerts.raise(DISK);
    await pass(MINUTE_MS);
    expect(severities()).toEqual(['warning', 'critical']);
    await restart('close');
    alerts.raise({ ...DISK, severity: 'warning' });
    alerts.raise(DISK);
    await pass(MINUTE_MS);
    expect(severities()).toEqual(['warning', 'critical']);
  });

  it('that is not raised again is not published again, and stays active until it is resolved', async () => {
    alerts.raise(DISK);
    await pass(5 * HOUR_MS);
    expect(states()).toEqual(['raised']);
    expect(alerts.active()).toHaveLength(1);
  });

  it('of an incident is resolved automatically after a quiet time', async () => {
    alerts.raise(LOST);
    await pass(9 * MINUTE_MS, LOST);
    await pass(9 * MINUTE_MS);
    expect(alerts.active()).toHaveLength(1);
    await pass(MINUTE_MS);
    expect(alerts.active()).toEqual([]);
    expect(states()).toEqual(['raised', 'repeated', 'resolved']);
    expect(published()[2]).toMatchObject({ sentence: 'It has not happened for 10 min.' });
  });

  it('is published at the same intervals when the clock is set', async () => {
    alerts.raise(LOST);
    await alerts.tick();
    harness.workspace.clock.jumped = -2 * HOUR_MS;
    await pass(5 * MINUTE_MS, LOST);
    expect(states()).toEqual(['raised', 'repeated']);
    harness.workspace.clock.jumped = 40 * 24 * HOUR_MS;
    await alerts.tick();
    expect(await list('active')).toHaveLength(1);
  });

  it('is separate for each subject', async () => {
    alerts.raise(LOST);
    alerts.raise({ ...LOST, subject: 'aborted' });
    alerts.resolve(LOST.type, 'aborted', 'Over.');
    await alerts.tick();
    expect(alerts.active()).toMatchObject([{ subject: 'too_large' }]);
  });

  it.each(['close', 'kill'] as const)(
    'is not published again after a restart (%s), and continues',
    async (how) => {
      alerts.raise(DISK);
      await alerts.tick();
      await restart(how);
      expect(alerts.active()).toMatchObject([{ type: DISK.type, count: 1 }]);
      alerts.raise(DISK);
      await alerts.tick();
      expect(states()).toEqual(['raised']);
      await pass(5 * MINUTE_MS);
      expect(states()).toEqual(['raised', 'repeated']);
      expect(published()[1]).toMatchObject({ count: 2 });
      alerts.resolve(DISK.type, '', 'There is room again.');
      await restart('close');
      expect(states()).toEqual(['raised', 'repeated', 'resolved']);
      await restart(how);
      expect(states()).toEqual(['raised', 'repeated', 'resolved']);
      expect(harness.readRows('SELECT * FROM alerts')).toHaveLength(1);
    },
  );

  it('that is raised long after it was resolved is a new one', async () => {
    alerts.raise(DISK);
    alerts.resolve(DISK.type, '', 'There is room again.');
    await pass(6 * MINUTE_MS);
    alerts.raise(DISK);
    await alerts.tick();
    expect(states()).toEqual(['raised', 'resolved', 'raised']);
    expect(new Set(published().map((event) => (event as { alert_id?: string }).alert_id)).size).toBe(2);
  });

  it('is dropped beyond a limit, which raises an alert itself', async () => {
    for (let i = 0; i < 600; i += 1) alerts.raise({ ...DISK, subject: `disk ${i}` });
    expect(alerts.active()).toHaveLength(501);
    expect(alerts.active()[0]).toMatchObject({ type: 'relay.alerts.limit_reached', count: 100 });
    for (let i = 0; i < 600; i += 1) alerts.resolve(DISK.type, `disk ${i}`, 'Over.');
    expect(alerts.active()).toHaveLength(1);
  });

  it('is listed in pages, newest first', async () => {
    for (const subject of ['a', 'b', 'c']) alerts.raise({ ...DISK, subject });
    for (const state of ['active', 'resolved'] as const) {
      const first = await alerts.list({ state, limit: 2 });
      expect(first.data.map(({ subject }) => subject)).toEqual(['c', 'b']);
      const second = await alerts.list({ state, limit: 2, cursor: first.next_cursor! });
      expect(second.data.map(({ subject }) => subject)).toEqual(['a']);
      expect(second.next_cursor).toBeNull();
      await expect(alerts.list({ state, limit: 2, cursor: 'alr_1' })).rejects.toMatchObject({
        code: 'cursor_unknown',
      });
      for (const subject of ['a', 'b', 'c']) alerts.resolve(DISK.type, subject, 'Over.');
      await alerts.tick();
    }
  });
});
