import { describeTimePoint, parseTimePoint, resolveTimePoint } from '../../../ui/src/format/time-point';
import { setTimeZone } from '../../../ui/src/format/time-zone';
import { parseJson } from '../../../ui/src/payload/parse-json';
import { pathText } from '../../../ui/src/payload/json';
import { writtenChanges } from '../../../ui/src/payload/written-changes';
import { entitiesSearch } from '../../../ui/src/search/entities-search';

const NOW = Date.parse('2026-03-02T09:30:00.000Z');

it('an address says what is shown of the entities, and what is not valid is left out', () => {
  expect(
    entitiesSearch({
      kind: 'deal',
      state: 'all',
      as_of: '1h',
      from: 'soon',
      payload: '[]',
      column: 'data.id',
    }),
  ).toEqual({ kind: 'deal', state: 'all', as_of: '1h', column: ['data.id'] });
  expect(entitiesSearch({ state: 'present', q: '', from: 'yesterday' })).toEqual({ from: 'yesterday' });
});

it('a point in time is before now, the start of a day, or a time', () => {
  setTimeZone('utc');
  expect(
    ['15m', '24h', 'today', '2026-03-01T09:00:00Z'].map((point) => [
      describeTimePoint(point),
      resolveTimePoint(point, NOW),
    ]),
  ).toEqual([
    ['15 minutes ago', '2026-03-02T09:15:00.000Z'],
    ['24 hours ago', '2026-03-01T09:30:00.000Z'],
    ['Start of today', '2026-03-02T00:00:00.000Z'],
    ['2026-03-01 09:00', '2026-03-01T09:00:00Z'],
  ]);
  expect([parseTimePoint('soon'), parseTimePoint(undefined)]).toEqual([undefined, undefined]);
});

it('differences keep the digits of numbers and the names of paths', () => {
  const changes = writtenChanges(
    parseJson(
      String.raw`[{"path":"data.a\\.b.0","before":9007199254740993,"after":"x"},{"path":"data.n","after":null},
        {"path":"data.o","before":[1]},{"path":"data","before":1,"after":2}]`,
    )!,
  );
  expect(changes.map(({ kind, path }) => [kind, path, pathText(path)])).toEqual([
    ['changed', ['a.b', '0'], String.raw`a\.b.0`],
    ['added', ['n'], 'n'],
    ['removed', ['o'], 'o'],
    ['changed', ['data'], 'data'],
  ]);
  expect(changes[0]).toMatchObject({ before: { kind: 'number', text: '9007199254740993' } });
  expect(writtenChanges(undefined)).toEqual([]);
});
