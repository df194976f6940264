import { queryOptions } from '@tanstack/react-query';
import type { Connection, Disconnection } from '@contract/connection';
import { change, read } from './request';

/** The OAuth grant at Co-Pilot. */
export const connectionQuery = queryOptions({
  queryKey: ['connection'],
  queryFn: () => read<Connection>('/connection'),
});

/** Starts the consent flow. Must be a plain link: it redirects to Co-Pilot. */
export const CONSENT_PATH = '/oauth/connect';

/** Deletes the webhook at Co-Pilot and the tokens; `force` deletes the tokens even if the webhook remains. */
export const disconnect = (input: Disconnection): Promise<Connection> =>
  change<Connection>('POST', '/connection/disconnect', input);
