import type { Clock } from '../../../src/relay/ground/clock';
import { InstanceId } from '../../../src/relay/ground/ids';
import type { DeliverableEvent, Journal, QueuedDelivery } from '../../../src/relay/database/journal';
import { makeAttempt, type AttemptTools } from '../../../src/relay/deliveries/sending/make-attempt';
import type { TargetSender } from '../../../src/relay/deliveries/sending/target-sender';
import { Tracer } from '../../../src/relay/ground/tracer';
import type { TargetRecord } from '../../../src/relay/targets/target-record';

const targetWith = (value: string) =>
  ({
    headers: [{ name: 'authorization', value, secret: true }],
    url: 'http://127.0.0.1:9/',
    format: 'json',
    signingKey: Buffer.alloc(32),
    previousSigningKey: null,
  }) as unknown as TargetRecord;

it.each([
  ['uses the target as it is after its event was read', true, ['for the current origin']],
  ['is not made once another daemon may have become the leader', false, []],
])('an attempt %s', async (_, holdsLease, expected) => {
  const event: DeliverableEvent = {
    seq: 1,
    receivedAt: 0,
    type: 'deal.created',
    entity: null,
    contentType: null,
    body: Buffer.from('{}'),
    signatureHeader: '',
    signatureValue: '',
  };
  let current = targetWith('for the previous origin');
  const tools = {
    daemons: { holdsLease: () => holdsLease },
    journal: {
      instanceId: new InstanceId(1),
      readEvent: () => {
        current = targetWith('for the current origin');
        return Promise.resolve(event);
      },
    } as unknown as Journal,
    clock: { now: () => 0 } as Clock,
    bounds: { fromWallClock: () => 0 },
    random: { bytes: (count: number) => Buffer.alloc(count) },
    tracer: new Tracer(),
  } as unknown as AttemptTools;
  const due = { key: { seq: 1, target: 1, n: 0 }, trigger: 'live', attempts: 0 } as unknown as QueuedDelivery;
  const sent: (string | undefined)[] = [];
  const sender = {
    send: (headers: Record<string, string>) => {
      sent.push(headers['authorization']);
      return Promise.resolve(null);
    },
  } as unknown as TargetSender;
  await makeAttempt(due, () => current, sender, tools);
  expect(sent).toEqual(expected);
});
