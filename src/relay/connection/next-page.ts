import { ExactNumber } from '../ground/exact-number';
import { isJsonObject } from '../ground/parse-body';

/** How deep the object may lie that says how a list goes on. */
const MAX_DEPTH = 3;

const PARAMETER_OF_CURSOR = {
  next_cursor: 'cursor',
  next_page_token: 'page_token',
  next_page: 'page',
} as const;

/** A page of a list at Co-Pilot. */
export interface ListPage {
  /** Of the list, relative to the base URL. */
  list: string;
  /** Of this page. */
  path: string;
  body: unknown;
  headers: Readonly<Record<string, unknown>>;
}

/** How a list goes on after a page. */
export interface Continuation {
  /** The path of the next page. Null also if it is not known, although there is one. */
  next: string | null;
  /** What the page says; null: nothing. */
  says: 'more' | 'last' | null;
  /** The member that says so. */
  by: string | null;
}

const SILENT: Continuation = { next: null, says: null, by: null };
const last = (by: string): Continuation => ({ next: null, says: 'last', by });
const more = (next: string | null, by: string): Continuation => ({ next, says: 'more', by });

/**
 * The document does not show paging (4.4, 4.7 and 8): supported are a `Link` header, a link named `next`, a cursor,
 * numbered pages, and offsets. Only links back to the list itself are followed.
 */
export function nextPage(page: ListPage): Continuation {
  const { link } = page.headers;
  const linked = typeof link === 'string' ? /<([^>]+)>\s*;[^,]*\brel="?next\b/.exec(link)?.[1] : undefined;
  if (linked !== undefined) return more(resolveLink(page, linked), 'link');
  const found = objectsIn(page.body).flatMap((object) => continuationsIn(page, object));
  return (
    found.find(({ next }) => next !== null) ?? found.find(({ says }) => says === 'more') ?? found[0] ?? SILENT
  );
}

/** An object, and those in it; a record in a list says nothing about the list. */
function objectsIn(value: unknown, depth = 0): Record<string, unknown>[] {
  if (!isJsonObject(value) || depth > MAX_DEPTH) return [];
  return [value, ...Object.values(value).flatMap((inner) => objectsIn(inner, depth + 1))];
}

function continuationsIn(page: ListPage, object: Record<string, unknown>): Continuation[] {
  const found: Continuation[] = [];
  for (const by of ['next', 'next_url']) {
    const link = object[by];
    const href = isJsonObject(link) ? link['href'] : link;
    if (typeof href === 'string' && href !== '') found.push(more(resolveLink(page, href), by));
    else if (link === null) found.push(last(by));
  }
  for (const [by, parameter] of Object.entries(PARAMETER_OF_CURSOR)) {
    const cursor = object[by];
    if (cursor === null || cursor === '') found.push(last(by));
    else if (typeof cursor === 'string' || typeof cursor === 'number' || cursor instanceof ExactNumber)
      found.push(more(withParameter(page.path, parameter, String(cursor)), by));
  }
  const { page: number, pages, offset, limit, total, has_more: hasMore } = object;
  if (typeof number === 'number' && typeof pages === 'number')
    found.push(
      number < pages ? more(withParameter(page.path, 'page', String(number + 1)), 'page') : last('page'),
    );
  if (typeof offset === 'number' && typeof limit === 'number' && typeof total === 'number')
    found.push(
      limit > 0 && offset + limit < total
        ? more(withParameter(page.path, 'offset', String(offset + limit)), 'offset')
        : last('offset'),
    );
  if (typeof hasMore === 'boolean') found.push(hasMore ? more(null, 'has_more') : last('has_more'));
  return found;
}

export function withParameter(path: string, name: string, value: string): string {
  const url = new URL(path, 'http://list.invalid');
  url.searchParams.set(name, value);
  return url.pathname + url.search;
}

/** The base URL may contain a path, so only the query is used. */
function resolveLink({ list, path }: ListPage, href: string): string | null {
  if (!URL.canParse(href, `http://list.invalid${path}`)) return null;
  const { pathname, search } = new URL(href, `http://list.invalid${path}`);
  return pathname.endsWith(list) && search !== '' ? list + search : null;
}
