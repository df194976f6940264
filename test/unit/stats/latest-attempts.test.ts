import { Signal } from '../../../src/relay/ground/signal';
import { LatestAttempts } from '../../../src/relay/stats/latest-attempts';

const START = Date.parse('2026-03-02T09:00:00Z');

/** The attempts at target 1 with these statuses, one a second. */
function after(...statuses: number[]): LatestAttempts {
  const commits = new Signal<[object]>();
  const latest = new LatestAttempts({ onCommit: commits.subscribe.bind(commits) } as never);
  for (const [i, status] of statuses.entries()) {
    const error = status === 200 ? null : 'http_status';
    const attempt = { at: START + i * 1_000, durationMs: 5, status, error };
    commits.emit({
      results: [{ key: { target: 1 }, attempt, state: error === null ? 'succeeded' : 'retrying' }],
    });
  }
  return latest;
}

const second = (i: number) => new Date(START + i * 1_000 + 5).toISOString();

describe('the latest attempts at a target', () => {
  it('are unknown at first', () => {
    expect(after().of(1)).toEqual({ last_failure: null, last_success_at: null, recovered_at: null });
  });

  it('show a recovery at the first success after five failures in a row', () => {
    expect(after(500, 500, 500, 500, 500, 200, 200).of(1)).toEqual({
      last_failure: { at: second(4), status: 500, error: 'http_status' },
      last_success_at: second(6),
      recovered_at: second(5),
    });
  });

  it('show no recovery after fewer failures, as of a target that rejects some events', () => {
    expect(after(422, 422, 200, 422, 422, 200).of(1).recovered_at).toBeNull();
  });

  it('keep a recovery until as many attempts have failed again', () => {
    const recovered = [500, 500, 500, 500, 500, 200];
    expect(after(...recovered, 500, 200).of(1).recovered_at).toBe(second(5));
    expect(after(...recovered, 500, 500, 500, 500, 500).of(1).recovered_at).toBeNull();
  });
});
