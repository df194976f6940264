import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { SettingsView } from '../../../../src/contract/settings';
import { settingsQuery } from '../../api/settings';
import { ErrorNote } from '../../components/error-note';
import { LoadingRows } from '../../components/loading-rows';
import { Panel } from '../../components/panel';

interface SettingsPartProps {
  title: string;
  rows: number;
  children: (settings: SettingsView) => ReactNode;
}

/** A panel over what the daemon says of itself, before and after it has said it. */
export function SettingsPart({ title, rows, children }: SettingsPartProps) {
  const { data, error, refetch } = useQuery(settingsQuery);
  return (
    <Panel title={title}>
      {data !== undefined && children(data)}
      {data === undefined && error === null && <LoadingRows count={rows} />}
      {data === undefined && error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
    </Panel>
  );
}
