import type { EventSummary } from '../../../src/contract/event';
import type { EventFilter } from '../api/events';

const toPattern = (glob: string) =>
  new RegExp(`^${glob.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '.*')}$`);

/** Whether an event that the socket brought belongs into a list that is narrowed to `filter`. */
export function matchesFilter(filter: EventFilter): (event: EventSummary) => boolean {
  const types = filter.type?.map(toPattern);
  return (event) =>
    (types === undefined || types.some((pattern) => pattern.test(event.type))) &&
    (filter.entity === undefined || event.entity === filter.entity) &&
    (filter.status === undefined || event.status === filter.status);
}
