import { keepUnits } from '../../../ui/src/format/keep-units';

it('keeps numbers beside their units, and lets all else be broken into lines', () => {
  expect(keepUnits('Last 2 s ago, within 62 ms. 2 of 6 targets, 9 days')).toBe(
    'Last 2\u00A0s ago, within 62\u00A0ms. 2 of 6 targets, 9 days',
  );
});
