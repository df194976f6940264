import { cpSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { until } from '../../support/until';
import { Gate, HOUR_MS } from '../../support/daemon/feature-harness';
import { openForRenewal } from './renewal-steps';

describe('token renewal', () => {
  const { harness, refreshes, callDeals, interrupt, stopAt } = openForRenewal();

  describe('that was interrupted by a crash', () => {
    it('is reported after the restart, then retried', async () => {
      await interrupt('hang');
      await harness.open();
      expect(harness.connectionState()).toMatchObject({
        state: 'renewal_interrupted',
        sentence: expect.stringContaining('its outcome is unknown'),
      });
      await harness.advance(0);
      expect(harness.connectionState().state).toBe('connected');
    });

    it('is still reported while Co-Pilot does not respond', async () => {
      await interrupt('hang');
      await harness.open();
      harness.upstream.misbehave('POST /oauth/token', 'drop_request');
      await harness.advance(0);
      await harness.close();
      await harness.open();
      expect(harness.connectionState().state).toBe('renewal_interrupted');
    });

    it('requires a new consent if Co-Pilot had processed it, and says why', async () => {
      await interrupt('mute');
      await harness.open();
      await harness.advance(0);
      expect(harness.connectionState()).toMatchObject({
        state: 'consent_needed',
        sentence: expect.stringContaining('after an interrupted renewal'),
      });
    });
  });

  describe('that came due while the database was not in use', () => {
    const UNUSED =
      'Its renewal came due while this database was not in use; the last use was at 2026-11-20T12:30:00.000Z';

    it('warns before its request that a restored database may contain a used token, and reports the result', async () => {
      const backup = join(harness.workspace.dataDir, 'backup.db');
      await stopAt(harness.workspace.clock.time + HOUR_MS / 2);
      cpSync(join(harness.workspace.dataDir, 'switchboard.db'), backup);
      await harness.open();
      await harness.advance(HOUR_MS);
      expect(refreshes()).toHaveLength(1);
      await harness.close();

      renameSync(backup, join(harness.workspace.dataDir, 'switchboard.db'));
      await harness.open();
      expect(harness.connectionState()).toMatchObject({
        state: 'connected',
        sentence: expect.stringContaining(UNUSED),
      });
      expect(harness.workspace.logged.join('')).toContain('its refresh token may be used up');
      await harness.advance(0);
      expect(harness.connectionState()).toMatchObject({
        state: 'consent_needed',
        sentence: expect.stringMatching(
          /invalid_grant.*not used here since 2026-11-20T12:30:00.000Z: if this database was restored/,
        ),
      });
      await harness.connect();
      expect(harness.connectionState().sentence).toBe(
        'The grant is valid, and its tokens are renewed automatically.',
      );
    });

    it('warns after a long stop too, until it succeeds', async () => {
      await stopAt(harness.workspace.clock.time + HOUR_MS / 2);
      harness.workspace.clock.time += 24 * HOUR_MS;
      await harness.open();
      harness.upstream.misbehave('POST /oauth/token', 'drop_request', 1);
      await harness.advance(0);
      expect(harness.connectionState().sentence).toContain(UNUSED);
      await harness.advance(5_000);
      expect(harness.connectionState().sentence).toBe(
        'The grant is valid, and its tokens are renewed automatically.',
      );
    });

    it.each([
      ['that was in use after it came due', 0.9 * HOUR_MS, 24 * HOUR_MS],
      ['whose token is not due yet', 0.1 * HOUR_MS, 0.7 * HOUR_MS],
    ])('does not warn about a database %s', async (_, beatAfter, startAfter) => {
      await stopAt(harness.workspace.clock.time + beatAfter);
      harness.workspace.clock.time += startAfter;
      await harness.open();
      expect(harness.connectionState().sentence).not.toContain('not in use');
    });
  });

  it('that is in progress delays the stop, so that its tokens are not lost', async () => {
    const gate = new Gate();
    harness.upstream.watch('POST /oauth/token', () => gate.opened);
    harness.workspace.clock.time += HOUR_MS;
    void harness.renewal.tick();
    await until('the renewal to be sent', () => refreshes().length === 1);
    let stopped = false;
    const stopping = harness.app.close().then(() => (stopped = true));
    // Without a pending renewal, stopping takes a few turns of the event loop.
    for (let turn = 0; turn < 2_000; turn += 1) await nextTurn();
    expect(stopped).toBe(false);
    gate.open();
    await stopping;
    await harness.kill();
    await harness.open();
    expect(harness.connectionState().state).toBe('connected');
    expect(await callDeals()).toBe(200);
    expect(refreshes()).toHaveLength(1);
  });
});
