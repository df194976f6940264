import { Gate, HOUR_MS, useFeatureHarness } from '../../support/daemon/feature-harness';

/**
 * Where the process can end during an authorization or a renewal. Both have the same steps: a change that records the
 * intent, the request, its response, a change that stores the tokens. `write` is the number of the change that never
 * completes, `written` whether its rows are on disk, `request` what happens to the request that was sent.
 */
const CRASH_POINTS = {
  'before the intent is recorded': { write: 1, written: false },
  'recorded, before the request is sent': { write: 1, written: true },
  'sent, before it is processed': { request: 'hang' },
  'processed, before the response': { request: 'mute' },
  'answered, before the tokens are stored': { write: 2, written: false },
  'tokens stored': { write: 2, written: true },
} as const;
type CrashPoint = keyof typeof CRASH_POINTS;

describe('a process that ends', () => {
  const harness = useFeatureHarness();
  beforeEach(() => harness.open());

  const callDeals = async () => {
    const result = await harness.copilot.call('GET', '/v1/deals');
    return result.kind === 'response' ? result.status : result.kind;
  };
  const callbackQuery = async () =>
    Object.fromEntries((await harness.upstream.consent(await harness.startAuthorization())).searchParams);

  /** Runs `action` up to the crash point, ends the process there, and starts another on the same data. */
  const crash = async (at: CrashPoint, action: () => Promise<unknown>) => {
    const point = CRASH_POINTS[at];
    const reached = new Gate();
    const never = new Promise<never>(() => undefined);
    if ('request' in point) {
      harness.upstream.misbehave('POST /oauth/token', point.request, 1);
      harness.upstream.watch('POST /oauth/token', () => reached.open());
    } else {
      const change = harness.journal.change.bind(harness.journal);
      let changes = 0;
      jest.spyOn(harness.journal, 'change').mockImplementation(async (...given) => {
        changes += 1;
        if (changes < point.write) return change(...given);
        if (point.written) await change(...given);
        reached.open();
        return never;
      });
    }
    action().catch(() => undefined);
    await reached.opened;
    await harness.kill();
    harness.upstream.behave();
    await harness.open();
  };

  describe('during an authorization', () => {
    it('before the intent is recorded, can still complete it', async () => {
      const query = await callbackQuery();
      await crash('before the intent is recorded', () => harness.completeAuthorization(query));
      expect(harness.connectionState()).toMatchObject({ state: 'not_connected', consent_failure: null });
      expect(await harness.completeAuthorization(query)).toEqual({ status: 'connected' });
      expect(await callDeals()).toBe(200);
    });

    it.each<CrashPoint>([
      'recorded, before the request is sent',
      'sent, before it is processed',
      'processed, before the response',
      'answered, before the tokens are stored',
    ])('%s, reports that and the remedy; a new authorization connects', async (point) => {
      const query = await callbackQuery();
      await crash(point, () => harness.completeAuthorization(query));
      expect(harness.connectionState()).toMatchObject({
        state: 'not_connected',
        sentence: expect.stringContaining('Switchboard stopped while the authorization was being completed'),
        remedy: 'Start again from Switchboard.',
        consent_failure: { at: '2026-11-20T12:00:00.000Z', code: 'exchange_interrupted' },
      });
      harness.workspace.clock.time += 1;
      await harness.connect();
      expect(harness.connectionState()).toMatchObject({ state: 'connected', consent_failure: null });
      expect(await callDeals()).toBe(200);

      await harness.close();
      await harness.open();
      expect(harness.connectionState()).toMatchObject({ state: 'connected', consent_failure: null });
    });

    it('tokens stored, is connected', async () => {
      const query = await callbackQuery();
      await crash('tokens stored', () => harness.completeAuthorization(query));
      expect(harness.connectionState()).toMatchObject({ state: 'connected', consent_failure: null });
      await harness.advance(HOUR_MS);
      expect(await callDeals()).toBe(200);
    });

    it('that would replace a grant, keeps the existing one, and reports the failure', async () => {
      await harness.connect();
      harness.workspace.clock.time += 1_000;
      const query = await callbackQuery();
      await crash('answered, before the tokens are stored', () => harness.completeAuthorization(query));
      expect(harness.connectionState()).toMatchObject({
        state: 'connected',
        consent_failure: { code: 'exchange_interrupted' },
      });
      await harness.advance(HOUR_MS);
      expect(harness.connectionState().state).toBe('connected');
      expect(await callDeals()).toBe(200);
    });

    it('is no longer reported after a disconnection', async () => {
      const query = await callbackQuery();
      await crash('answered, before the tokens are stored', () => harness.completeAuthorization(query));
      await harness.connection.disconnect();
      await harness.close();
      await harness.open();
      expect(harness.connectionState()).toMatchObject({ state: 'not_connected', consent_failure: null });
    });
  });

  /** The state right after the restart, and the state after the next request to Co-Pilot. */
  const RENEWALS: [at: CrashPoint, found: string, ends: { rotating: string; keeping: string }][] = [
    ['before the intent is recorded', 'connected', { rotating: 'connected', keeping: 'connected' }],
    [
      'recorded, before the request is sent',
      'renewal_interrupted',
      { rotating: 'connected', keeping: 'connected' },
    ],
    ['sent, before it is processed', 'renewal_interrupted', { rotating: 'connected', keeping: 'connected' }],
    [
      'processed, before the response',
      'renewal_interrupted',
      { rotating: 'consent_needed', keeping: 'connected' },
    ],
    [
      'answered, before the tokens are stored',
      'renewal_interrupted',
      { rotating: 'consent_needed', keeping: 'connected' },
    ],
    ['tokens stored', 'connected', { rotating: 'connected', keeping: 'connected' }],
  ];
  const CASES = RENEWALS.flatMap(([at, found, ends]) => [
    { at, found, ends: ends.rotating, upstreamKind: 'a Co-Pilot that rotates refresh tokens', rotates: true },
    {
      at,
      found,
      ends: ends.keeping,
      upstreamKind: 'a Co-Pilot that keeps the refresh token',
      rotates: false,
    },
  ]);

  describe('during a renewal', () => {
    it.each(CASES)(
      '$at, with $upstreamKind, is $found and then $ends',
      async ({ at, found, ends, rotates }) => {
        harness.upstream.grants.rotatesRefreshTokens = rotates;
        await harness.connect();
        harness.workspace.clock.time += HOUR_MS;
        await crash(at, () => harness.renewal.tick());
        expect(harness.connectionState()).toMatchObject({ state: found });

        await harness.advance(0);
        const shown = harness.connectionState();
        expect(shown.state).toBe(ends);
        if (ends === 'consent_needed') {
          expect(shown.sentence).toContain('after an interrupted renewal');
          expect(shown.remedy).toBe(
            'Connect again. Until then events still arrive and are delivered, but the webhook can be neither checked nor repaired.',
          );
          await harness.connect();
        }
        await harness.advance(HOUR_MS);
        expect(harness.connectionState().state).toBe('connected');
        expect(await callDeals()).toBe(200);
        expect(harness.readRows('SELECT renewal_started_at FROM grants')).toEqual([
          { renewal_started_at: null },
        ]);
      },
    );
  });

  it('during a disconnection, either has no grant or still has the complete one', async () => {
    await harness.connect();
    await crash('recorded, before the request is sent', () => harness.connection.disconnect());
    expect(harness.connectionState().state).toBe('not_connected');
    await harness.connect();
    await crash('before the intent is recorded', () => harness.connection.disconnect());
    expect(harness.connectionState().state).toBe('connected');
    expect(await callDeals()).toBe(200);
  });
});
