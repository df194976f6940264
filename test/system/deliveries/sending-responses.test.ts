import { makeCertificate } from '../../support/fakes/certificates';
import { target } from '../../../src/contract/target';
import {
  MEGABYTE,
  SECOND,
  SentEvent,
  assertRetrying,
  sendAgain,
  sendOnce,
  startReceiver,
  switchboard,
  useSending,
} from './sent-event';

useSending();

const HOUR = 3_600 * SECOND;

const authority = { name: 'An authority', ...makeCertificate({ name: 'An authority', authority: true }) };
const certified = makeCertificate({ name: 'target', issuer: authority });

/** The pause between an attempt and the next one, in ms. */
function pauseAfter({ delivery }: SentEvent): number {
  const { at, duration_ms } = delivery.attempts.at(-1)!;
  return Date.parse(delivery.due_at!) - Date.parse(at) - duration_ms;
}

describe('a target', () => {
  it('7. that responds with 429 and seconds gets no request for that long', async () => {
    const receiver = await startReceiver((response) =>
      response.writeHead(429, { 'retry-after': '120' }).end(),
    );
    const sent = await sendOnce(receiver.url);
    assertRetrying(sent, 'http_status', 429);
    expect(pauseAfter(sent)).toBeGreaterThanOrEqual(120 * SECOND);
    expect(pauseAfter(sent)).toBeLessThan(180 * SECOND);
    receiver.respondWith(204);
    switchboard.clock.move(100 * SECOND);
    await switchboard.ask('/stats');
    expect(receiver.of(sent.eventId)).toHaveLength(1);
    expect(await sendAgain(sent)).toMatchObject({ state: 'succeeded' });
    expect(receiver.of(sent.eventId)).toHaveLength(2);
  });

  it('8. that responds with 429 and a date gets no request until then', async () => {
    const receiver = await startReceiver((response) => {
      const date = new Date(switchboard.clock.now() + 300 * SECOND).toUTCString();
      response.writeHead(429, { 'retry-after': date }).end();
    });
    const sent = await sendOnce(receiver.url);
    assertRetrying(sent, 'http_status', 429);
    expect(pauseAfter(sent)).toBeGreaterThanOrEqual(298 * SECOND);
    expect(pauseAfter(sent)).toBeLessThan(420 * SECOND);
    receiver.respondWith(204);
    expect(await sendAgain(sent)).toMatchObject({ state: 'succeeded' });
    expect(receiver.of(sent.eventId)).toHaveLength(2);
  });

  it('9. that responds with 410 is disabled for that reason, and sent nothing more', async () => {
    const receiver = await startReceiver(410);
    const { targetId, delivery } = await sendOnce(receiver.url);
    expect(delivery).toMatchObject({ state: 'dead', last_error: 'gone', attempts: [{ status: 410 }] });
    expect(await switchboard.read(target, `/targets/${targetId}`)).toMatchObject({
      enabled: false,
      disabled: { reason: 'HTTP 410 Gone.' },
    });
    await switchboard.emit(delivery.event_type);
    switchboard.clock.move(24 * HOUR);
    await switchboard.ask('/stats');
    expect(receiver.hits).toHaveLength(1);
  });

  it('10. that redirects is not followed', async () => {
    const elsewhere = await startReceiver();
    const receiver = await startReceiver((response) =>
      response.writeHead(308, { location: elsewhere.url }).end(),
    );
    const sent = await sendOnce(receiver.url);
    assertRetrying(sent, 'http_status', 308);
    expect(receiver.hits).toHaveLength(1);
    expect(elsewhere.hits).toEqual([]);
  });

  it('11. whose certificate has expired is sent nothing', async () => {
    const notAfter = Date.now() - HOUR;
    const receiver = await startReceiver(
      200,
      makeCertificate({ name: 'target', issuer: authority, notAfter }),
    );
    assertRetrying(await sendOnce(receiver.url, { tls: { ca: authority.cert } }), 'certificate_expired');
    expect(receiver.hits).toEqual([]);
  });

  it('12. whose certificate authority is unknown is sent nothing until that authority is set', async () => {
    const receiver = await startReceiver(200, certified);
    const sent = await sendOnce(receiver.url);
    assertRetrying(sent, 'certificate_unknown');
    expect(receiver.hits).toEqual([]);
    const json = { tls: { ca: authority.cert } };
    await switchboard.read(target, `/targets/${sent.targetId}`, { method: 'PATCH', json });
    expect(await sendAgain(sent)).toMatchObject({ state: 'succeeded' });
    expect(receiver.of(sent.eventId)).toHaveLength(1);
  });

  it('13. that requires a client certificate receives the event only with one', async () => {
    const client = makeCertificate({ name: 'switchboard', issuer: authority });
    const asking = { ...certified, ca: authority.cert, requestCert: true, rejectUnauthorized: true };
    const receiver = await startReceiver(200, asking);
    const without = await sendOnce(receiver.url, { tls: { ca: authority.cert } });
    expect(without.delivery).toMatchObject({ state: 'retrying', attempts: [{ status: null }] });
    expect(receiver.hits).toEqual([]);
    const json = { tls: { ca: authority.cert, ...client } };
    await switchboard.read(target, `/targets/${without.targetId}`, { method: 'PATCH', json });
    expect(await sendAgain(without)).toMatchObject({ state: 'succeeded' });
    expect(receiver.of(without.eventId)).toHaveLength(1);
  });

  it('14. whose host name is not found is retried', async () => {
    assertRetrying(await sendOnce('http://nowhere.invalid/'), 'name_not_found');
  });

  it('15. that sends a megabyte of headers has failed', async () => {
    const receiver = await startReceiver((response) =>
      response.writeHead(200, { 'x-large': 'x'.repeat(MEGABYTE) }).end(),
    );
    const sent = await sendOnce(receiver.url);
    assertRetrying(sent, 'answer_too_large');
    receiver.respondWith(204);
    expect(await sendAgain(sent)).toMatchObject({ state: 'succeeded' });
    expect(receiver.of(sent.eventId)).toHaveLength(2);
  });

  it('16. that sends a megabyte has an excerpt stored, and gets its next event in time', async () => {
    const receiver = await startReceiver((response) => response.writeHead(200).end('y'.repeat(MEGABYTE)));
    const { delivery, targetId } = await sendOnce(receiver.url);
    expect(delivery).toMatchObject({ state: 'succeeded', attempts: [{ excerpt: 'y'.repeat(1_024) }] });
    const next = await switchboard.emit(delivery.event_type);
    await switchboard.deliveryOnce(next, targetId, ({ state }) => state === 'succeeded');
    expect(receiver.hits).toHaveLength(2);
  });

  it('17. whose certificate is for another name is sent nothing, unless verification is off', async () => {
    const hosts = { dns: ['elsewhere.example'], ip: [] };
    const receiver = await startReceiver(200, makeCertificate({ name: 'target', issuer: authority, hosts }));
    assertRetrying(await sendOnce(receiver.url, { tls: { ca: authority.cert } }), 'certificate_name');
    expect(receiver.hits).toEqual([]);
    const { delivery } = await sendOnce(receiver.url, { tls: { verify: false } });
    expect(delivery).toMatchObject({ state: 'succeeded' });
    expect(receiver.hits).toHaveLength(1);
  });
});
