import { queryOptions } from '@tanstack/react-query';
import type { Connection } from '../../../src/contract/connection';
import { read } from './request';

/** Our grant at Co-Pilot. */
export const connectionQuery = queryOptions({
  queryKey: ['connection'],
  queryFn: () => read<Connection>('/connection'),
});

/** Where an operator gives consent: a plain link, since Co-Pilot's page follows. */
export const CONSENT_ADDRESS = '/oauth/connect';
