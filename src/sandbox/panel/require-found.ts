import type { FastifyRequest } from 'fastify';
import { Problem } from '../problem';

/** A request whose path ends with, or contains, the id of an item. */
export type WithId = FastifyRequest<{ Params: { id: string } }>;

/**
 * @param kind what the item is, in the singular; used in the message and the code
 * @throws Problem with status 404 if `item` is undefined
 */
export function requireFound<T>(item: T | undefined, kind: string): T {
  if (item !== undefined) return item;
  const detail = `There is no ${kind} with this id. List the ${kind}s to see their ids.`;
  throw new Problem(404, `${kind.replace(' ', '_')}_not_found`, `Not found`, detail);
}
