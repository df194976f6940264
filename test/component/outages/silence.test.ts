import { classifySilence, QUARTER_MS, WEEK_MS } from '../../../src/relay/outages/classify-silence';
import { FakeCopilot } from '../../support/fakes/copilot';
import { clearPremises, makePremises, readRows, type Premises } from '../connection/connection-fixture';
import { OutagesStand } from './outages-fixture';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A Friday, noon UTC. */
const FRIDAY = Date.UTC(2026, 10, 20, 12);

/** Counts of `weeks` weeks before `end`: so many a quarter of an hour at whatever times are busy. */
function rhythmOf(
  weeks: number,
  perQuarter: number,
  busy: (at: Date) => boolean,
  end = FRIDAY,
): Map<number, number> {
  const counts = new Map<number, number>();
  for (let at = end - weeks * WEEK_MS - DAY_MS; at < end; at += QUARTER_MS)
    if (busy(new Date(at))) counts.set(Math.floor(at / QUARTER_MS), perQuarter);
  return counts;
}

const always = () => true;
const officeHours = (at: Date) =>
  at.getUTCDay() >= 1 && at.getUTCDay() <= 5 && at.getUTCHours() >= 8 && at.getUTCHours() < 18;

/** How long it takes until a silence from `since` on is unusual, in minutes; null where it is not within four days. */
function alarmAfter(counts: ReadonlyMap<number, number>, since: number): number | null {
  for (let ms = 60_000; ms < 4 * DAY_MS; ms += 60_000)
    if (classifySilence(counts, since, since + ms) !== null) return ms / 60_000;
  return null;
}

describe('what silence is unusual', () => {
  it('is one of a quarter to half an hour where notifications come all the time', () => {
    expect(alarmAfter(rhythmOf(4, 100, always), FRIDAY)).toBe(15);
    expect(alarmAfter(rhythmOf(4, 100, always), FRIDAY + 60_000)).toBe(29);
  });

  it('says how far apart they usually are', () => {
    expect(classifySilence(rhythmOf(4, 15, always), FRIDAY, FRIDAY + HOUR_MS)).toBe(60_000);
  });

  it('takes the longer the fewer come', () => {
    expect(alarmAfter(rhythmOf(4, 1, always), FRIDAY)).toBe(150);
  });

  it('is neither a night nor a weekend', () => {
    const [evening, monday] = [Date.UTC(2026, 10, 20, 17, 59), Date.UTC(2026, 10, 23, 8)];
    expect(alarmAfter(rhythmOf(4, 20, officeHours), evening)).toBe((monday - evening) / 60_000 + 15);
  });

  it('is no Monday morning after the clocks were changed', () => {
    const anHourEarlier = rhythmOf(4, 20, (at) => officeHours(new Date(at.getTime() + HOUR_MS)));
    const [evening, monday] = [Date.UTC(2026, 10, 20, 17, 59), Date.UTC(2026, 10, 23, 8)];
    expect(alarmAfter(anHourEarlier, evening)).toBe((monday - evening) / 60_000 + 15);
  });

  it('is none in the first week, when nobody knows what a Saturday is like', () => {
    const counts = new Map([...rhythmOf(1, 100, always)].slice(2 * 96));
    expect(classifySilence(counts, FRIDAY, FRIDAY + 12 * HOUR_MS)).toBeNull();
    expect(classifySilence(new Map(), FRIDAY, FRIDAY + DAY_MS)).toBeNull();
  });

  it('is neither made nor hidden by one odd week among four', () => {
    const odd = (at: Date) => FRIDAY - at.getTime() < WEEK_MS + HOUR_MS;
    expect(alarmAfter(rhythmOf(4, 20, odd), FRIDAY)).toBeNull();
    expect(
      alarmAfter(
        rhythmOf(4, 20, (at) => !odd(at)),
        FRIDAY,
      ),
    ).toBe(15);
  });
});

