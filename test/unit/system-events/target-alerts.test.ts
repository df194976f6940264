import { TargetAlertsWorker } from '../../../src/relay/system-events/target-alerts.worker';
import { TimeBounds } from '../../../src/relay/ground/time-bounds';
import { FixedClock } from '../../support/clock';
import { TARGET } from '../../support/queue-tools';

it('a target whose backlog cannot be read does not silence the alerts of others', async () => {
  const clock = new FixedClock();
  const disabled = { at: 0, reason: 'It responded with 410.' };
  const targets = [1, 2].map((number) => ({ ...TARGET, id: `tgt_${number}`, number, disabled }));
  const raised: string[] = [];
  const parts = {
    targets: { all: () => targets },
    breakers: {},
    backlog: {
      oldestAt: async ([number]: number[]) => {
        if (number === 1) throw new Error('The read took too long.');
        return null;
      },
    },
    attempts: {},
    failing: {},
    clock,
    bounds: new TimeBounds(clock),
    alerts: {
      active: () => [{ type: 'relay.target.down', subject: 'tgt_deleted' }],
      raise: ({ type, subject }: { type: string; subject: string }) => raised.push(`${type} ${subject}`),
      resolve: () => undefined,
    },
    log: { error: () => undefined },
  };
  const worker = new TargetAlertsWorker(
    ...(Object.values(parts) as unknown as ConstructorParameters<typeof TargetAlertsWorker>),
  );
  await worker.tick();
  expect(raised).toEqual(['relay.target.disabled tgt_2']);
});
