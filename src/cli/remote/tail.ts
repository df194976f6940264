import type { FollowingEvent } from '../../contract/event';
import { jsonText, oneLine } from '../printable';
import { consume } from './consume';
import { filterQuery } from './event-filters';
import type { HubClient, RequestOptions } from './hub-client';
import { paint, writeLine } from './output';
import { behindLoss, pageSize, parsePage, type TailFlags, type TailPage } from './tail-page';
import { untilSignal } from './until-signal';

/** `tail`: events as they are stored, until a signal or the limit. A lost connection is resumed where it was. */
export const tail = (hub: HubClient, flags: TailFlags): Promise<void> =>
  untilSignal(async (signal) => {
    const pages =
      flags.consumer === undefined ? follow(hub, flags, signal) : consume(hub, flags.consumer, flags, signal);
    for await (const { data, texts } of pages)
      for (const [i, event] of data.entries()) await writeLine(describe(event, texts[i]!, flags));
  });

async function* follow(hub: HubClient, flags: TailFlags, signal: AbortSignal): AsyncGenerator<TailPage> {
  const query = { ...filterQuery(flags), field: flags.field };
  // The hub has to be there once.
  let patient = false;
  let position = flags.after ?? (flags.since === undefined ? 'newest' : 'oldest');
  for (let left = flags.limit ?? Infinity; left > 0; patient = flags.follow) {
    // If the connection is lost while waiting behind a position without a number, events are skipped.
    const wanted = position === 'newest' ? { wait: 0, limit: 1 } : pageSize(left, flags);
    const page = await ask(hub, { ...query, ...wanted, after: position }, { signal, patient });
    yield page;
    left -= page.data.length;
    position = page.next_cursor;
    if (!flags.follow && page.lag === 0) return;
  }
}

type TailQuery = ReturnType<typeof filterQuery> & { after: string; wait: number; limit: number };

/** What follows a position, also if events behind it were removed, which is said then. */
async function ask(hub: HubClient, query: TailQuery, options: RequestOptions): Promise<TailPage> {
  const waitMs = 1_000 * query.wait;
  try {
    return parsePage(await hub.requestText('GET', '/api/v1/events', { ...options, query, waitMs }));
  } catch (error) {
    return ask(hub, { ...query, after: behindLoss(error) }, options);
  }
}

/** @param text the event as the hub sent it, in which no number was rounded */
function describe(event: FollowingEvent, text: string, { json, full, field = [] }: TailFlags): string {
  if (json) return jsonText(text);
  const { received_at: at, seq, type, entity, name, fields = {} } = event;
  const rest = [entity, name, ...field.map((path) => `${path}=${String(fields[path] ?? '')}`)];
  const known = [paint('dim', `${at.slice(11, 19)}Z ${seq}`), paint('cyan', oneLine(type))];
  const line = [...known, ...rest.filter((part) => part !== null).map(oneLine)].join(' ');
  return full ? `${line}\n  ${oneLine(payloadOf(text))}` : line;
}

/** The payload is between these two members; a text that contains the first one escapes its quotes. */
const payloadOf = (text: string): string =>
  text.slice(text.indexOf(',"body":') + ',"body":'.length, text.lastIndexOf(',"body_base64":'));
