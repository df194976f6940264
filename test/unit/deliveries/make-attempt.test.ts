import type { AttemptError } from '../../../src/contract/delivery';
import type { Clock } from '../../../src/relay/ground/clock';
import { InstanceId } from '../../../src/relay/ground/ids';
import type { DeliverableEvent, Journal, QueuedDelivery } from '../../../src/relay/database/journal/journal';
import { failedOutcome, type AttemptOutcome } from '../../../src/relay/deliveries/sending/attempt-outcome';
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
    signature: null,
    ed25519: false,
    transform: null,
    previousSigningKey: null,
  }) as unknown as TargetRecord;

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

const EDITED = Buffer.from('{"data":{"sentence":"Please pay"}}');

const due = { key: { seq: 1, target: 1, n: 0 }, trigger: 'live', attempts: 0 } as unknown as QueuedDelivery;

interface Course {
  delivers?: () => boolean;
  /** Called while the event is read. */
  onRead?: () => void;
  /** Called while a request is in flight. */
  onSend?: (body: Uint8Array) => AttemptOutcome | null;
}

/** Makes an attempt. @returns the credentials of each request that was sent, and whether it has an outcome */
async function attempt(
  target: () => TargetRecord,
  { delivers = () => true, onRead, onSend }: Course,
  trigger: QueuedDelivery['trigger'] = 'live',
): Promise<{ sent: (string | undefined)[]; isCounted: boolean }> {
  const tools = {
    ownership: { delivers },
    journal: {
      instanceId: new InstanceId(1),
      readEvent: () => {
        onRead?.();
        return Promise.resolve(event);
      },
      readEditedBody: () => Promise.resolve(EDITED),
    } as unknown as Journal,
    clock: { now: () => 0 } as Clock,
    bounds: { fromWallClock: () => 0 },
    random: { bytes: (count: number) => Buffer.alloc(count) },
    tracer: new Tracer(),
    publicAddress: { url: 'https://hub.example' },
  } as unknown as AttemptTools;
  const sent: (string | undefined)[] = [];
  const sender = {
    send: (headers: Record<string, string>, body: Uint8Array) => {
      sent.push(headers['authorization']);
      return Promise.resolve(onSend?.(body) ?? null);
    },
  } as unknown as TargetSender;
  const completed = await makeAttempt({ ...due, trigger }, target, sender, tools);
  return { sent, isCounted: completed !== null };
}

describe('an attempt', () => {
  it('uses the target as it is after its event was read', async () => {
    let current = targetWith('for the previous origin');
    const onRead = () => void (current = targetWith('for the current origin'));
    expect(await attempt(() => current, { onRead })).toMatchObject({ sent: ['for the current origin'] });
  });

  it.each([
    ['json', /Please pay/],
    ['text', /Event evt_\w+ of type deal\.created/],
  ] as const)(
    'of an edited event sends to a target with the format %s what it may receive',
    async (format, expected) => {
      const bodies: string[] = [];
      const onSend = (body: Uint8Array) => {
        bodies.push(String(body));
        return null;
      };
      await attempt(() => ({ ...targetWith('a secret'), format }), { onSend }, 'manual');
      expect(bodies).toEqual([expect.stringMatching(expected)]);
    },
  );

  it('is not made once another daemon may deliver to the target', async () => {
    const target = targetWith('a secret');
    expect(await attempt(() => target, { delivers: () => false })).toEqual({ sent: [], isCounted: false });
  });

  it('does not count if this machine could not connect', async () => {
    const target = targetWith('a secret');
    const failing = (error: AttemptError) => attempt(() => target, { onSend: () => failedOutcome(error, 0) });
    expect(await failing('local_failure')).toEqual({ sent: ['a secret'], isCounted: false });
    expect(await failing('connection_refused')).toMatchObject({ isCounted: true });
  });
});
