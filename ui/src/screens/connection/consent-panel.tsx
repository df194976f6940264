import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Connection } from '@contract/connection';
import { connectionQuery, CONSENT_PATH } from '../../api/connection';
import { GuardedButton } from '../../components/guarded-button';
import { ActionOutcome } from '../../components/action-outcome';
import { Fact, Facts } from '../../components/facts';
import { Mono } from '../../components/mono';
import { Panel } from '../../components/panel';
import { PendingData } from '../../components/pending-data';
import { TimeAgo } from '../../components/time-ago';
import { CONNECTION_LABELS, needsConsent } from '../../labels/connection-labels';
import stack from '../../components/stack.module.css';
import note from '../../components/note.module.css';
import { DisconnectDialog } from './disconnect-dialog';
import { ScopeList } from './scope-list';
import { StateDescription } from './state-description';
import { TokenLifetime } from './token-lifetime';

const DISCONNECTED = 'Disconnected. The webhook was deleted at Co-Pilot and the tokens were deleted here.';
const DISCONNECTED_LOCALLY =
  'Disconnected. The tokens were deleted, but the webhook still exists at Co-Pilot. Delete it in the developer panel.';

/** The OAuth grant at Co-Pilot, with buttons to connect and disconnect. */
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
  const [confirming, setConfirming] = useState(false);
  const [done, setDone] = useState<string | null>(null);
  const outcome = useRef<HTMLDivElement>(null);
  const isConnected = connection.state !== 'not_connected';
  return (
    <Panel
      title="Authorization"
      aside={
        <Group gap={4}>
          {isConnected && (
            <GuardedButton needs="admin" color="red" variant="subtle" onClick={() => setConfirming(true)}>
              Disconnect
            </GuardedButton>
          )}
          <GuardedButton
            needs="admin"
            href={CONSENT_PATH}
            variant={needsConsent(connection) ? 'filled' : 'default'}
          >
            {isConnected ? 'Reconnect' : 'Connect to Co-Pilot'}
          </GuardedButton>
        </Group>
      }
    >
      <div className={stack.large}>
        <StateDescription
          state={CONNECTION_LABELS[connection.state]}
          sentence={connection.sentence}
          remedy={connection.remedy}
          alertType="relay.connection.down"
        />
        <ActionOutcome
          focusRef={outcome}
          done={isConnected ? null : done}
          isPartial={done === DISCONNECTED_LOCALLY}
        />
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
          <Fact name="Authorized" none="not yet">
            {connection.connected_at === null ? null : <TimeAgo at={connection.connected_at} />}
          </Fact>
          <Fact name="Token renewed" none="not yet">
            {connection.renewed_at === null ? null : <TimeAgo at={connection.renewed_at} />}
          </Fact>
        </Facts>
      </div>
      <DisconnectDialog
        opened={confirming}
        close={() => setConfirming(false)}
        // The button that opened the dialog is gone after a success.
        onClosed={() => outcome.current?.textContent && outcome.current.focus()}
        onDisconnected={(isWebhookLeft) => {
          setDone(isWebhookLeft ? DISCONNECTED_LOCALLY : DISCONNECTED);
          setConfirming(false);
        }}
      />
    </Panel>
  );
}

/** The last failed consent, if the previous grant is still in use and the state does not show it. */
function LastConsent({ connection }: { connection: Connection }) {
  const { consent_failure: failure, state } = connection;
  if (failure === null || state === 'not_connected' || state === 'consent_needed') return null;
  return (
    <div className={note.note}>
      <h3>
        The last authorization failed (<TimeAgo at={failure.at} />)
      </h3>
      <p>{failure.sentence}</p>
      <p>{failure.remedy}</p>
    </div>
  );
}
