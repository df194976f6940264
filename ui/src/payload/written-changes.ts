import type { Change } from './diff-json';
import type { Json, Step } from './json';

/** The differences in a list as the API writes it, with the digits of all numbers; paths are relative to `data`. */
export function writtenChanges(list: Json | undefined): Change[] {
  if (list?.kind !== 'array') return [];
  return list.items.flatMap((item): Change[] => {
    const members = item.kind === 'object' ? item.members : new Map<string, Json>();
    const [written, before, after] = ['path', 'before', 'after'].map((name) => members.get(name));
    if (written?.kind !== 'string') return [];
    const steps = stepsOf(written.value);
    const path = steps.length > 1 && steps[0] === 'data' ? steps.slice(1) : steps;
    if (before === undefined) return after === undefined ? [] : [{ kind: 'added', path, after }];
    return [
      after === undefined ? { kind: 'removed', path, before } : { kind: 'changed', path, before, after },
    ];
  });
}

/** The inverse of `pathText`. */
const stepsOf = (path: string): Step[] =>
  (path.match(/(?:\\.|[^.\\])+/gs) ?? []).map((step) => step.replaceAll(/\\(.)/gs, '$1'));
