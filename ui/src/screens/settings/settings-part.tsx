import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { SettingsView } from '@contract/settings';
import { settingsQuery } from '../../api/settings';
import { Panel } from '../../components/panel';
import { PendingData } from '../../components/pending-data';

interface SettingsPartProps {
  title: string;
  /** Number of placeholder rows. */
  rows: number;
  children: (settings: SettingsView) => ReactNode;
}

/** A panel of the daemon's settings, with loading and error states. */
export function SettingsPart({ title, rows, children }: SettingsPartProps) {
  const query = useQuery(settingsQuery);
  const { data } = query;
  return (
    <Panel title={title}>
      {data !== undefined && children(data)}
      <PendingData query={query} rows={rows} />
    </Panel>
  );
}
