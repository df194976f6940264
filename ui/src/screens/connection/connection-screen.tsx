import { Screen } from '../../components/screen';
import { ConsentPanel } from './consent-panel';
import classes from './connection-screen.module.css';
import { QuarantinePanel } from './quarantine-panel';
import { SubscriptionPanel } from './subscription-panel';

/** All that lies between Co-Pilot and us: the grant, the registration, and what could not be verified. */
export function ConnectionScreen() {
  return (
    <Screen title="Connection" lead="How Switchboard stands with Co-Pilot.">
      <div className={classes.columns}>
        <ConsentPanel />
        <SubscriptionPanel />
      </div>
      <QuarantinePanel />
    </Screen>
  );
}
