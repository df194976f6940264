import { ExactNumber } from './exact-number';

export const MAX_ID_LENGTH = 100;

/** The entity of an event: the first segment of its type, and the id in its `data`, a text or all digits of an integer. */
export function entityOf(type: string, { id }: Record<string, unknown>): string | null {
  const text = idOf(id);
  return text === null || text === '' || text.length > MAX_ID_LENGTH
    ? null
    : `${type.split('.', 1)[0]}:${text}`;
}

function idOf(id: unknown): string | null {
  if (typeof id === 'string') return id;
  if (id instanceof ExactNumber) return id.toInteger(MAX_ID_LENGTH);
  return Number.isSafeInteger(id) ? String(id) : null;
}
