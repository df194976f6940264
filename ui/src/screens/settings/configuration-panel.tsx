import type { SettingsView } from '@contract/settings';
import { Fact, Facts } from '../../components/facts';
import { Mono } from '../../components/mono';
import { formatBytes } from '../../format/number';
import stack from '../../components/stack.module.css';
import classes from './configuration-panel.module.css';
import { SettingsPart } from './settings-part';

const SECRET_LABELS: Record<SettingsView['secrets'][keyof SettingsView['secrets']], string> = {
  set: 'set',
  none: 'not set',
  generated: 'generated at first start, in the data directory',
};

/** The settings; of secrets, only where they come from. */
export function ConfigurationPanel() {
  return (
    <SettingsPart title="Configuration" rows={12}>
      {({ copilot, secrets, ...settings }) => (
        <div className={stack.small}>
          <p className={classes.lead}>
            Read from the environment at startup. To change a setting, change it there and restart
            Switchboard.
          </p>
          <Facts>
            <Fact name="Name">{settings.name}</Fact>
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
            <Fact name="Client secret">{SECRET_LABELS[secrets.copilot_client_secret]}</Fact>
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
            <Fact name="Secret key">{SECRET_LABELS[secrets.secret_key]}</Fact>
            <Fact name="Admin token">{SECRET_LABELS[secrets.admin_token]}</Fact>
            <Fact name="Metrics token">{SECRET_LABELS[secrets.metrics_token]}</Fact>
            <Fact name="Heartbeat address">{SECRET_LABELS[secrets.heartbeat_url]}</Fact>
            <Fact name="Secret of the proxy">{SECRET_LABELS[secrets.auth_secret_header]}</Fact>
            <Fact name="Body size limit">{formatBytes(settings.body_limit_bytes)}</Fact>
            <Fact name="Schemas of payloads">{settings.contract_watch ? 'learned' : 'switched off'}</Fact>
            <Fact name="Masked values">
              <ValueList values={settings.mask} />
            </Fact>
            <Fact name="Initial targets">
              <ValueList values={settings.targets} />
            </Fact>
            <Fact name="Allowed networks">
              {includesAllNetworks(settings.target_allow) ? (
                'any'
              ) : (
                <ValueList values={settings.target_allow} />
              )}
            </Fact>
            <Fact name="Blocked networks">
              <ValueList values={settings.target_deny} />
            </Fact>
            <Fact name="Idle connections">{settings.keep_alive_s} s</Fact>
            <Fact name="Trusted proxies">
              <ValueList values={settings.trusted_proxies} />
            </Fact>
            <Fact name="Outgoing proxies">
              <ValueList values={proxiesOf(settings.outgoing_proxy)} />
            </Fact>
            <Fact name="User headers">
              {settings.user_headers === null ? (
                <span className={classes.none}>none</span>
              ) : (
                <ValueList values={[settings.user_headers.user, settings.user_headers.role]} />
              )}
            </Fact>
            {settings.user_headers !== null && (
              <Fact name="Roles of groups">
                <ValueList
                  values={Object.entries(settings.user_roles).map(([group, role]) => `${group}=${role}`)}
                />
              </Fact>
            )}
            <Fact name="Log level">
              <Mono>{settings.log_level}</Mono>
            </Fact>
          </Facts>
        </div>
      )}
    </SettingsPart>
  );
}

const ALL_NETWORKS = ['0.0.0.0/0', '::/0'];
const includesAllNetworks = (networks: readonly string[]) =>
  ALL_NETWORKS.every((one) => networks.includes(one));

const proxiesOf = ({ https, http }: SettingsView['outgoing_proxy']) => [
  ...(https === null ? [] : [`https: ${https}`]),
  ...(http === null ? [] : [`http: ${http}`]),
];

function ValueList({ values }: { values: readonly string[] }) {
  if (values.length === 0) return <span className={classes.none}>none</span>;
  return (
    <ul className={classes.text}>
      {values.map((value) => (
        <li key={value}>
          <Mono>{value}</Mono>
        </li>
      ))}
    </ul>
  );
}
