import { Daemon } from '../../support/daemon/daemon';
import { emit } from '../../support/daemon/emit';
import { FakeCopilot } from '../../support/fakes/copilot';
import { OtlpReceiver } from '../../support/fakes/otlp-receiver';
import { useReceivers } from '../../support/fakes/receivers';
import type { RecordingTarget } from '../../support/fakes/recording-target';
import { until } from '../../support/until';

const CLIENT = 3;
const SERVER = 2;
const ERROR = 2;
const SECRET = 'secret-of-the-path';

const startReceiver = useReceivers();
let upstream: FakeCopilot;
let target: RecordingTarget;
let receiver: OtlpReceiver;

beforeAll(async () => {
  [upstream, target, receiver] = await Promise.all([
    FakeCopilot.start(),
    startReceiver(),
    OtlpReceiver.start(),
  ]);
});
afterAll(async () => {
  await upstream.close();
  await receiver.close();
});

/** So many that one is left after a restart. */
const RETRIES_LATER: readonly number[] = Array.from({ length: 40 }, () => 1);

const start = async (environment: Record<string, string>) => {
  const daemon = await Daemon.startConnected({
    upstream,
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_SERVICE_NAME: 'hub-of-the-test',
      OTEL_BSP_SCHEDULE_DELAY: '50',
      ...environment,
    },
  });
  await daemon.addTarget('shop', `${target.url}${SECRET}?key=${SECRET}`, {
    events: ['deal.*'],
    policy: { retry: { delays_s: [0.1, ...RETRIES_LATER] }, breaker: null },
  });
  return daemon;
};

/** The parts of `traceparent` in each request that the target received. */
const received = () =>
  target.hits.map(({ headers }) => {
    const [, traceId, spanId, flags] = String(headers['traceparent']).split('-');
    return { traceId, spanId, flags };
  });

const milliseconds = (nanoseconds: string) => Number(BigInt(nanoseconds) / 1_000_000n);

it('an event is one trace: from its arrival to each attempt, across a restart', async () => {
  target.respondWith(500);
  const daemon = await start({});
  try {
    const before = Date.now();
    const id = await emit(daemon, 'deal.created', { id: 1 });
    await until('the first attempt', () => target.hits.length > 0);
    expect(await daemon.stop()).toBe(0);
    const failed = receiver.named('attempt').length;
    expect(failed).toBe(target.hits.length);
    target.respondWith(200);
    await daemon.restart();
    await until('the successful attempt', () => receiver.named('attempt').length > failed);

    const [event, ...otherEvents] = receiver.named('event').filter(({ kind }) => kind === SERVER);
    expect(otherEvents).toEqual([]);
    expect(event).toMatchObject({
      attributes: { 'switchboard.event.id': id, 'switchboard.event.type': 'deal.created' },
      resource: { 'service.name': 'hub-of-the-test', 'service.version': expect.any(String) },
    });
    expect(event!.parentSpanId ?? '').toBe('');
    expect(milliseconds(event!.startTimeUnixNano)).toBeGreaterThanOrEqual(before);
    expect(milliseconds(event!.endTimeUnixNano)).toBeGreaterThanOrEqual(
      milliseconds(event!.startTimeUnixNano),
    );

    const attempts = receiver.named('attempt');
    expect(received()).toEqual(
      attempts.map(({ spanId }) => ({ traceId: event!.traceId, spanId, flags: '01' })),
    );
    for (const { traceId, parentSpanId, kind } of attempts)
      expect({ traceId, parentSpanId, kind }).toEqual({
        traceId: event!.traceId,
        parentSpanId: event!.spanId,
        kind: CLIENT,
      });
    expect(attempts[0]).toMatchObject({
      status: { code: ERROR },
      attributes: {
        'http.request.method': 'POST',
        'http.response.status_code': 500,
        'error.type': '500',
        'server.address': '127.0.0.1',
        'server.port': Number(new URL(target.url).port),
        'switchboard.attempt': 1,
        'switchboard.delivery.state': 'retrying',
        'switchboard.target.name': 'shop',
      },
    });
    expect(attempts.at(-1)!.attributes).toMatchObject({
      'http.response.status_code': 200,
      'switchboard.delivery.state': 'succeeded',
    });

    const key = new URL(daemon.webhook.url).pathname.split('/').at(-1)!;
    expect(key.length).toBeGreaterThan(20);
    for (const secret of [key, SECRET, daemon.token]) expect(receiver.text).not.toContain(secret);
  } finally {
    await daemon.close();
  }
});

it.each([
  ['the sampler rejects all traces', { OTEL_TRACES_SAMPLER: 'always_off' }, '00'],
  ['OpenTelemetry is disabled', { OTEL_SDK_DISABLED: 'true' }, '01'],
])('nothing is sent if %s, and targets are told so unless it is off', async (_, environment, flags) => {
  target.hits.length = 0;
  target.respondWith(200);
  receiver.requests = 0;
  const daemon = await start(environment);
  try {
    await emit(daemon, 'deal.created', { id: 2 });
    await until('the attempt', () => target.hits.length === 1);
    expect(received()).toMatchObject([{ flags }]);
    expect(await daemon.stop()).toBe(0);
    expect(receiver.requests).toBe(0);
  } finally {
    await daemon.close();
  }
});

it('a receiver that fails delays no delivery, and the log says so', async () => {
  target.hits.length = 0;
  const daemon = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/missing` });
  try {
    await emit(daemon, 'deal.created', { id: 3 });
    await until('the attempt', () => target.hits.length === 1);
    await until('the log line', () => daemon.output.includes('spans not sent'));
    expect(await daemon.stop()).toBe(0);
  } finally {
    await daemon.close();
  }
});
