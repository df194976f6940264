import { queryOptions } from '@tanstack/react-query';
import type { SettingsView } from '../../../src/contract/settings';
import { read } from './request';

/** What the daemon runs with, and what it takes on disk. */
export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: () => read<SettingsView>('/settings'),
});
