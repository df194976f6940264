import type { Target } from '@contract/target';
import type { ListenerState } from '@contract/target-listener';
import { Fact, Facts } from '../../components/facts';
import stack from '../../components/stack.module.css';
import { Panel } from '../../components/panel';
import { TimeAgo } from '../../components/time-ago';
import { ListenCommand } from '../../features/targets/listen-command';

/** Which program receives the events of a listener, or last did. */
export function ListenerPanel({ target, listener }: { target: Target; listener: ListenerState }) {
  const { connected, since, address, version, forward_to: forwardTo, token, ephemeral } = listener;
  return (
    <Panel title="Listener">
      <div className={stack.medium}>
        <Facts>
          <Fact name={connected ? 'Connected' : 'Disconnected'}>
            {since === null ? 'No program has connected yet' : <TimeAgo at={since} />}
          </Fact>
          {address !== null && <Fact name={connected ? 'From' : 'Last from'}>{address}</Fact>}
          {forwardTo !== null && <Fact name="Forwards to">{forwardTo}</Fact>}
          {token !== null && <Fact name="Token">{token}</Fact>}
          {version !== null && <Fact name="Version">{version}</Fact>}
          {ephemeral && <Fact name="Ephemeral">Removed when its program ends</Fact>}
        </Facts>
        {!connected && <ListenCommand target={target} />}
      </div>
    </Panel>
  );
}
