import { readFileSync } from 'node:fs';
import { CommandFailed } from '../command-failed';
import type { EventFilterFlags } from '../definitions/event-filters';
import { EXIT } from '../exit-codes';
import type { Query } from './hub-client';

/** The flags as the parameters of the API. @throws CommandFailed if a file cannot be read */
export const filterQuery = ({ type, entity, origin, since, until, q, payload }: EventFilterFlags): Query => ({
  type,
  entity,
  origin,
  since,
  until,
  q,
  payload: payload === undefined ? undefined : textOrFile(payload),
});

/** @param text itself, or `@` and the name of a file that has it @throws CommandFailed if it cannot be read */
export function textOrFile(text: string): string {
  if (!text.startsWith('@')) return text;
  try {
    return readFileSync(text.slice(1), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandFailed(
      EXIT.config,
      `${text.slice(1)} cannot be read (${code}).`,
      'Name a file that this user may read.',
      'file_invalid',
    );
  }
}
