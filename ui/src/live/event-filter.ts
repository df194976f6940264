import type { EventSummary } from '@contract/event';
import { hidesSystemEvents, type EventFilter } from '../api/events';
import { isSystemEvent } from '../labels/system-events';

const toRegExp = (pattern: string) =>
  new RegExp(`^${pattern.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '.*')}$`);

/** A test of whether an event matches the filter of a list; `*` in a type matches any characters. */
export function matchesFilter(filter: EventFilter): (event: EventSummary) => boolean {
  const types = filter.type?.map(toRegExp);
  const name = filter.name?.toLowerCase();
  const hidesSystem = hidesSystemEvents(filter);
  return (event) =>
    !(hidesSystem && isSystemEvent(event.type)) &&
    (types === undefined || types.some((pattern) => pattern.test(event.type))) &&
    (filter.entity === undefined || event.entity === filter.entity) &&
    (filter.status === undefined || event.status === filter.status) &&
    (name === undefined || event.name?.toLowerCase().includes(name) === true);
}
