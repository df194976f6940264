import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../problem';
import type { LiveReadings, Readings } from '../quirks/readings';

/** Answers with a list, in the shape and the pages of the readings in force: the document shows neither (4.4 and 8). */
export function sendList(
  request: FastifyRequest,
  reply: FastifyReply,
  list: { name: string; records: readonly object[] },
  readings: LiveReadings,
): FastifyReply {
  const { list_shape: shape, list_paging: paging, page_size: size } = readings.now;
  const url = new URL(request.url, 'http://sandbox');
  const page = paging === 'none' ? 1 : pageAsked(url, paging);
  const pages = paging === 'none' ? 1 : Math.max(1, Math.ceil(list.records.length / size));
  const records = paging === 'none' ? list.records : list.records.slice((page - 1) * size, page * size);
  const next = page < pages ? page + 1 : null;
  if (next !== null) {
    url.searchParams.set(paging, nameOf(next, paging));
    reply.header('link', `<${url.pathname}${url.search}>; rel="next"`);
  }
  if (shape === 'array') return reply.send(records);
  return reply.send({
    [shape === 'named' ? list.name : shape]: records,
    ...(paging === 'cursor' && { next_cursor: next === null ? null : nameOf(next, paging) }),
    ...(paging === 'page' && { page, pages }),
  });
}

/** The number of the page that the query asks for, from 1. A `Problem` for one that cannot be. */
function pageAsked(url: URL, paging: Readings['list_paging']): number {
  const asked = url.searchParams.get(paging);
  if (asked === null) return 1;
  const number = Number(paging === 'cursor' ? Buffer.from(asked, 'base64url').toString() : asked);
  if (Number.isInteger(number) && number >= 1) return number;
  throw new Problem(400, 'no_such_page', 'No such page', `The list has no page at this ${paging}.`);
}

// A cursor says nothing to who reads it: clients are to send it back, not to compute it.
function nameOf(page: number, paging: Readings['list_paging']): string {
  return paging === 'cursor' ? Buffer.from(String(page)).toString('base64url') : String(page);
}
