import { payloadFields } from '../../../src/contract/payload-field';
import { receiver, switchboard, useHub } from './hub';

useHub();

describe('the fields of payloads', () => {
  it('are learned from the newest events of the given types, with values', async () => {
    await switchboard.emit('invoice.paid', { total: 120, lines: [{ sku: 'a1' }, { sku: 'b2' }] });
    await switchboard.emit('invoice.paid', { total: 80 });
    await switchboard.emit('receipt.sent', { copies: 2 });
    const { checked, fields } = await switchboard.read(payloadFields, '/events/fields?type=invoice.*');
    expect(checked).toBe(2);
    expect(fields).toContainEqual({ path: 'data.total', kinds: ['number'], events: 2, samples: [80, 120] });
    expect(fields).toContainEqual({
      path: 'data.lines.sku',
      kinds: ['string'],
      events: 1,
      samples: ['a1', 'b2'],
    });
    expect(fields.map(({ path }) => path)).not.toContain('data.copies');
    const both = await switchboard.read(payloadFields, '/events/fields?type=invoice.*&type=receipt.sent');
    expect(both.checked).toBe(3);
  });

  it('are not learned from large payloads, which would take long to parse', async () => {
    await switchboard.emit('large.sent', { text: 'x'.repeat(70_000) });
    expect(await switchboard.read(payloadFields, '/events/fields?type=large.*')).toMatchObject({
      checked: 0,
    });
  });
});

describe('a test with a stored event', () => {
  it('sends its payload unchanged under the id of a sample, and stores nothing', async () => {
    const event = await switchboard.emit('tested.sent', { name: 'kept' });
    const json = { url: receiver.url, event_id: event };
    const before = receiver.hits.length;
    const { status } = await switchboard.ask('/targets/test', { method: 'POST', json });
    expect(status).toBe(200);
    const hit = receiver.hits[before]!;
    expect(JSON.parse(String(hit.body))).toMatchObject({ event: 'tested.sent', data: { name: 'kept' } });
    expect(hit.headers).toMatchObject({
      'switchboard-event-type': 'tested.sent',
      'switchboard-trigger': 'test',
    });
    expect(hit.headers['webhook-id']).not.toBe(event);
    expect((await switchboard.event(event)).deliveries).toEqual([]);
    const unknown = { url: receiver.url, event_id: `evt_${'0'.repeat(26)}` };
    const refused = await switchboard.ask('/targets/test', { method: 'POST', json: unknown });
    expect(refused).toMatchObject({ status: 404, json: { code: 'event_unknown' } });
  });
});
