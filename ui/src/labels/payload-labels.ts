import type { PayloadChange, PayloadNode, PayloadType } from '@contract/payload-type';
import type { StateLabel } from './state-label';

/** The states of the schema of an event type. */
export const PAYLOAD_STATES: Record<PayloadType['state'], StateLabel> = {
  learning: { tone: 'busy', label: 'Learning', description: 'Too few events were seen to tell a change' },
  stable: { tone: 'ok', label: 'Stable', description: 'Its payloads look like those of its newest version' },
  changed: {
    tone: 'warn',
    label: 'Changed',
    description: 'Its newest version differs from the one before, and nobody has accepted it yet',
  },
};

/** What became of a field. */
export const CHANGE_LABELS: Record<PayloadChange['change'], string> = {
  added: 'Added',
  type_added: 'Another type',
  missing: 'Missing in an event',
  gone: 'Gone',
  map: 'Its keys are data',
};

/** The types of a value as in TypeScript, most frequent first; `null` is last. */
export function describeTypes({ types, items }: PayloadNode): string {
  const names = Object.entries(types)
    .toSorted(([one, count], [other, otherCount]) =>
      one === 'null' ? 1 : other === 'null' ? -1 : otherCount - count,
    )
    .map(([name]) => (name === 'array' ? `${describeElement(items)}[]` : name));
  return names.join(' | ');
}

function describeElement(items: PayloadNode | undefined): string {
  const types = items === undefined ? '' : describeTypes(items);
  return types === '' ? 'unknown' : types.includes(' ') ? `(${types})` : types;
}
