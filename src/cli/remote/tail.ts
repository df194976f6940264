import type { FollowingEvent, FollowingEvents } from '../../contract/event';
import type { Problem } from '../../contract/problem';
import { CommandFailed } from '../command-failed';
import type { EventFilterFlags } from '../definitions/event-filters';
import type { HubFlags } from '../definitions/hub-flags';
import { EXIT } from '../exit-codes';
import { jsonText, oneLine } from '../printable';
import { filterQuery } from './event-filters';
import type { HubClient, Query, RequestOptions } from './hub-client';
import { note, paint, writeLine } from './output';
import { itemTexts } from './item-texts';
import { untilSignal } from './until-signal';

/** For how long the hub holds a request if nothing matches. */
const WAIT_S = 30;
const MAX_PAGE = 200;

interface TailFlags extends HubFlags, EventFilterFlags {
  after?: string;
  full?: true;
  field?: string[];
  follow: boolean;
  limit?: number;
}

/** `tail`: events as they are stored, until a signal or the limit. A lost connection is resumed where it was. */
export const tail = (hub: HubClient, flags: TailFlags): Promise<void> =>
  untilSignal(async (signal) => {
    const include = flags.full ? 'body' : undefined;
    const query = { ...filterQuery(flags), field: flags.field, include };
    // The hub has to be there once.
    let patient = false;
    const next = async (after: string, wait: number, limit: number) => {
      const page = await ask(hub, { ...query, after, wait, limit }, { signal, patient });
      patient = flags.follow;
      return page;
    };
    let position = flags.after ?? (flags.since === undefined ? 'newest' : 'oldest');
    // If the connection is lost while waiting behind a position without a number, events are skipped.
    if (position === 'newest') position = (await next(position, 0, 1)).next_cursor;
    for (let left = flags.limit ?? Infinity; left > 0;) {
      const wait = flags.follow ? WAIT_S : 0;
      const { data, next_cursor, lag, texts } = await next(position, wait, Math.min(left, MAX_PAGE));
      for (const [i, event] of data.entries()) await writeLine(describe(event, texts[i]!, flags));
      left -= data.length;
      position = next_cursor;
      if (!flags.follow && lag === 0) return;
    }
  });

/** What follows a position, also if events behind it were removed, which is said then. */
async function ask(
  hub: HubClient,
  query: Query,
  options: RequestOptions,
): Promise<FollowingEvents & { texts: string[] }> {
  const waitMs = 1_000 * Number(query['wait']);
  try {
    const text = await hub.requestText('GET', '/api/v1/events', { ...options, query, waitMs });
    return { ...(JSON.parse(text) as FollowingEvents), texts: itemTexts(text) };
  } catch (error) {
    if (!(error instanceof CommandFailed) || error.code !== 'position_pruned') throw error;
    const { missed = 0, oldest_cursor: after } = error.others as Partial<Problem>;
    note(`${missed.toLocaleString('en')} events were removed before they were read.`);
    process.exitCode = EXIT.gone;
    return ask(hub, { ...query, after }, options);
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
