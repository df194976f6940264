import { cut, glimpse, type Json } from './json';

const LONGEST = 80;
/** What is shown of a long text before the place where it changed. */
const LEAD = 20;

/** A value before and after, for a glance; of two long texts the part where they first differ. */
export function glimpsePair(before: Json, after: Json): [before: string, after: string] {
  if (before.kind !== 'string' || after.kind !== 'string')
    return [glimpse(before, LONGEST), glimpse(after, LONGEST)];
  const shorter = Math.min(before.value.length, after.value.length);
  let same = 0;
  while (same < shorter && before.value[same] === after.value[same]) same += 1;
  if (same <= LONGEST / 2) return [glimpse(before, LONGEST), glimpse(after, LONGEST)];
  const stem = cut(before.value, same);
  const lead = stem.slice(-LEAD).replace(/^[\udc00-\udfff]/, '');
  const glimpseOf = ({ value }: { value: string }) =>
    glimpse({ kind: 'string', value: `…${lead}${value.slice(stem.length)}` }, LONGEST);
  return [glimpseOf(before), glimpseOf(after)];
}
