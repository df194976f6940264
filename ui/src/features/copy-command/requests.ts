import { inBody, type DeadLetterSelection } from '../../api/dead-letters';
import { toEventQuery, type EventSearch } from '../../api/events';
import type { ReplayInput } from '../../api/replays';
import { commandLine, curlGet, curlPost, type Values } from './lines';

/** What the dashboard does, as a line for a shell: for the command `switchboard`, and for `curl`. */
export interface ShellLines {
  command: string;
  call: string;
}

/** A range such as `24h` keeps its meaning in a command; days begin in the time zone of the page. */
const relativeRange = (range: string | undefined): Values =>
  range === undefined || !/^\d+[mhd]$/.test(range) ? {} : { since: range };

/** Lists the events that match. */
export function listOfEvents(filter: EventSearch, now: number): ShellLines {
  const query = toEventQuery(filter, now);
  return {
    command: commandLine('events list', { ...query, ...relativeRange(filter.range) }),
    call: curlGet('/events', query),
  };
}

/** Retries or discards dead letters; the command takes those that match when it is used. */
export function changeOfDeadLetters(
  verb: 'retry' | 'discard',
  selection: DeadLetterSelection,
  reason?: string,
): ShellLines {
  const body = inBody(selection);
  const call = curlPost(`/deliveries/${verb}`, { ...body, reason });
  if ('ids' in selection) return { command: commandLine(`dead ${verb}`, { reason }, selection.ids), call };
  const { failed_until: _, ...filter } = selection;
  const all = 'all' in body ? true : undefined;
  return { command: commandLine(`dead ${verb}`, { ...filter, all, reason }), call };
}

/** Starts a replay. */
export function startOfReplay(input: ReplayInput): ShellLines {
  const { filter, all, target_ids: to, rate } = input;
  const { types: type, outcomes: outcome, payload, target, entity, q, since, until, until_seq } = filter;
  const speed: Values =
    rate === 'as_fast_as_allowed'
      ? {}
      : 'pace' in rate
        ? { pace: `${rate.pace}x` }
        : { rate: `${rate.per_second}/s` };
  return {
    command: commandLine('replay', {
      type,
      entity,
      q,
      payload: payload && JSON.stringify(payload),
      outcome,
      'delivered-to': target,
      since,
      until,
      'until-seq': until_seq,
      to,
      ...speed,
      all: all || undefined,
    }),
    call: curlPost('/replays', input),
  };
}
