import { queryOptions } from '@tanstack/react-query';
import type { Connection, Disconnection } from '../../../src/contract/connection';
import { change, read } from './request';

/** Our OAuth grant at Co-Pilot. */
export const connectionQuery = queryOptions({
  queryKey: ['connection'],
  queryFn: () => read<Connection>('/connection'),
});

/** Starts the consent flow. Must be a plain link: it redirects to Co-Pilot. */
export const CONSENT_PATH = '/oauth/connect';

/** Deletes our webhook at Co-Pilot and forgets the tokens; `force` forgets them even where the webhook stays. */
export const disconnect = (input: Disconnection): Promise<Connection> =>
  change<Connection>('POST', '/connection/disconnect', input);
