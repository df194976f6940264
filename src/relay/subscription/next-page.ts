import { z } from 'zod';
import { ENDPOINTS } from '../../protocol/endpoints';

const record = z.record(z.string(), z.unknown());

/** Where lists of this kind keep what leads on: beside the records, or in an object for it. */
const PLACES = ['', '_links', 'links', 'meta', 'paging', 'pagination'];
const CURSORS = { next_cursor: 'cursor', next_page_token: 'page_token', next_page: 'page' } as const;

/**
 * The path of the list's next page, or null where none is to be seen. Paging is not shown (document, 4.4 and 8): what is
 * followed is a `Link` header, a link called `next`, a cursor, and numbered pages. Never anywhere but the list itself.
 * @param asked the path of this page
 */
export function nextPage(
  asked: string,
  body: unknown,
  headers: Readonly<Record<string, unknown>>,
): string | null {
  const { link } = headers;
  const linked = typeof link === 'string' ? /<([^>]+)>\s*;[^,]*\brel="?next\b/.exec(link)?.[1] : undefined;
  if (linked !== undefined) return within(asked, linked);
  const outer = record.safeParse(body).data;
  if (outer === undefined) return null;
  for (const place of PLACES) {
    const at = place === '' ? outer : record.safeParse(outer[place]).data;
    const next = at === undefined ? null : nextIn(asked, at);
    if (next !== null) return next;
  }
  return null;
}

function nextIn(asked: string, at: Record<string, unknown>): string | null {
  const link = at['next'] ?? at['next_url'];
  const href = typeof link === 'string' ? link : record.safeParse(link).data?.['href'];
  if (typeof href === 'string') return within(asked, href);
  for (const [field, parameter] of Object.entries(CURSORS)) {
    const cursor = at[field];
    if ((typeof cursor === 'string' && cursor !== '') || typeof cursor === 'number')
      return withParameter(asked, parameter, String(cursor));
  }
  const { page, pages } = at;
  return typeof page === 'number' && typeof pages === 'number' && page < pages
    ? withParameter(asked, 'page', String(page + 1))
    : null;
}

function withParameter(asked: string, name: string, value: string): string {
  const url = new URL(asked, 'http://list.invalid');
  url.searchParams.set(name, value);
  return url.pathname + url.search;
}

/** The base address may have a path of its own, so what counts is the query. */
function within(asked: string, href: string): string | null {
  if (!URL.canParse(href, `http://list.invalid${asked}`)) return null;
  const { pathname, search } = new URL(href, `http://list.invalid${asked}`);
  return pathname.endsWith(ENDPOINTS.webhooks) && search !== '' ? ENDPOINTS.webhooks + search : null;
}