describe('the alarm of silence', () => {
  let upstream: FakeCopilot;
  let premises: Premises;
  let hub: OutagesStand;

  beforeEach(async () => {
    upstream = await FakeCopilot.start();
    premises = makePremises();
    hub = await OutagesStand.open(premises, upstream);
    await hub.connect(upstream);
    await hub.stand.journal.change(
      [...rhythmOf(4, 60, always)].map(([quarter, count]) => [
        'INSERT INTO rhythm(quarter, notifications) VALUES (?, ?)',
        [quarter, count],
      ]),
    );
    await hub.stand.close();
    hub = await OutagesStand.open(premises, upstream);
    await hub.receive(1);
  });
  afterEach(async () => {
    await hub.stand.close();
    await upstream.close();
    clearPremises(premises);
  });

  const silence = () => hub.stand.subscriptionState().silence;
  const noon = new Date(FRIDAY).toISOString();

  it('is raised once, outlives restarts, and ends with the next notification', async () => {
    let changes = 0;
    hub.stand.subscription.onChange(() => (changes += 1));
    await hub.pass(14 * 60_000);
    expect(silence()).toBeNull();
    await hub.pass(60_000);
    expect(silence()).toEqual({
      since: noon,
      usual_seconds: 15,
      sentence: `No notification has arrived since ${noon}; at this time of the week one usually arrives every 15 s.`,
    });
    expect(changes).toBe(1);
    await hub.stand.close();
    hub = await OutagesStand.open(premises, upstream);
    await hub.pass(60_000);
    expect(silence()).toMatchObject({ since: noon });
    expect(await hub.list()).toMatchObject([{ kind: 'silence', ended_at: null, seconds: 16 * 60 }]);

    await hub.receive(2);
    const heardAt = new Date(premises.clock.time).toISOString();
    await hub.look();
    expect(silence()).toBeNull();
    expect(await hub.list()).toMatchObject([{ kind: 'silence', began_at: noon, ended_at: heardAt }]);
    await hub.pass(60_000);
    expect(hub.told()).toMatchObject([
      { type: 'relay.silence', data: { state: 'began', began_at: noon, ended_at: null } },
      { type: 'relay.silence', data: { state: 'ended', began_at: noon, ended_at: heardAt } },
    ]);
  });

  it('counts the silence anew after a time in which nothing could arrive', async () => {
    await hub.pass(10 * 60_000);
    await hub.stand.close();
    premises.clock.time += HOUR_MS;
    hub = await OutagesStand.open(premises, upstream);
    // Whole quarters of an hour count: that from 13:15 on.
    expect(new Date(premises.clock.time).toISOString()).toContain('T13:10');
    await hub.pass(19 * 60_000);
    expect(silence()).toBeNull();
    await hub.pass(60_000);
    expect(silence()).not.toBeNull();
  });

  it('ends where the webhook is paused, since nothing is expected then', async () => {
    await hub.pass(15 * 60_000);
    expect(silence()).not.toBeNull();
    await hub.stand.subscription.setPaused(true);
    await hub.look();
    expect(silence()).toBeNull();
    await hub.pass(60 * 60_000);
    expect(await hub.list()).toMatchObject([{ kind: 'silence', seconds: 15 * 60 }]);
  });

  it('counts the time that passes, and forgets no rhythm, whatever the clock is set to', async () => {
    const quarters = () => readRows(premises, 'SELECT quarter FROM rhythm').length;
    const known = quarters();
    await hub.pass(5 * 60_000);
    premises.clock.jumped = 40 * DAY_MS;
    await hub.look();
    expect(silence()).toBeNull();
    await hub.receive(2);
    await hub.pass(60_000);
    expect(quarters()).toBeGreaterThanOrEqual(known);

    premises.clock.jumped = -2 * HOUR_MS;
    await hub.pass(13 * 60_000);
    expect(silence()).toBeNull();
    await hub.pass(16 * 60_000);
    expect(silence()).not.toBeNull();
    expect((await hub.list()).filter(({ kind }) => kind === 'silence')).toHaveLength(1);
  });

  it('counts notifications, not events of our own', async () => {
    await hub.pass(15 * 60_000);
    expect(hub.told()).toHaveLength(1);
    await hub.receive(2);
    await hub.look();
    const rows = `SELECT notifications FROM rhythm WHERE quarter >= ${FRIDAY / QUARTER_MS} ORDER BY quarter`;
    expect(readRows(premises, rows)).toEqual([{ notifications: 1 }, { notifications: 1 }]);
  });
});
