import type { Clock } from '../../../src/relay/ground/clock';
import { InstanceId } from '../../../src/relay/ground/ids';
import type { DeliverableEvent, Journal, QueuedDelivery } from '../../../src/relay/database/journal';
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

/** Makes an attempt. @returns the credentials of each request that was sent */
async function attempt(
  target: () => TargetRecord,
  { delivers = () => true, onRead, onSend }: Course,
  trigger: QueuedDelivery['trigger'] = 'live',
): Promise<(string | undefined)[]> {
  const tools = {
    daemons: { delivers },
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
  await makeAttempt({ ...due, trigger }, target, sender, tools);
  return sent;
}

const stale = (): AttemptOutcome => ({ ...failedOutcome('connection_reset', 0), wasStale: true });

describe('an attempt', () => {
  it('uses the target as it is after its event was read', async () => {
    let current = targetWith('for the previous origin');
    const onRead = () => void (current = targetWith('for the current origin'));
    expect(await attempt(() => current, { onRead })).toEqual(['for the current origin']);
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
    expect(await attempt(() => target, { delivers: () => false })).toEqual([]);
  });
});

describe('a request that was sent on a connection that the target had closed', () => {
  it('is sent once more', async () => {
    const target = targetWith('a secret');
    expect(await attempt(() => target, { onSend: stale })).toEqual(['a secret', 'a secret']);
  });

  it('is not sent again if the target has changed', async () => {
    let current = targetWith('for the previous origin');
    const onSend = () => {
      current = targetWith('for the current origin');
      return stale();
    };
    expect(await attempt(() => current, { onSend })).toEqual(['for the previous origin']);
  });

  it('is not sent again once another daemon may deliver to the target', async () => {
    const target = targetWith('a secret');
    let isOwner = true;
    const onSend = () => {
      isOwner = false;
      return stale();
    };
    expect(await attempt(() => target, { delivers: () => isOwner, onSend })).toEqual(['a secret']);
  });
});
