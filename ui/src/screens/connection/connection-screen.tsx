import { Column, Columns } from '../../components/columns';
import { Screen } from '../../components/screen';
import { useHashTarget } from '../../components/use-hash-target';
import { ConsentPanel } from './consent-panel';
import { DriftPanel } from './drift-panel';
import { ReachabilityPanel } from './reachability-panel';
import { NotStoredPanel } from './not-stored-panel';
import { OutagesPanel } from './outages-panel';
import { QuarantinePanel } from './quarantine-panel';
import { SubscriptionPanel } from './subscription-panel';

/** The connection to Co-Pilot: authorization, webhook, reachability, and events that were missed or rejected. */
export function ConnectionScreen() {
  useHashTarget();
  return (
    <Screen title="Connection" lead="Authorization, webhook, reachability and outages.">
      <Columns shares={[1, 1]}>
        <Column>
          <ConsentPanel />
        </Column>
        <Column>
          <SubscriptionPanel />
          <DriftPanel />
        </Column>
      </Columns>
      <ReachabilityPanel />
      <OutagesPanel />
      <NotStoredPanel />
      <QuarantinePanel />
    </Screen>
  );
}
