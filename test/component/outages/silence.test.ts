import { detectSilence, QUARTER_MS, WEEK_MS } from '../../../src/relay/outages/detect-silence';
import { useFeatureHarness } from '../../support/daemon/feature-harness';
import { OutagesHarness } from './outages-harness';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A Friday, noon UTC. */
const FRIDAY = Date.UTC(2026, 10, 20, 12);

/** Counts of `weeks` weeks before `end`: `perQuarter` in each quarter of an hour that is busy. */
function countsOf(
  weeks: number,
  perQuarter: number,
  isBusy: (at: Date) => boolean,
  end = FRIDAY,
): Map<number, number> {
  const counts = new Map<number, number>();
  for (let at = end - weeks * WEEK_MS - DAY_MS; at < end; at += QUARTER_MS)
    if (isBusy(new Date(at))) counts.set(Math.floor(at / QUARTER_MS), perQuarter);
  return counts;
}

const always = () => true;
const officeHours = (at: Date) =>
  at.getUTCDay() >= 1 && at.getUTCDay() <= 5 && at.getUTCHours() >= 8 && at.getUTCHours() < 18;

/** Minutes until a silence from `since` on is unusual, or null if it is not within four days. */
function minutesUntilDetected(counts: ReadonlyMap<number, number>, since: number): number | null {
  for (let ms = 60_000; ms < 4 * DAY_MS; ms += 60_000)
    if (detectSilence(counts, since, since + ms) !== null) return ms / 60_000;
  return null;
}

describe('an unusual silence', () => {
  it('is detected after 15 to 30 minutes if notifications arrive continuously', () => {
    expect(minutesUntilDetected(countsOf(4, 100, always), FRIDAY)).toBe(15);
    expect(minutesUntilDetected(countsOf(4, 100, always), FRIDAY + 60_000)).toBe(29);
  });

  it('is reported with the usual interval between notifications', () => {
    expect(detectSilence(countsOf(4, 15, always), FRIDAY, FRIDAY + HOUR_MS)).toBe(60_000);
  });

  it('takes longer to detect if notifications are rarer', () => {
    expect(minutesUntilDetected(countsOf(4, 1, always), FRIDAY)).toBe(150);
  });

  it('is not detected at night or on weekends', () => {
    const [evening, monday] = [Date.UTC(2026, 10, 20, 17, 59), Date.UTC(2026, 10, 23, 8)];
    expect(minutesUntilDetected(countsOf(4, 20, officeHours), evening)).toBe(
      (monday - evening) / 60_000 + 15,
    );
  });

  it('is not detected on a Monday morning after a daylight saving change', () => {
    const anHourEarlier = countsOf(4, 20, (at) => officeHours(new Date(at.getTime() + HOUR_MS)));
    const [evening, monday] = [Date.UTC(2026, 10, 20, 17, 59), Date.UTC(2026, 10, 23, 8)];
    expect(minutesUntilDetected(anHourEarlier, evening)).toBe((monday - evening) / 60_000 + 15);
  });

  it('is not detected in the first week', () => {
    const counts = new Map([...countsOf(1, 100, always)].slice(2 * 96));
    expect(detectSilence(counts, FRIDAY, FRIDAY + 12 * HOUR_MS)).toBeNull();
    expect(detectSilence(new Map(), FRIDAY, FRIDAY + DAY_MS)).toBeNull();
  });

  it('is detected regardless of one unusual week of four', () => {
    const isLastWeek = (at: Date) => FRIDAY - at.getTime() < WEEK_MS + HOUR_MS;
    expect(minutesUntilDetected(countsOf(4, 20, isLastWeek), FRIDAY)).toBeNull();
    expect(
      minutesUntilDetected(
        countsOf(4, 20, (at) => !isLastWeek(at)),
        FRIDAY,
      ),
    ).toBe(15);
  });
});

