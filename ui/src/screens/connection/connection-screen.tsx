import { Screen } from '../../components/screen';
import { useHashTarget } from '../../components/use-hash-target';
import { ConsentPanel } from './consent-panel';
import classes from './connection-screen.module.css';
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
      <div className={classes.columns}>
        <ConsentPanel />
        <SubscriptionPanel />
      </div>
      <ReachabilityPanel />
      <DriftPanel />
      <OutagesPanel />
      <NotStoredPanel />
      <QuarantinePanel />
    </Screen>
  );
}
