import { readEntityId } from './entity-id';

/** The entity of an event: the first segment of its type, and the id in its `data`; null without a usable id. */
export function entityOf(type: string, { id }: Record<string, unknown>): string | null {
  const text = readEntityId(id);
  return text === null ? null : `${type.split('.', 1)[0]}:${text}`;
}
