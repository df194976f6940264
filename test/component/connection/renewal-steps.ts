import { join } from 'node:path';
import { RelayError } from '../../../src/relay/ground/relay-error';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';
import type { Misbehaviour } from '../../support/fakes/copilot-requests';
import { until } from '../../support/until';
import { HOUR_MS, useFeatureHarness } from '../../support/daemon/feature-harness';

/** A connection before each test, and what tests of its renewal do and see. */
export function openForRenewal() {
  const harness = useFeatureHarness();
  beforeEach(async () => {
    await harness.open();
    await harness.connect();
  });

  const refreshes = () =>
    harness.upstream
      .on('POST /oauth/token')
      .map(({ body }) => new URLSearchParams(body))
      .filter((form) => form.get('grant_type') === 'refresh_token');
  const callDeals = async () => {
    const result = await harness.copilot.call('GET', '/v1/deals');
    return result.kind === 'response' ? result.status : result.kind;
  };

  /** Rejects `failing` changes after the first `passing` ones. */
  const failDisk = (passing: number, failing: number) => {
    const change = harness.journal.change.bind(harness.journal);
    let changes = 0;
    jest.spyOn(harness.journal, 'change').mockImplementation((...given) => {
      changes += 1;
      if (changes <= passing || changes > passing + failing) return change(...given);
      return Promise.reject(new RelayError('storage_failed', 503, 'The disk is full.'));
    });
  };

  /** Kills the process during a renewal. */
  const interrupt = async (how: Misbehaviour) => {
    harness.upstream.misbehave('POST /oauth/token', how, 1);
    harness.workspace.clock.time += HOUR_MS;
    void harness.renewal.tick();
    await until('the renewal to be sent', () => refreshes().length === 1);
    await harness.kill();
  };

  /** Stops the daemon, with `beat` as its last heartbeat. */
  const stopAt = async (beat: number) => {
    await harness.close();
    const connection = new sqliteDriver(join(harness.workspace.dataDir, 'switchboard.db'));
    connection.prepare('INSERT OR REPLACE INTO heartbeat(id, at, expecting) VALUES (1, ?, 1)').run(beat);
    connection.close();
  };

  return { harness, refreshes, callDeals, failDisk, interrupt, stopAt };
}
