import { Column } from '../../components/columns';
import { Screen } from '../../components/screen';
import { ConsentPanel } from './consent-panel';
import classes from './connection-screen.module.css';
import { DriftPanel } from './drift-panel';
import { ReachabilityPanel } from './reachability-panel';
import { NotStoredPanel } from './not-stored-panel';
import { OutagesPanel } from './outages-panel';
import { QuarantinePanel } from './quarantine-panel';
import { SubscriptionPanel } from './subscription-panel';

/** All that lies between Co-Pilot and us: the grant, the registration, the way in, and what did not come through it. */
export function ConnectionScreen() {
  return (
    <Screen title="Connection" lead="Authorization, webhook and delivery health.">
      <div className={classes.columns}>
        <ConsentPanel />
        <div className={classes.beside}>
          <SubscriptionPanel />
        </div>
        <Column>
          <ReachabilityPanel />
          <DriftPanel />
        </Column>
      </div>
      <OutagesPanel />
      <NotStoredPanel />
      <QuarantinePanel />
    </Screen>
  );
}
