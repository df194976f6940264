import { setTimeout as pause } from 'node:timers/promises';
import { FakeCopilot } from '../../support/fakes/copilot';
import { clearPremises, makePremises, Stand, type Premises } from './connection-fixture';

const LIFE_SECONDS = 5;
/** Of moved time. The long run, of two minutes on the clock, is one of the fault runs. */
const LASTS_MS = 20_000;
const STEP_MS = 100;
const CALLERS = 16;
/** So often Co-Pilot ends the access token before its time, while calls are under way. */
const STEPS_BETWEEN_REVOCATIONS = 37;

describe('Access tokens of 5 s', () => {
  let upstream: FakeCopilot;
  let premises: Premises;
  let stand: Stand;

  beforeEach(async () => {
    upstream = await FakeCopilot.start();
    premises = makePremises();
    upstream.now = () => premises.clock.now();
    upstream.expiresIn = LIFE_SECONDS;
    stand = await Stand.open(premises, upstream);
    await stand.connect(upstream);
  });
  afterEach(async () => {
    await stand.close();
    await upstream.close();
    clearPremises(premises);
  });

  const call = async () => {
    const answer = await stand.copilot.call('GET', '/v1/deals');
    return answer.kind === 'answered' ? answer.status : answer.kind;
  };
  const renewals = () => upstream.on('POST /oauth/token').length - 1;

  it('leave no call without a token, and are renewed one at a time', async () => {
    // A renewal takes its time, so that two at once would be seen.
    upstream.watch('POST /oauth/token', () => pause(5));
    upstream.watch('GET /v1/deals', () => pause(1));
    const outcomes = new Map<string | number, number>();
    for (let step = 1; step <= LASTS_MS / STEP_MS; step += 1) {
      premises.clock.time += STEP_MS;
      const calls = Array.from({ length: CALLERS }, call);
      const due = stand.renewal.tick();
      if (step % STEPS_BETWEEN_REVOCATIONS === 0) upstream.endAccessTokens();
      for (const outcome of await Promise.all(calls)) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      await due;
    }
    expect(Object.fromEntries(outcomes)).toEqual({ 200: (CALLERS * LASTS_MS) / STEP_MS });
    expect(upstream.peak('POST /oauth/token')).toBe(1);
    expect(upstream.peak('GET /v1/deals')).toBeGreaterThan(1);
    expect(renewals()).toBeGreaterThanOrEqual(LASTS_MS / 1000 / LIFE_SECONDS);
    expect(renewals()).toBeLessThanOrEqual(
      LASTS_MS / 1000 / (0.8 * LIFE_SECONDS) + LASTS_MS / STEP_MS / STEPS_BETWEEN_REVOCATIONS,
    );
  });

  it('that have ended while nothing looked are renewed by whoever asks first', async () => {
    upstream.watch('POST /oauth/token', () => pause(5));
    for (let round = 1; round <= 10; round += 1) {
      premises.clock.time += LIFE_SECONDS * 1000;
      const statuses = await Promise.all(Array.from({ length: CALLERS }, call));
      expect(new Set(statuses)).toEqual(new Set([200]));
      expect(renewals()).toBe(round);
    }
    expect(upstream.peak('POST /oauth/token')).toBe(1);
  });
});