describe('the silence outage', () => {
  const hub = useFeatureHarness(new OutagesHarness());
  beforeEach(async () => {
    await hub.open();
    await hub.connect();
    await hub.journal.change({
      statements: [...countsOf(4, 60, always)].map(([quarter, count]) => [
        'INSERT INTO traffic_baseline(quarter, notifications) VALUES (?, ?)',
        [quarter, count],
      ]),
    });
    await hub.close();
    await hub.open();
    await hub.receive(1);
  });

  const silence = () => hub.silence.current;
  const noon = new Date(FRIDAY).toISOString();

  it('is recorded once, survives restarts, and ends with the next notification', async () => {
    let changes = 0;
    hub.silence.onChange(() => (changes += 1));
    await hub.advance(14 * 60_000);
    expect(silence()).toBeNull();
    await hub.advance(60_000);
    expect(silence()).toEqual({
      since: noon,
      usual_seconds: 15,
      sentence: `No notification has arrived since ${noon}; at this time of the week one usually arrives every 15 s.`,
    });
    expect(changes).toBe(1);
    await hub.close();
    await hub.open();
    await hub.advance(60_000);
    expect(silence()).toMatchObject({ since: noon });
    expect(await hub.list()).toMatchObject([{ kind: 'silence', ended_at: null, seconds: 16 * 60 }]);

    await hub.receive(2);
    const receivedAt = new Date(hub.workspace.clock.time).toISOString();
    await hub.check();
    expect(silence()).toBeNull();
    expect(await hub.list()).toMatchObject([{ kind: 'silence', began_at: noon, ended_at: receivedAt }]);
    await hub.advance(60_000);
    expect(hub.published()).toMatchObject([
      { type: 'relay.gap', data: { kind: 'silence', began_at: noon, ended_at: null, after_seq: 1 } },
      { type: 'relay.silence', data: { state: 'began', began_at: noon, ended_at: null } },
      { type: 'relay.silence', data: { state: 'ended', began_at: noon, ended_at: receivedAt } },
    ]);
  });

  it('is measured again from the end of a downtime', async () => {
    await hub.advance(10 * 60_000);
    await hub.close();
    hub.workspace.clock.time += HOUR_MS;
    await hub.open();
    // Only whole quarters of an hour count, from 13:15 on.
    expect(new Date(hub.workspace.clock.time).toISOString()).toContain('T13:10');
    await hub.advance(19 * 60_000);
    expect(silence()).toBeNull();
    await hub.advance(60_000);
    expect(silence()).not.toBeNull();
  });

  it('ends when the webhook is paused, since nothing is expected then', async () => {
    await hub.advance(15 * 60_000);
    expect(silence()).not.toBeNull();
    await hub.actions.setPaused(true);
    await hub.check();
    expect(silence()).toBeNull();
    await hub.advance(60 * 60_000);
    expect(await hub.list()).toMatchObject([{ kind: 'silence', seconds: 15 * 60 }]);
  });

  it('is measured in elapsed time, and keeps the counts, when the clock is set', async () => {
    const quarters = () => hub.readRows('SELECT quarter FROM traffic_baseline').length;
    const known = quarters();
    await hub.advance(5 * 60_000);
    hub.workspace.clock.jumped = 40 * DAY_MS;
    await hub.check();
    expect(silence()).toBeNull();
    await hub.receive(2);
    await hub.advance(60_000);
    expect(quarters()).toBeGreaterThanOrEqual(known);

    hub.workspace.clock.jumped = -2 * HOUR_MS;
    await hub.advance(13 * 60_000);
    expect(silence()).toBeNull();
    await hub.advance(16 * 60_000);
    expect(silence()).not.toBeNull();
    expect((await hub.list()).filter(({ kind }) => kind === 'silence')).toHaveLength(1);
  });

  it('counts notifications, not system events', async () => {
    await hub.advance(15 * 60_000);
    expect(hub.published()).toHaveLength(2);
    await hub.receive(2);
    await hub.check();
    const rows = `SELECT notifications FROM traffic_baseline WHERE quarter >= ${FRIDAY / QUARTER_MS} ORDER BY quarter`;
    expect(hub.readRows(rows)).toEqual([{ notifications: 1 }, { notifications: 1 }]);
  });
});
