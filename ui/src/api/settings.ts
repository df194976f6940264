import { queryOptions } from '@tanstack/react-query';
import type { SettingsView } from '@contract/settings';
import { read } from './request';

/** The daemon's configuration and disk usage. */
export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: () => read<SettingsView>('/settings'),
});
