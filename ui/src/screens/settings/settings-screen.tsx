import { Screen } from '../../components/screen';
import { AboutPanel } from './about-panel';
import { AuditPanel } from './audit-panel';
import { ConfigurationPanel } from './configuration-panel';
import classes from './settings-screen.module.css';
import { StoragePanel } from './storage-panel';
import { TokensPanel } from './tokens-panel';

/** Who may use this Switchboard, what it runs with, and what was done with it. */
export function SettingsScreen() {
  return (
    <Screen title="Settings" lead="Who may use this Switchboard, what it runs with, and what was done.">
      <TokensPanel />
      <div className={classes.columns}>
        <ConfigurationPanel />
        <div className={classes.below}>
          <StoragePanel />
          <AboutPanel />
        </div>
      </div>
      <AuditPanel />
    </Screen>
  );
}
