import { truncate, previewJson, type Json } from './json';

const MAX_LENGTH = 80;
/** Characters shown before the first difference. */
const CONTEXT_LENGTH = 20;

/** Previews of a changed value; for long texts, of the part where they first differ. */
export function previewPair(before: Json, after: Json): [before: string, after: string] {
  if (before.kind !== 'string' || after.kind !== 'string')
    return [previewJson(before, MAX_LENGTH), previewJson(after, MAX_LENGTH)];
  const shorter = Math.min(before.value.length, after.value.length);
  let same = 0;
  while (same < shorter && before.value[same] === after.value[same]) same += 1;
  if (same <= MAX_LENGTH / 2) return [previewJson(before, MAX_LENGTH), previewJson(after, MAX_LENGTH)];
  const prefix = truncate(before.value, same);
  const context = prefix.slice(-CONTEXT_LENGTH).replace(/^[\udc00-\udfff]/, '');
  const preview = ({ value }: { value: string }) =>
    previewJson({ kind: 'string', value: `…${context}${value.slice(prefix.length)}` }, MAX_LENGTH);
  return [preview(before), preview(after)];
}
