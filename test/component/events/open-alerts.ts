import type { AlertSummary } from '../../../src/contract/alert';
import type { Alert } from '../../../src/relay/events/alert';
import { AlertsService } from '../../../src/relay/events/alerts.service';
import { EventsModule } from '../../../src/relay/events/events.module';
import { FeatureHarness, useFeatureHarness } from '../../support/daemon/feature-harness';

export const MINUTE_MS = 60_000;

export const DISK: Alert = {
  type: 'relay.disk.low',
  subject: '',
  severity: 'critical',
  sentence: '3 % of the disk is free.',
  remedy: 'Make room.',
};

export const harness = useFeatureHarness(new FeatureHarness([EventsModule]));
export let alerts: AlertsService;

export const open = async () => {
  await harness.open();
  alerts = harness.app.get(AlertsService, { strict: false });
};

export const restart = async (how: 'close' | 'kill') => {
  await harness[how]();
  await open();
  await alerts.tick();
};

/** Advances the clock in steps of a minute, raising `raised` in each. */
export const pass = async (ms: number, raised?: Alert) => {
  for (let left = ms; left > 0; left -= MINUTE_MS) {
    harness.workspace.clock.time += Math.min(left, MINUTE_MS);
    if (raised !== undefined) alerts.raise(raised);
    await alerts.tick();
  }
};

export const published = () =>
  harness.readRows<{ body: Buffer }>('SELECT body FROM events ORDER BY seq').map(({ body }) => {
    const { event, data } = JSON.parse(body.toString()) as { event: string; data: Record<string, unknown> };
    return { type: event, ...data };
  });

export const states = () => published().map((event) => ('state' in event ? event.state : null));

export const list = async (state: 'active' | 'resolved'): Promise<AlertSummary[]> =>
  (await alerts.list({ state, limit: 200 })).data;
