import type { ReactNode } from 'react';
import { DENIED_RANGES } from '@contract/denied-ranges';
import type { SettingsView } from '@contract/settings';
import { Fact, Facts } from '../../components/facts';
import { Mono } from '../../components/mono';
import { formatBytes } from '../../format/number';
import stack from '../../components/stack.module.css';
import classes from './configuration-panel.module.css';
import { SettingsPart } from './settings-part';
import { Variables } from './variables';

const SECRET_LABELS: Record<SettingsView['secrets'][keyof SettingsView['secrets']], string> = {
  set: 'set',
  none: 'not set',
  generated: 'generated at first start, in the data directory',
};

/** What a setting is called, the variables that set it, and its value. */
type Row = [name: string, variables: string, value: ReactNode];

/** The settings by what they are for, without those of other panels; of secrets, only where they come from. */
function groupsOf({ copilot, secrets, changed, ...settings }: SettingsView): [string, Row[]][] {
  const { user_headers: headers, outgoing_proxy: proxy } = settings;
  const ranges = changed.includes('SWITCHBOARD_TARGET_DENY')
    ? list(settings.target_deny)
    : Object.keys(DENIED_RANGES).join(', ');
  return [
    [
      'This hub',
      [
        ['Name', 'SWITCHBOARD_NAME', settings.name],
        ['Public address', 'PUBLIC_URL', mono(settings.public_url)],
        ['Listens on', 'HOST PORT', mono(`${settings.host}:${settings.port}`)],
        ['Idle connections', 'SWITCHBOARD_KEEP_ALIVE_S', `${settings.keep_alive_s} s`],
        ['Log level', 'LOG_LEVEL', mono(settings.log_level)],
        ['Heartbeat address', 'SWITCHBOARD_HEARTBEAT_URL', SECRET_LABELS[secrets.heartbeat_url]],
      ],
    ],
    [
      'Co-Pilot',
      [
        ['Address', 'COPILOT_BASE_URL', mono(copilot.base_url)],
        ['Client id', 'COPILOT_CLIENT_ID', mono(copilot.client_id)],
        ['Client secret', 'COPILOT_CLIENT_SECRET', SECRET_LABELS[secrets.copilot_client_secret]],
        ['Scopes', 'COPILOT_SCOPES', list(copilot.scopes)],
        ['Events', 'COPILOT_EVENTS', list(copilot.events)],
        [
          'Signature header',
          'COPILOT_SIGNATURE_HEADER',
          copilot.signature_header === null ? 'detected' : mono(copilot.signature_header),
        ],
        ['Body size limit', 'SWITCHBOARD_BODY_LIMIT_BYTES', formatBytes(settings.body_limit_bytes)],
        ['Schemas', 'SWITCHBOARD_CONTRACT_WATCH', settings.contract_watch ? 'learned' : 'switched off'],
      ],
    ],
    [
      'Access and secrets',
      [
        ['Secret key', 'SWITCHBOARD_SECRET_KEY', SECRET_LABELS[secrets.secret_key]],
        ['Admin token', 'SWITCHBOARD_ADMIN_TOKEN', SECRET_LABELS[secrets.admin_token]],
        ['Metrics token', 'SWITCHBOARD_METRICS_TOKEN', SECRET_LABELS[secrets.metrics_token]],
        ['Masked values', 'SWITCHBOARD_MASK', list(settings.mask)],
        ['Trusted proxies', 'SWITCHBOARD_TRUSTED_PROXIES', list(settings.trusted_proxies)],
        [
          'User headers',
          'SWITCHBOARD_AUTH_USER_HEADER SWITCHBOARD_AUTH_ROLE_HEADER',
          headers && list([headers.user, headers.role]),
        ],
        ...(headers === null
          ? []
          : [
              [
                'Roles of groups',
                'SWITCHBOARD_AUTH_ROLES',
                list(Object.entries(settings.user_roles).map((role) => role.join('='))),
              ] satisfies Row,
            ]),
        ['Secret of the proxy', 'SWITCHBOARD_AUTH_SECRET_HEADER', SECRET_LABELS[secrets.auth_secret_header]],
      ],
    ],
    [
      'Targets',
      [
        ['Initial targets', 'SWITCHBOARD_TARGETS', list(settings.targets)],
        [
          'Allowed networks',
          'SWITCHBOARD_TARGET_ALLOW',
          ALL_NETWORKS.every((one) => settings.target_allow.includes(one))
            ? 'any'
            : list(settings.target_allow),
        ],
        ['Blocked networks', 'SWITCHBOARD_TARGET_DENY', ranges],
        ['Proxy for https', 'HTTPS_PROXY', proxy.https && mono(proxy.https)],
        ['Proxy for http', 'HTTP_PROXY', proxy.http && mono(proxy.http)],
        ['Without a proxy', 'NO_PROXY', list(proxy.except)],
      ],
    ],
  ];
}

const ALL_NETWORKS = ['0.0.0.0/0', '::/0'];

/** The settings, and which differ from their defaults. */
export function ConfigurationPanel() {
  return (
    <SettingsPart title="Configuration" rows={12}>
      {(settings) => (
        <div className={stack.small}>
          <p className={classes.lead}>
            Read from the environment at startup; to change a setting, change it there and restart
            Switchboard. What differs from the default shows its variable.
          </p>
          <div className={classes.groups}>
            {groupsOf(settings).map(([title, rows]) => (
              <section key={title} className={classes.group} aria-label={title}>
                <h3>{title}</h3>
                <Facts>
                  {rows.map(([name, variables, value]) => (
                    <Fact key={name} name={name}>
                      {value ?? <span className={classes.lead}>none</span>}
                      <Variables of={variables} settings={settings} />
                    </Fact>
                  ))}
                </Facts>
              </section>
            ))}
          </div>
        </div>
      )}
    </SettingsPart>
  );
}

const mono = (text: string) => <Mono>{text}</Mono>;

/** Null if it is empty. */
function list(values: readonly string[]): ReactNode {
  if (values.length === 0) return null;
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
