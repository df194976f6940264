import { ExactNumber } from './exact-number';

/** In characters. */
export const MAX_ID_LENGTH = 100;

/** The id of a record as it is part of an entity: a text, or all digits of an integer; null if it is neither. */
export function readEntityId(id: unknown): string | null {
  const text = id instanceof ExactNumber ? id.toInteger(MAX_ID_LENGTH) : id;
  if (typeof text === 'string') return text === '' || text.length > MAX_ID_LENGTH ? null : text;
  return Number.isSafeInteger(text) ? String(text) : null;
}
