import { queryOptions } from '@tanstack/react-query';
import type { Snooze, SnoozeCreate, Snoozes } from '@contract/snooze';
import { change, read } from './request';

/** What is hidden on the Overview. */
export const snoozesQuery = queryOptions({
  queryKey: ['snoozes'],
  queryFn: async (): Promise<Snooze[]> => (await read<Snoozes>('/snoozes')).data,
});

/** Hides an issue until a time (ISO 8601); null: for as long as it lasts. */
export const addSnooze = (input: Omit<SnoozeCreate, 'until'> & { until: string | null }): Promise<Snoozes> =>
  change<Snoozes>('POST', '/snoozes', input);

/** Shows an issue again. */
export const removeSnooze = (issue: string): Promise<void> =>
  change<void>('DELETE', `/snoozes/${encodeURIComponent(issue)}`);
