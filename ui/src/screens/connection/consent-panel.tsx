import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CONSENT_ADDRESS, connectionQuery } from '../../api/connection';
import { ErrorNote } from '../../components/error-note';
import { Fact, Facts } from '../../components/facts';
import { LoadingRows } from '../../components/loading-rows';
import { Mono } from '../../components/mono';
import { Panel } from '../../components/panel';
import { TimeAgo } from '../../components/time-ago';
import { CONNECTION_WORDS, wantsConsent } from '../../text/connection-words';
import classes from './consent-panel.module.css';
import { ScopeList } from './scope-list';
import { StateSentence } from './state-sentence';
import { TokenLife } from './token-life';

/** The grant that Co-Pilot gave us, and the button that asks for it. */
export function ConsentPanel() {
  const { data: connection, error, refetch } = useQuery(connectionQuery);
  if (connection === undefined) {
    return (
      <Panel title="Consent">
        {error === null ? (
          <LoadingRows count={5} />
        ) : (
          <ErrorNote error={error} retry={() => void refetch()} />
        )}
      </Panel>
    );
  }
  const wanted = wantsConsent(connection);
  return (
    <Panel
      title="Consent"
      aside={
        <Button component="a" href={CONSENT_ADDRESS} variant={wanted ? 'filled' : 'default'}>
          {connection.connected_at === null ? 'Connect to Co-Pilot' : 'Give consent again'}
        </Button>
      }
    >
      <div className={classes.parts}>
        <StateSentence
          words={CONNECTION_WORDS[connection.state]}
          sentence={connection.sentence}
          remedy={connection.remedy}
        />
        {connection.expires_at !== null && <TokenLife connection={connection} />}
        <ScopeList connection={connection} />
        <Facts>
          <Fact name="Co-Pilot">
            <Mono>{connection.base_url}</Mono>
          </Fact>
          <Fact name="Client id">
            <Mono>{connection.client_id}</Mono>
          </Fact>
          <Fact name="Consent given">
            {connection.connected_at === null ? 'not yet' : <TimeAgo at={connection.connected_at} />}
          </Fact>
          <Fact name="Token renewed">
            {connection.renewed_at === null ? 'not yet' : <TimeAgo at={connection.renewed_at} />}
          </Fact>
        </Facts>
      </div>
    </Panel>
  );
}
