import { GuardedPart } from '../../components/guarded-part';
import { Column, Columns } from '../../components/columns';
import { Panel } from '../../components/panel';
import { Screen } from '../../components/screen';
import { useHashTarget } from '../../components/use-hash-target';
import { Preferences } from '../../features/preferences/preferences';
import { AboutPanel } from './about-panel';
import { AuditPanel } from './audit-panel';
import { BackupsPanel } from './backups-panel';
import { ConfigurationPanel } from './configuration-panel';
import { DaemonsPanel } from './daemons-panel';
import { ErasuresPanel } from './erasures-panel';
import { SessionsPanel } from './sessions-panel';
import { StoragePanel } from './storage-panel';
import { TokensPanel } from './tokens-panel';

/** Access, configuration and audit log. */
export function SettingsScreen() {
  useHashTarget();
  return (
    <Screen title="Settings" lead="Preferences, access, configuration and audit log.">
      <Panel title="Preferences">
        <Preferences />
      </Panel>
      <DaemonsPanel />
      <GuardedPart needs="admin">
        <TokensPanel />
        <SessionsPanel />
        <ConfigurationPanel />
        <Columns shares={[1, 1]}>
          <StoragePanel />
          <Column>
            <BackupsPanel />
            <AboutPanel />
          </Column>
        </Columns>
        <ErasuresPanel />
        <AuditPanel />
      </GuardedPart>
    </Screen>
  );
}
