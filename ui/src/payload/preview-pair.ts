import { truncate, previewJson, type Json } from './json';

const MAX_LENGTH = 80;
/** What is shown of a long text before the place where it changed. */
const LEAD = 20;

/** A value before and after, for a glance; of two long texts the part where they first differ. */
export function previewPair(before: Json, after: Json): [before: string, after: string] {
  if (before.kind !== 'string' || after.kind !== 'string')
    return [previewJson(before, MAX_LENGTH), previewJson(after, MAX_LENGTH)];
  const shorter = Math.min(before.value.length, after.value.length);
  let same = 0;
  while (same < shorter && before.value[same] === after.value[same]) same += 1;
  if (same <= MAX_LENGTH / 2) return [previewJson(before, MAX_LENGTH), previewJson(after, MAX_LENGTH)];
  const stem = truncate(before.value, same);
  const lead = stem.slice(-LEAD).replace(/^[\udc00-\udfff]/, '');
  const glimpseOf = ({ value }: { value: string }) =>
    previewJson({ kind: 'string', value: `…${lead}${value.slice(stem.length)}` }, MAX_LENGTH);
  return [glimpseOf(before), glimpseOf(after)];
}
