import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { SettingsView } from '../../../../src/contract/settings';
import { settingsQuery } from '../../api/settings';
import { Panel } from '../../components/panel';
import { PendingData } from '../../components/pending-data';

interface SettingsPartProps {
  title: string;
  rows: number;
  children: (settings: SettingsView) => ReactNode;
}

/** A panel over what the daemon says of itself, before and after it has said it. */
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
