import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Connection } from '../../../../src/contract/connection';
import { CONSENT_PATH, connectionQuery } from '../../api/connection';
import { ActionOutcome } from '../../components/action-outcome';
import { Fact, Facts } from '../../components/facts';
import { Mono } from '../../components/mono';
import { Panel } from '../../components/panel';
import { PendingData } from '../../components/pending-data';
import { TimeAgo } from '../../components/time-ago';
import { CONNECTION_LABELS, needsConsent } from '../../labels/connection-labels';
import classes from './consent-panel.module.css';
import { DisconnectDialog } from './disconnect-dialog';
import { LastConsent } from './last-consent';
import { ScopeList } from './scope-list';
import { StateDescription } from './state-description';
import { TokenLifetime } from './token-lifetime';

const DISCONNECTED = 'Disconnected. The webhook was deleted at Co-Pilot and the tokens were deleted here.';
const DISCONNECTED_WEBHOOK_LEFT =
  'Disconnected. The tokens were deleted, but the webhook still exists at Co-Pilot. Delete it in the developer panel.';

/** The grant that Co-Pilot gave us: the button that asks for it, and the one that gives it up. */
export function ConsentPanel() {
  const query = useQuery(connectionQuery);
  const { data: connection } = query;
  if (connection !== undefined) return <ConnectionDetails connection={connection} />;
  return (
    <Panel title="Authorization">
      <PendingData query={query} rows={5} />
    </Panel>
  );
}

function ConnectionDetails({ connection }: { connection: Connection }) {
  const [asking, setAsking] = useState(false);
  const [done, setDone] = useState<string | null>(null);
  const outcome = useRef<HTMLDivElement>(null);
  const isConnected = connection.state !== 'not_connected';
  return (
    <Panel
      title="Authorization"
      aside={
        <Group gap={4}>
          {isConnected && (
            <Button color="red" variant="subtle" onClick={() => setAsking(true)}>
              Disconnect
            </Button>
          )}
          <Button component="a" href={CONSENT_PATH} variant={needsConsent(connection) ? 'filled' : 'default'}>
            {isConnected ? 'Reconnect' : 'Connect to Co-Pilot'}
          </Button>
        </Group>
      }
    >
      <div className={classes.parts}>
        <StateDescription
          state={CONNECTION_LABELS[connection.state]}
          sentence={connection.sentence}
          remedy={connection.remedy}
        />
        <ActionOutcome focusRef={outcome} done={isConnected ? null : done} />
        <LastConsent connection={connection} />
        {connection.expires_at !== null && <TokenLifetime connection={connection} />}
        <ScopeList connection={connection} />
        <Facts>
          <Fact name="Co-Pilot">
            <Mono>{connection.base_url}</Mono>
          </Fact>
          <Fact name="Client id">
            <Mono>{connection.client_id}</Mono>
          </Fact>
          <Fact name="Authorized">
            {connection.connected_at === null ? 'not yet' : <TimeAgo at={connection.connected_at} />}
          </Fact>
          <Fact name="Token renewed">
            {connection.renewed_at === null ? 'not yet' : <TimeAgo at={connection.renewed_at} />}
          </Fact>
        </Facts>
      </div>
      <DisconnectDialog
        opened={asking}
        close={() => setAsking(false)}
        // The button that opened it is gone when it worked.
        closed={() => outcome.current?.textContent && outcome.current.focus()}
        done={(left) => {
          setDone(left ? DISCONNECTED_WEBHOOK_LEFT : DISCONNECTED);
          setAsking(false);
        }}
      />
    </Panel>
  );
}
