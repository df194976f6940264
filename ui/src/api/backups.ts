import { queryOptions } from '@tanstack/react-query';
import type { Backups } from '@contract/backup';
import { read } from './request';

/** The latest backup, the one in progress, and the schedule. */
export const backupsQuery = queryOptions({
  queryKey: ['backups'],
  queryFn: () => read<Backups>('/backups'),
});
