import { queryOptions } from '@tanstack/react-query';
import type { Subscription } from '../../../src/contract/subscription';
import { read } from './request';

/** Our webhook registration at Co-Pilot. */
export const subscriptionQuery = queryOptions({
  queryKey: ['subscription'],
  queryFn: () => read<Subscription>('/subscription'),
});
