import { setTimeout as pause } from 'node:timers/promises';
import { useFeatureHarness } from '../../support/daemon/feature-harness';

const LIFETIME_SECONDS = 5;
/** Simulated. The fault runs include a longer one, of two minutes of real time. */
const DURATION_MS = 20_000;
const STEP_MS = 100;
const CALLERS = 16;
/** How often Co-Pilot revokes the access token early, during calls. */
const STEPS_BETWEEN_REVOCATIONS = 37;

describe('access tokens with a lifetime of 5 s', () => {
  const harness = useFeatureHarness();
  beforeEach(async () => {
    harness.upstream.grants.now = () => harness.workspace.clock.now();
    harness.upstream.grants.expiresIn = LIFETIME_SECONDS;
    await harness.open();
    await harness.connect();
  });

  const call = async () => {
    const result = await harness.copilot.call('GET', '/v1/deals');
    return result.kind === 'response' ? result.status : result.kind;
  };
  const renewals = () => harness.upstream.on('POST /oauth/token').length - 1;

  it('are valid for every call, and are renewed one at a time', async () => {
    // A renewal takes some time, so that concurrent ones would overlap.
    harness.upstream.watch('POST /oauth/token', () => pause(5));
    harness.upstream.watch('GET /v1/deals', () => pause(1));
    const outcomes = new Map<string | number, number>();
    for (let step = 1; step <= DURATION_MS / STEP_MS; step += 1) {
      harness.workspace.clock.time += STEP_MS;
      const calls = Array.from({ length: CALLERS }, call);
      const due = harness.renewal.tick();
      if (step % STEPS_BETWEEN_REVOCATIONS === 0) harness.upstream.grants.expireAccess();
      for (const outcome of await Promise.all(calls)) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      await due;
    }
    expect(Object.fromEntries(outcomes)).toEqual({ 200: (CALLERS * DURATION_MS) / STEP_MS });
    expect(harness.upstream.peak('POST /oauth/token')).toBe(1);
    expect(harness.upstream.peak('GET /v1/deals')).toBeGreaterThan(1);
    expect(renewals()).toBeGreaterThanOrEqual(DURATION_MS / 1000 / LIFETIME_SECONDS);
    expect(renewals()).toBeLessThanOrEqual(
      DURATION_MS / 1000 / (0.8 * LIFETIME_SECONDS) + DURATION_MS / STEP_MS / STEPS_BETWEEN_REVOCATIONS,
    );
  });

  it('that expired between calls are renewed by the next call', async () => {
    harness.upstream.watch('POST /oauth/token', () => pause(5));
    for (let round = 1; round <= 10; round += 1) {
      harness.workspace.clock.time += LIFETIME_SECONDS * 1000;
      const statuses = await Promise.all(Array.from({ length: CALLERS }, call));
      expect(new Set(statuses)).toEqual(new Set([200]));
      expect(renewals()).toBe(round);
    }
    expect(harness.upstream.peak('POST /oauth/token')).toBe(1);
  });
});
