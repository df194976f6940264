import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../problem';
import type { Quirks, QuirkValues } from '../quirks/quirks';

type Paging = QuirkValues['list_paging'];

interface List {
  name: string;
  records: readonly object[];
  /** Every page has the records of the first. */
  repeatsFirst?: boolean;
}

/** Sends a list. The document shows neither its format nor its paging (4.4 and 8), so both are quirks. */
export function sendList(
  request: FastifyRequest,
  reply: FastifyReply,
  { name, records, repeatsFirst = false }: List,
  quirks: Quirks,
): FastifyReply {
  const { list_format: format, list_paging: paging } = quirks.current;
  const total = records.length;
  const size = paging === 'none' ? Math.max(1, total) : quirks.current.page_size;
  const url = new URL(request.url, 'http://sandbox');
  const start = paging === 'none' ? 0 : requestedStart(url, paging, size);
  const next = start + size < total ? parameterOf(start + size, paging, size) : null;
  if (next !== null) {
    url.searchParams.set(paging, next);
    reply.header('link', `<${url.pathname}${url.search}>; rel="next"`);
  }
  const page = repeatsFirst ? records.slice(0, size) : records.slice(start, start + size);
  const position = {
    ...(paging === 'cursor' && { next_cursor: next }),
    ...(paging === 'page' && { page: start / size + 1, pages: Math.max(1, Math.ceil(total / size)) }),
    ...(paging === 'offset' && { offset: start, limit: size, total }),
  };
  if (format === 'array') return reply.send(page);
  if (format === 'nested') return reply.send({ result: { [name]: page, paging: position } });
  return reply.send({ [format === 'named' ? name : format]: page, ...position });
}

/**
 * The index of the first record of the requested page.
 * @throws Problem if the value is invalid
 */
function requestedStart(url: URL, paging: Paging, size: number): number {
  const value = url.searchParams.get(paging);
  if (value === null) return 0;
  const place = Number(paging === 'cursor' ? Buffer.from(value, 'base64url').toString() : value);
  const start = paging === 'offset' ? place : (place - 1) * size;
  if (value !== '' && Number.isInteger(place) && start >= 0) return start;
  throw new Problem(
    400,
    'no_such_page',
    'Page not found',
    `The value of ${paging} is invalid. Send one from an earlier response.`,
  );
}

// Cursors are opaque, so that clients do not compute them.
function parameterOf(start: number, paging: Paging, size: number): string {
  if (paging === 'offset') return String(start);
  const page = String(start / size + 1);
  return paging === 'cursor' ? Buffer.from(page).toString('base64url') : page;
}
