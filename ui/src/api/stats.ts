import { queryOptions } from '@tanstack/react-query';
import type { Stats } from '../../../src/contract/stats';
import { read } from './request';

/** The vital signs; the socket brings them anew while it is open. */
export const statsQuery = queryOptions({ queryKey: ['stats'], queryFn: () => read<Stats>('/stats') });
