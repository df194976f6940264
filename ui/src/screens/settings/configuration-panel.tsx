import type { SettingsView } from '../../../../src/contract/settings';
import { Fact, Facts } from '../../components/facts';
import { Mono } from '../../components/mono';
import { formatBytes } from '../../format/number';
import classes from './configuration-panel.module.css';
import { SettingsPart } from './settings-part';

const ORIGINS: Record<SettingsView['secrets']['secret_key'], string> = {
  set: 'set',
  generated: 'generated at first start, in the data directory',
};

/** What is configured; of secrets only whether they were set. */
export function ConfigurationPanel() {
  return (
    <SettingsPart title="Configuration" rows={12}>
      {({ copilot, secrets, ...settings }) => (
        <div className={classes.parts}>
          <p className={classes.lead}>
            Read from the environment at startup. To change a setting, set it there and restart.
          </p>
          <Facts>
            <Fact name="Public address">
              <Mono>{settings.public_url}</Mono>
            </Fact>
            <Fact name="Listens on">
              <Mono>
                {settings.host}:{settings.port}
              </Mono>
            </Fact>
            <Fact name="Co-Pilot">
              <Mono>{copilot.base_url}</Mono>
            </Fact>
            <Fact name="Client id">
              <Mono>{copilot.client_id}</Mono>
            </Fact>
            <Fact name="Client secret">{ORIGINS[secrets.copilot_client_secret]}</Fact>
            <Fact name="Requested scopes">
              <ValueList values={copilot.scopes} />
            </Fact>
            <Fact name="Requested events">
              <ValueList values={copilot.events} />
            </Fact>
            <Fact name="Signature header">
              {copilot.signature_header === null ? (
                'detected automatically'
              ) : (
                <Mono>{copilot.signature_header}</Mono>
              )}
            </Fact>
            <Fact name="Secret key">{ORIGINS[secrets.secret_key]}</Fact>
            <Fact name="Admin token">{ORIGINS[secrets.admin_token]}</Fact>
            <Fact name="Body size limit">{formatBytes(settings.body_limit_bytes)}</Fact>
            <Fact name="Initial targets">
              <ValueList values={settings.targets} />
            </Fact>
            <Fact name="Allowed networks">
              {isEverything(settings.target_allow) ? 'any' : <ValueList values={settings.target_allow} />}
            </Fact>
            <Fact name="Blocked networks">
              <ValueList values={settings.target_deny} />
            </Fact>
            <Fact name="Trusted proxies">
              <ValueList values={settings.trusted_proxies} />
            </Fact>
            <Fact name="Log level">
              <Mono>{settings.log_level}</Mono>
            </Fact>
          </Facts>
        </div>
      )}
    </SettingsPart>
  );
}

const EVERYTHING = ['0.0.0.0/0', '::/0'];
const isEverything = (networks: readonly string[]) => EVERYTHING.every((one) => networks.includes(one));

function ValueList({ values }: { values: readonly string[] }) {
  if (values.length === 0) return <span className={classes.none}>none</span>;
  return (
    <ul className={classes.text}>
      {values.map((word) => (
        <li key={word}>
          <Mono>{word}</Mono>
        </li>
      ))}
    </ul>
  );
}
