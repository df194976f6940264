import { transformPreview } from '../../../src/contract/transform';
import { switchboard, useHub } from './hub';

useHub();

const preview = (json: object) =>
  switchboard.read(transformPreview, '/targets/preview/transform', { method: 'POST', json });

it('an expression is evaluated with the newest events that match', async () => {
  const first = await switchboard.emit('sold', { id: 1, price: 5 });
  const second = await switchboard.emit('sold', { id: 2, price: '5' });
  await switchboard.emit('other', { id: 3, price: 5 });
  const expression = '{"sum": data.price + 1, "for": $target.name, "type": $event.type}';
  expect(await preview({ expression, events: ['sold'], name: 'ERP' })).toEqual({
    checked: 2,
    failed: 1,
    p95_ms: expect.any(Number),
    data: [
      {
        event_id: second,
        ok: false,
        error: { code: 'T2001', position: 20, message: expect.stringContaining('+') },
      },
      { event_id: first, ok: true, output: { sum: 6, for: 'ERP', type: 'sold' } },
    ],
  });
  expect((await preview({ expression, events: ['sold'], last: 1 })).checked).toBe(1);
  const filtered = await preview({ expression, filter: { 'data.id': 1 } });
  expect(filtered.data.map((one) => one.event_id)).toEqual([first]);
  const text = { expression: 'data.price & " EUR"', content_type: 'text/plain', event_id: first };
  expect((await preview(text)).data).toEqual([{ event_id: first, ok: true, output: '5 EUR' }]);
});

it('an expression that cannot be compiled fails with each event, and one that is none is refused', async () => {
  const { failed, data } = await preview({ expression: 'data.(', events: ['sold'] });
  expect(failed).toBe(2);
  expect(data[0]!.error).toMatchObject({ code: 'S0203', position: 6 });
  const missing = { expression: '1', event_id: `evt_${'0'.repeat(26)}` };
  for (const [json, code] of [
    [missing, 'event_unknown'],
    [{ expression: '' }, 'invalid_request'],
    [{ expression: '1', filter: { a: { $where: 1 } } }, 'filter_invalid'],
  ] as const)
    expect(
      (await switchboard.ask('/targets/preview/transform', { method: 'POST', json })).json,
    ).toMatchObject({ code });
});
