import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../problem';
import type { Quirks, QuirkValues } from '../quirks/quirks';

/** Sends a list. The document shows neither its format nor its paging (4.4 and 8), so both are quirks. */
export function sendList(
  request: FastifyRequest,
  reply: FastifyReply,
  list: { name: string; records: readonly object[] },
  quirks: Quirks,
): FastifyReply {
  const { list_format: format, list_paging: paging, page_size: size } = quirks.current;
  const url = new URL(request.url, 'http://sandbox');
  const page = paging === 'none' ? 1 : requestedPage(url, paging);
  const pages = paging === 'none' ? 1 : Math.max(1, Math.ceil(list.records.length / size));
  const records = paging === 'none' ? list.records : list.records.slice((page - 1) * size, page * size);
  const next = page < pages ? page + 1 : null;
  if (next !== null) {
    url.searchParams.set(paging, pageParameter(next, paging));
    reply.header('link', `<${url.pathname}${url.search}>; rel="next"`);
  }
  if (format === 'array') return reply.send(records);
  return reply.send({
    [format === 'named' ? list.name : format]: records,
    ...(paging === 'cursor' && { next_cursor: next === null ? null : pageParameter(next, paging) }),
    ...(paging === 'page' && { page, pages }),
  });
}

/**
 * The requested page, from 1.
 * @throws Problem if the value is invalid
 */
function requestedPage(url: URL, paging: QuirkValues['list_paging']): number {
  const value = url.searchParams.get(paging);
  if (value === null) return 1;
  const page = Number(paging === 'cursor' ? Buffer.from(value, 'base64url').toString() : value);
  if (Number.isInteger(page) && page >= 1) return page;
  throw new Problem(
    400,
    'no_such_page',
    'Page not found',
    `The value of ${paging} is invalid. Send one from an earlier response.`,
  );
}

// Cursors are opaque, so that clients do not compute them.
function pageParameter(page: number, paging: QuirkValues['list_paging']): string {
  return paging === 'cursor' ? Buffer.from(String(page)).toString('base64url') : String(page);
}
