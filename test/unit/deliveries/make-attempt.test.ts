import type { Clock } from '../../../src/relay/ground/clock';
import type { DeliverableEvent, Journal, OpenDelivery } from '../../../src/relay/database/journal';
import { makeAttempt, type AttemptTools } from '../../../src/relay/deliveries/sending/make-attempt';
import type { TargetSender } from '../../../src/relay/deliveries/sending/send-attempt';
import type { TargetRecord } from '../../../src/relay/targets/target-record';

const targetWith = (value: string) =>
  ({
    headers: [{ name: 'authorization', value, secret: true }],
    url: 'http://127.0.0.1:9/',
    signingKey: Buffer.alloc(32),
    signingKeyBefore: null,
  }) as unknown as TargetRecord;

it('an attempt whose target changes while its event is read goes out as the target is by then', async () => {
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
  let current = targetWith('for the origin before');
  const tools = {
    journal: {
      instanceId: 1,
      readEvent: () => {
        current = targetWith('for the present origin');
        return Promise.resolve(event);
      },
    } as unknown as Journal,
    clock: { now: () => 0 } as Clock,
    bounds: { latestOf: () => 0 },
    random: { bytes: (count: number) => Buffer.alloc(count) },
  } as unknown as AttemptTools;
  const due = { key: { seq: 1, target: 1, n: 0 }, trigger: 'live', attempts: 0 } as unknown as OpenDelivery;
  const sent: (string | undefined)[] = [];
  const sender = {
    send: (headers: Record<string, string>) => {
      sent.push(headers['authorization']);
      return Promise.resolve(null);
    },
  } as unknown as TargetSender;
  await makeAttempt(due, () => current, sender, tools);
  expect(sent).toEqual(['for the present origin']);
});
