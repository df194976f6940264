import type { EventFilterFlags } from '../definitions/event-filters';
import { textOrFile } from './files';

/** The flags as the parameters of the API. @throws CommandFailed if a file cannot be read */
export const filterQuery = ({ type, entity, origin, since, until, q, payload }: EventFilterFlags) => ({
  type,
  entity,
  origin,
  since,
  until,
  q,
  payload: payload === undefined ? undefined : textOrFile(payload),
});
