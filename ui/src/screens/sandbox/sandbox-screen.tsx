import { Button } from '@mantine/core';
import { IconBroadcast } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { sandboxQuery } from '../../api/sandbox';
import { GuardedPart } from '../../components/guarded-part';
import { Columns } from '../../components/columns';
import { ErrorNote } from '../../components/error-note';
import { LoadingPanels } from '../../components/loading-rows';
import { Screen } from '../../components/screen';
import { EventPanel } from './event-panel';
import { FaultsPanel } from './faults-panel';
import { TrafficPanel } from './traffic-panel';

/** Controls the sandbox of the demo. */
export function SandboxScreen() {
  const { data: sandbox, error, refetch } = useQuery(sandboxQuery);
  return (
    <Screen
      title="Sandbox"
      lead="In this demo, Co&#8209;Pilot is a sandbox on this machine. Create events, inject faults and watch the effect."
      actions={
        <Button
          leftSection={<IconBroadcast size={14} aria-hidden />}
          renderRoot={(props) => <Link to="/live" {...props} />}
        >
          Watch live
        </Button>
      }
    >
      {error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
      {sandbox === undefined && error === null && <LoadingPanels />}
      {sandbox !== undefined && (
        <GuardedPart needs="operate">
          <Columns shares={[1, 1]}>
            <TrafficPanel traffic={sandbox.traffic} />
            <EventPanel />
          </Columns>
          <FaultsPanel faults={sandbox.faults} />
        </GuardedPart>
      )}
    </Screen>
  );
}
