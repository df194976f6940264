import { useQuery } from '@tanstack/react-query';
import type { DaemonEntry } from '@contract/daemon';
import { daemonsQuery } from '../../api/daemons';
import { Mono } from '../../components/mono';
import { Panel, PanelText } from '../../components/panel';
import { StateBadge } from '../../components/state-badge';
import { TimeAgo } from '../../components/time-ago';
import { formatNoun } from '../../format/number';
import { daemonLabel, daemonName } from '../../labels/daemon-labels';
import classes from './daemons-panel.module.css';

/** The daemons of a hub that has several. */
export function DaemonsPanel() {
  const { data: daemons = [] } = useQuery(daemonsQuery);
  if (daemons.length < 2) return null;
  return (
    <Panel title="Daemons" flush>
      <PanelText>
        All daemons on this database receive notifications; one of them leads. A daemon that has not renewed
        its lease for 10 s is not alive, and is listed for a day or until it runs again.
      </PanelText>
      <ul>
        {daemons.map((daemon) => (
          <DaemonRow key={daemon.id} daemon={daemon} />
        ))}
      </ul>
    </Panel>
  );
}

function DaemonRow({ daemon }: { daemon: DaemonEntry }) {
  const { id, version, alive, alive_until: aliveUntil, targets } = daemon;
  const label = daemonLabel(daemon);
  return (
    <li className={classes.row}>
      <div className={classes.name}>
        <strong>{daemonName(daemon)}</strong>
        <Mono>{id}</Mono>
      </div>
      <div className={classes.state}>
        <StateBadge state={label} strong={!alive} />
        <span>{label.description}</span>
      </div>
      <div className={classes.facts}>
        {alive ? (
          targets > 0 && <span>delivers to {formatNoun(targets, 'target')}</span>
        ) : (
          <span>
            lease ended <TimeAgo at={aliveUntil} />
          </span>
        )}
        <span>version {version}</span>
      </div>
    </li>
  );
}
