import type { PayloadChange } from '../../../src/contract/payload-type';
import { parseMaskedPath, PayloadMask } from '../../../src/relay/filters/payload-mask';
import { maskChanges } from '../../../src/relay/payload-schemas/mask-schema';

const MASK = new PayloadMask([
  parseMaskedPath('data.people.role') as Exclude<ReturnType<typeof parseMaskedPath>, string>,
]);

const change = (path: string): PayloadChange => ({
  path,
  change: 'type_added',
  before: '"admin" | "guest"',
  after: '"admin" | "guest" | "owner"',
  event_id: null,
});

it('hides the values of an enumeration in changes at masked paths, in lists and maps too', () => {
  const shown = (path: string) => maskChanges('deal.updated', [change(path)], MASK)[0]!.after;
  for (const path of [
    'data.people.role',
    'data.people[].role',
    'data.people[][].role[]',
    'data.people.*.role',
  ])
    expect([path, shown(path)]).toEqual([path, '***']);
  expect(shown('data.people[].id')).toBe(change('').after);
  expect(maskChanges('deal.updated', [change('data.people.role')], null)).toEqual([
    change('data.people.role'),
  ]);
});
