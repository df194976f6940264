import { nextPage, type Continuation, type ListPage } from '../../connection/next-page';
import { readEntityId } from '../../ground/entity-id';
import { isJsonObject, parseBody, writeJson } from '../../ground/parse-body';
import { readVersion } from '../../ground/record-version';
import { measureJson } from '../../http/measure-json';

const MAX_DEPTH = 6;
const MAX_NESTING = 100;
const MAX_VALUES = 2_000_000;

/** What a record of a deal has, besides its id (document, 2.1). */
const FIELDS = ['status_id', 'pipeline_id', 'updated_at', 'name'];

export interface ListedDeal {
  id: string;
  /** In ms since 1970; null if it has none. */
  version: number | null;
  /** The record as JSON, with all digits of its numbers. */
  json: string;
}

export interface DealsPage extends Continuation {
  deals: ListedDeal[];
  /** Elements of the list that are no deals. */
  unreadable: number;
  /** Where the deals are, and how the list goes on: `data[], next_cursor`. */
  shape: string;
}

/** A response in which no list of deals is recognized: the names in it and their types. */
export interface Unrecognized {
  names: string;
}

/**
 * Reads a page of the list of deals, whose form the document does not show (4.7): the deals are the largest list of
 * objects with an id and a field of a deal.
 * @param body the bytes of a response
 */
export function readDeals({ body, ...page }: ListPage & { body: Uint8Array }): DealsPage | Unrecognized {
  const { depth, values } = measureJson(body);
  if (depth > MAX_NESTING || values > MAX_VALUES) return { names: 'too deep or too many values' };
  let json: unknown;
  try {
    json = parseBody(body);
  } catch {
    return { names: 'no JSON' };
  }
  const lists = listsIn(json, '', 0).toSorted((one, other) => other.deals.length - one.deals.length);
  // A list of anything else is none of deals; an empty one may be the last page.
  const list = lists.find(({ deals, items }) => deals.length > 0 || items === 0);
  if (list === undefined) return { names: describe(json) };
  const continuation = nextPage({ ...page, body: json });
  return {
    ...continuation,
    deals: list.deals.map((deal) => ({
      id: readEntityId(deal['id'])!,
      version: readVersion(deal),
      json: writeJson(deal),
    })),
    unreadable: list.items - list.deals.length,
    shape: [`${list.path}[]`, continuation.by].filter((part) => part !== null).join(', '),
  };
}

interface List {
  path: string;
  deals: Record<string, unknown>[];
  items: number;
}

function listsIn(value: unknown, path: string, depth: number): List[] {
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return [{ path, deals: value.filter(isDeal), items: value.length }];
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    listsIn(inner, path === '' ? name : `${path}.${name}`, depth + 1),
  );
}

const isDeal = (value: unknown): value is Record<string, unknown> =>
  isJsonObject(value) &&
  readEntityId(value['id']) !== null &&
  FIELDS.some((field) => Object.hasOwn(value, field));

/** The names in an object, with types and without values, which may be secret. */
const describe = (json: unknown): string =>
  isJsonObject(json)
    ? Object.entries(json)
        .slice(0, 20)
        .map(([name, value]) => `${name.slice(0, 50)}: ${typeName(value)}`)
        .join(', ')
    : typeName(json);

const typeName = (value: unknown) => (Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value);
