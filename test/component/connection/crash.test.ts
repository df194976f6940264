import { FakeCopilot } from '../../support/fakes/copilot';
import {
  clearPremises,
  Gate,
  HOUR_MS,
  makePremises,
  readRows,
  Stand,
  type Premises,
} from './connection-fixture';

/**
 * Where the process can end within a consent or a renewal. Both go the same way: a change that records the intent, the
 * request, its answer, a change that stores the tokens. `write` is the number of the change at which all stands still,
 * `request` what becomes of the request that was sent.
 */
const CRASH_POINTS = {
  'before the intent is recorded': { write: 1, written: false },
  'recorded, before the request is sent': { write: 1, written: true },
  'sent, before it is carried out': { request: 'hang' },
  'carried out, before the answer': { request: 'mute' },
  'answered, before the store': { write: 2, written: false },
  stored: { write: 2, written: true },
} as const;
type CrashPoint = keyof typeof CRASH_POINTS;

describe('A process that ends', () => {
  let upstream: FakeCopilot;
  let premises: Premises;
  let stand: Stand;

  beforeEach(async () => {
    upstream = await FakeCopilot.start();
    premises = makePremises();
    stand = await Stand.open(premises, upstream);
  });
  afterEach(async () => {
    await stand.close();
    await upstream.close();
    clearPremises(premises);
  });

  const callDeals = async () => {
    const answer = await stand.copilot.call('GET', '/v1/deals');
    return answer.kind === 'answered' ? answer.status : answer.kind;
  };
  const consentOf = async () =>
    Object.fromEntries((await upstream.consent(await stand.begin())).searchParams);

  /** Does `act` until the crash point, ends the process there, and starts another on what it has left. */
  const crash = async (at: CrashPoint, act: () => Promise<unknown>) => {
    const point = CRASH_POINTS[at];
    const reached = new Gate();
    const never = new Promise<never>(() => undefined);
    if ('request' in point) {
      upstream.misbehave('POST /oauth/token', point.request, 1);
      upstream.watch('POST /oauth/token', () => reached.open());
    } else {
      const change = stand.journal.change.bind(stand.journal);
      let made = 0;
      jest.spyOn(stand.journal, 'change').mockImplementation(async (...given) => {
        made += 1;
        if (made < point.write) return change(...given);
        if (point.written) await change(...given);
        reached.open();
        return never;
      });
    }
    act().catch(() => undefined);
    await reached.opened;
    await stand.kill();
    upstream.behave();
    stand = await Stand.open(premises, upstream);
  };

  describe('within a consent', () => {
    it('before its intent is recorded can still complete it', async () => {
      const query = await consentOf();
      await crash('before the intent is recorded', () => stand.complete(query));
      expect(stand.connectionState()).toMatchObject({ state: 'not_connected', consent_failure: null });
      expect(await stand.complete(query)).toEqual({ status: 'connected' });
      expect(await callDeals()).toBe(200);
    });

    it.each<CrashPoint>([
      'recorded, before the request is sent',
      'sent, before it is carried out',
      'carried out, before the answer',
      'answered, before the store',
    ])('%s, says so, and what to do; a new consent connects', async (point) => {
      const query = await consentOf();
      await crash(point, () => stand.complete(query));
      expect(stand.connectionState()).toMatchObject({
        state: 'not_connected',
        sentence: expect.stringContaining('Switchboard stopped while the authorization was being completed'),
        remedy: 'Start again from Switchboard.',
        consent_failure: { at: '2026-11-20T12:00:00.000Z', code: 'exchange_interrupted' },
      });
      premises.clock.time += 1;
      await stand.connect(upstream);
      expect(stand.connectionState()).toMatchObject({ state: 'connected', consent_failure: null });
      expect(await callDeals()).toBe(200);

      await stand.close();
      stand = await Stand.open(premises, upstream);
      expect(stand.connectionState()).toMatchObject({ state: 'connected', consent_failure: null });
    });

    it('stored, is connected', async () => {
      const query = await consentOf();
      await crash('stored', () => stand.complete(query));
      expect(stand.connectionState()).toMatchObject({ state: 'connected', consent_failure: null });
      await stand.pass(HOUR_MS);
      expect(await callDeals()).toBe(200);
    });

    it('that was to replace a grant keeps the one that it has, and says what happened', async () => {
      await stand.connect(upstream);
      premises.clock.time += 1_000;
      const query = await consentOf();
      await crash('answered, before the store', () => stand.complete(query));
      expect(stand.connectionState()).toMatchObject({
        state: 'connected',
        consent_failure: { code: 'exchange_interrupted' },
      });
      await stand.pass(HOUR_MS);
      expect(stand.connectionState().state).toBe('connected');
      expect(await callDeals()).toBe(200);
    });

    it('is forgotten with the grant', async () => {
      const query = await consentOf();
      await crash('answered, before the store', () => stand.complete(query));
      await stand.connection.disconnect();
      await stand.close();
      stand = await Stand.open(premises, upstream);
      expect(stand.connectionState()).toMatchObject({ state: 'not_connected', consent_failure: null });
    });
  });

  /** What the start after it finds, and what becomes of it once it has asked Co-Pilot. */
  const RENEWALS: [at: CrashPoint, found: string, ends: { rotating: string; keeping: string }][] = [
    ['before the intent is recorded', 'connected', { rotating: 'connected', keeping: 'connected' }],
    [
      'recorded, before the request is sent',
      'renewal_interrupted',
      { rotating: 'connected', keeping: 'connected' },
    ],
    [
      'sent, before it is carried out',
      'renewal_interrupted',
      { rotating: 'connected', keeping: 'connected' },
    ],
    [
      'carried out, before the answer',
      'renewal_interrupted',
      { rotating: 'consent_needed', keeping: 'connected' },
    ],
    [
      'answered, before the store',
      'renewal_interrupted',
      { rotating: 'consent_needed', keeping: 'connected' },
    ],
    ['stored', 'connected', { rotating: 'connected', keeping: 'connected' }],
  ];
  const CASES = RENEWALS.flatMap(([at, found, ends]) => [
    { at, found, ends: ends.rotating, upstreams: 'a Co-Pilot that gives a new refresh token', rotates: true },
    { at, found, ends: ends.keeping, upstreams: 'a Co-Pilot that keeps the refresh token', rotates: false },
  ]);

  describe('within a renewal', () => {
    it.each(CASES)('$at, with $upstreams, is $found and then $ends', async ({ at, found, ends, rotates }) => {
      upstream.rotatesRefreshTokens = rotates;
      await stand.connect(upstream);
      premises.clock.time += HOUR_MS;
      await crash(at, () => stand.renewal.tick());
      expect(stand.connectionState()).toMatchObject({ state: found });

      await stand.pass(0);
      const shown = stand.connectionState();
      expect(shown.state).toBe(ends);
      if (ends === 'consent_needed') {
        expect(shown.sentence).toContain('after an interrupted renewal');
        expect(shown.remedy).toBe('Connect again and give consent at Co-Pilot.');
        await stand.connect(upstream);
      }
      await stand.pass(HOUR_MS);
      expect(stand.connectionState().state).toBe('connected');
      expect(await callDeals()).toBe(200);
      expect(readRows(premises, 'SELECT renewal_started_at FROM grants')).toEqual([
        { renewal_started_at: null },
      ]);
    });
  });

  it('within a disconnection ends without a grant, or with it whole', async () => {
    await stand.connect(upstream);
    await crash('recorded, before the request is sent', () => stand.connection.disconnect());
    expect(stand.connectionState().state).toBe('not_connected');
    await stand.connect(upstream);
    await crash('before the intent is recorded', () => stand.connection.disconnect());
    expect(stand.connectionState().state).toBe('connected');
    expect(await callDeals()).toBe(200);
  });
});
