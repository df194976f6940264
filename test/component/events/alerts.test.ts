import type { AlertSummary } from '../../../src/contract/alert';
import { type Alert, Alerts } from '../../../src/relay/events/alerts';
import { EventsModule } from '../../../src/relay/events/events.module';
import { FakeCopilot } from '../../support/fakes/copilot';
import {
  clearPremises,
  HOUR_MS,
  makePremises,
  readRows,
  Stand,
  type Premises,
} from '../connection/connection-fixture';

const MINUTE_MS = 60_000;

const DISK: Alert = {
  type: 'relay.disk.low',
  subject: '',
  severity: 'critical',
  sentence: '3 % of the disk is free.',
  remedy: 'Make room.',
};
const LOST: Alert = {
  type: 'relay.notification.refused',
  subject: 'too_large',
  severity: 'warning',
  sentence: 'A notification was too large.',
  remedy: 'Raise the limit.',
  data: { limit: 100 },
  quietAfterMs: 10 * MINUTE_MS,
};

describe('an alert', () => {
  let upstream: FakeCopilot;
  let premises: Premises;
  let stand: Stand;
  let alerts: Alerts;

  const open = async () => {
    stand = await Stand.open(premises, upstream, {}, [EventsModule]);
    alerts = stand.app.get(Alerts, { strict: false });
  };
  const restart = async (how: 'close' | 'kill') => {
    await stand[how]();
    await open();
    await alerts.tick();
  };
  /** Lets time go by, second by second where `raised` is raised each second. */
  const pass = async (ms: number, raised?: Alert) => {
    for (let left = ms; left > 0; left -= MINUTE_MS) {
      premises.clock.time += Math.min(left, MINUTE_MS);
      if (raised !== undefined) alerts.raise(raised);
      await alerts.tick();
    }
  };
  const told = () =>
    readRows<{ body: Buffer }>(premises, 'SELECT body FROM events ORDER BY seq').map(({ body }) => {
      const { event, data } = JSON.parse(body.toString()) as { event: string; data: Record<string, unknown> };
      return { type: event, ...data };
    });
  const states = () => told().map((event) => ('state' in event ? event.state : null));
  const list = async (state: 'active' | 'resolved'): Promise<AlertSummary[]> =>
    (await alerts.list({ state, limit: 200 })).data;

  beforeEach(async () => {
    upstream = await FakeCopilot.start();
    premises = makePremises();
    await open();
  });
  afterEach(async () => {
    await stand.close();
    await upstream.close();
    clearPremises(premises);
  });

  it('is told at once, and listed until it is resolved', async () => {
    alerts.raise(LOST);
    await alerts.tick();
    expect(told()).toEqual([
      {
        type: 'relay.notification.refused',
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
    expect(told()[1]).toMatchObject({ sentence: 'The limit was raised.', remedy: null });
    expect(alerts.active()).toEqual([]);
    expect(await list('resolved')).toMatchObject([
      { type: LOST.type, resolved_at: '2026-11-20T12:00:00.000Z', resolution: 'The limit was raised.' },
    ]);
  });

  it('that is raised again and again is told with a count after five minutes, then every hour', async () => {
    alerts.raise(DISK, 7);
    await alerts.tick();
    await pass(4 * MINUTE_MS, DISK);
    expect(states()).toEqual(['raised']);
    await pass(MINUTE_MS, DISK);
    expect(states()).toEqual(['raised', 'repeated']);
    expect(told()[1]).toMatchObject({
      count: 12,
      sentence: '3 % of the disk is free. 12 times since 2026-11-20T12:00:00.000Z.',
    });
    await pass(59 * MINUTE_MS, DISK);
    expect(states()).toEqual(['raised', 'repeated']);
    await pass(4 * HOUR_MS, DISK);
    expect(states()).toEqual(['raised', ...Array.from({ length: 5 }, () => 'repeated')]);
  });

  it('that is not raised again is not told again, and stays until it is resolved', async () => {
    alerts.raise(DISK);
    await pass(5 * HOUR_MS);
    expect(states()).toEqual(['raised']);
    expect(alerts.active()).toHaveLength(1);
  });

  it('of a happening resolves by itself once it has been quiet', async () => {
    alerts.raise(LOST);
    await pass(9 * MINUTE_MS, LOST);
    await pass(9 * MINUTE_MS);
    expect(alerts.active()).toHaveLength(1);
    await pass(MINUTE_MS);
    expect(alerts.active()).toEqual([]);
    expect(states()).toEqual(['raised', 'repeated', 'resolved']);
    expect(told()[2]).toMatchObject({ sentence: 'It has not happened again for 10 min.' });
  });

  it('keeps its pace whatever the clock is set to', async () => {
    alerts.raise(LOST);
    await alerts.tick();
    premises.clock.jumped = -2 * HOUR_MS;
    await pass(5 * MINUTE_MS, LOST);
    expect(states()).toEqual(['raised', 'repeated']);
    premises.clock.jumped = 40 * 24 * HOUR_MS;
    await alerts.tick();
    expect(await list('active')).toHaveLength(1);
  });

  it('is one for each subject', async () => {
    alerts.raise(LOST);
    alerts.raise({ ...LOST, subject: 'aborted' });
    alerts.resolve(LOST.type, 'aborted', 'Over.');
    await alerts.tick();
    expect(alerts.active()).toMatchObject([{ subject: 'too_large' }]);
  });

  it.each(['close', 'kill'] as const)('is not told again after a restart (%s), and goes on', async (how) => {
    alerts.raise(DISK);
    await alerts.tick();
    await restart(how);
    expect(alerts.active()).toMatchObject([{ type: DISK.type, count: 1 }]);
    alerts.raise(DISK);
    await alerts.tick();
    expect(states()).toEqual(['raised']);
    await pass(5 * MINUTE_MS);
    expect(states()).toEqual(['raised', 'repeated']);
    expect(told()[1]).toMatchObject({ count: 2 });
    alerts.resolve(DISK.type, '', 'There is room again.');
    await restart('close');
    expect(states()).toEqual(['raised', 'repeated', 'resolved']);
    await restart(how);
    expect(states()).toEqual(['raised', 'repeated', 'resolved']);
    expect(readRows(premises, 'SELECT * FROM alerts')).toHaveLength(1);
  });

  it('is told once where a crash came between its event and the note of that', async () => {
    alerts.raise(DISK);
    await alerts.tick();
    await stand.journal.change([[`UPDATE alerts SET told = 0, told_count = 0, told_state = NULL`, []]]);
    await stand.kill();
    premises.clock.time += HOUR_MS;
    await open();
    await alerts.tick();
    expect(states()).toEqual(['raised']);
  });

  it('that comes and goes is told twice in five minutes at most, and counts on', async () => {
    for (let second = 0; second < 600; second += 1) {
      premises.clock.time += 1_000;
      if (second % 2 === 0) alerts.raise(DISK);
      else alerts.resolve(DISK.type, '', 'There is room again.');
      await alerts.tick();
    }
    expect(states()).toEqual(['raised', 'resolved', 'raised', 'resolved']);
    await pass(6 * MINUTE_MS);
    expect(await list('resolved')).toMatchObject([{ count: 300 }]);
  });

  it('that is raised anew long after its end is another one', async () => {
    alerts.raise(DISK);
    alerts.resolve(DISK.type, '', 'There is room again.');
    await pass(6 * MINUTE_MS);
    alerts.raise(DISK);
    await alerts.tick();
    expect(states()).toEqual(['raised', 'resolved', 'raised']);
    expect(new Set(told().map((event) => (event as { alert_id?: string }).alert_id)).size).toBe(2);
  });

  it('is kept in bounded numbers, and that is said', async () => {
    for (let i = 0; i < 600; i += 1) alerts.raise({ ...DISK, subject: `disk ${i}` });
    expect(alerts.active()).toHaveLength(501);
    expect(alerts.active()[0]).toMatchObject({ type: 'relay.alerts.limit_reached', count: 100 });
    for (let i = 0; i < 600; i += 1) alerts.resolve(DISK.type, `disk ${i}`, 'Over.');
    expect(alerts.active()).toHaveLength(1);
  });

  it('is listed a page at a time, newest first', async () => {
    for (const subject of ['a', 'b', 'c']) alerts.raise({ ...DISK, subject });
    for (const state of ['active', 'resolved'] as const) {
      const first = await alerts.list({ state, limit: 2 });
      expect(first.data.map(({ subject }) => subject)).toEqual(['c', 'b']);
      const second = await alerts.list({ state, limit: 2, cursor: first.next_cursor! });
      expect(second.data.map(({ subject }) => subject)).toEqual(['a']);
      expect(second.next_cursor).toBeNull();
      for (const subject of ['a', 'b', 'c']) alerts.resolve(DISK.type, subject, 'Over.');
      await alerts.tick();
    }
  });
});
