import { GuardedPart } from '../../components/guarded-part';
import { Column, Columns } from '../../components/columns';
import { Screen } from '../../components/screen';
import { AboutPanel } from './about-panel';
import { AuditPanel } from './audit-panel';
import { BackupsPanel } from './backups-panel';
import { ConfigurationPanel } from './configuration-panel';
import { DaemonsPanel } from './daemons-panel';
import { SessionsPanel } from './sessions-panel';
import { StoragePanel } from './storage-panel';
import { TokensPanel } from './tokens-panel';

/** Access, configuration and audit log. */
export function SettingsScreen() {
  return (
    <Screen title="Settings" lead="Access, configuration and audit log.">
      <DaemonsPanel />
      <GuardedPart needs="admin">
        <TokensPanel />
        <SessionsPanel />
        <Columns shares={[1, 1]}>
          <ConfigurationPanel />
          <Column>
            <StoragePanel />
            <BackupsPanel />
            <AboutPanel />
          </Column>
        </Columns>
        <AuditPanel />
      </GuardedPart>
    </Screen>
  );
}
