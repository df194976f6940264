import { z } from 'zod';
import { ENDPOINTS } from '../../protocol/endpoints';

const record = z.record(z.string(), z.unknown());

/** Where paged lists put the link to the next page: at the top level, or in a nested object. */
const CURSOR_CONTAINERS = ['', '_links', 'links', 'meta', 'paging', 'pagination'];
const PARAMETER_OF_CURSOR = {
  next_cursor: 'cursor',
  next_page_token: 'page_token',
  next_page: 'page',
} as const;

/**
 * The path of the list's next page, or null. The document does not show paging (4.4 and 8): supported are a `Link`
 * header, a link named `next`, a cursor, and numbered pages. Only links back to the list itself are followed.
 * @param path the path of this page
 */
export function nextPage(
  path: string,
  body: unknown,
  headers: Readonly<Record<string, unknown>>,
): string | null {
  const { link } = headers;
  const linked = typeof link === 'string' ? /<([^>]+)>\s*;[^,]*\brel="?next\b/.exec(link)?.[1] : undefined;
  if (linked !== undefined) return resolveLink(path, linked);
  const list = record.safeParse(body).data;
  if (list === undefined) return null;
  for (const name of CURSOR_CONTAINERS) {
    const container = name === '' ? list : record.safeParse(list[name]).data;
    const next = container === undefined ? null : nextIn(path, container);
    if (next !== null) return next;
  }
  return null;
}

function nextIn(path: string, container: Record<string, unknown>): string | null {
  const link = container['next'] ?? container['next_url'];
  const href = typeof link === 'string' ? link : record.safeParse(link).data?.['href'];
  if (typeof href === 'string') return resolveLink(path, href);
  for (const [field, parameter] of Object.entries(PARAMETER_OF_CURSOR)) {
    const cursor = container[field];
    if ((typeof cursor === 'string' && cursor !== '') || typeof cursor === 'number')
      return withParameter(path, parameter, String(cursor));
  }
  const { page, pages } = container;
  return typeof page === 'number' && typeof pages === 'number' && page < pages
    ? withParameter(path, 'page', String(page + 1))
    : null;
}

function withParameter(path: string, name: string, value: string): string {
  const url = new URL(path, 'http://list.invalid');
  url.searchParams.set(name, value);
  return url.pathname + url.search;
}

/** The base URL may contain a path, so only the query is used. */
function resolveLink(path: string, href: string): string | null {
  if (!URL.canParse(href, `http://list.invalid${path}`)) return null;
  const { pathname, search } = new URL(href, `http://list.invalid${path}`);
  return pathname.endsWith(ENDPOINTS.webhooks) && search !== '' ? ENDPOINTS.webhooks + search : null;
}
