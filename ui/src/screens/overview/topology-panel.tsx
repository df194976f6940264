import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import type { Connection } from '@contract/connection';
import type { Stats } from '@contract/stats';
import type { Target } from '@contract/target';
import { targetsTrafficQuery } from '../../api/stats';
import { Panel } from '../../components/panel';
import { StateMark } from '../../components/state-badge';
import { useNow } from '../../components/use-now';
import { oneOf, StoredChoice } from '../../format/stored-choice';
import { heightOf } from './topology-size';
import { describeNode, topologyView } from './topology-view';
import classes from './topology.module.css';

const Topology = lazy(async () => ({ default: (await import('./topology')).Topology }));

const shown = new StoredChoice('switchboard-topology', oneOf('shown', 'hidden'));

interface TopologyPanelProps {
  connection: Connection;
  stats: Stats;
  targets: readonly Target[];
}

/** Co-Pilot, this hub and the targets, with the rate and the health of what flows between them. */
export function TopologyPanel(props: TopologyPanelProps) {
  const isOpen = shown.use() === 'shown';
  const { data: traffic } = useQuery(targetsTrafficQuery);
  const view = topologyView(props, traffic, useNow());
  return (
    <Panel
      title="Topology"
      flush
      aside={
        <span className={classes.aside}>
          Averages over two minutes
          <Button
            variant="subtle"
            aria-expanded={isOpen}
            onClick={() => shown.set(isOpen ? 'hidden' : 'shown')}
          >
            {isOpen ? 'Hide' : 'Show'}
          </Button>
        </span>
      }
    >
      {isOpen && (
        <>
          <ul className={classes.text}>
            {[view.source, ...view.targets].map((node) => (
              <li key={node.id}>
                <StateMark tone={node.tone} />
                <strong>{node.name}</strong>:{' '}
                {describeNode(node, node === view.source ? 'events/s' : 'attempts/s')}
              </li>
            ))}
          </ul>
          <div className={classes.frame} style={{ height: heightOf(view.targets.length) }}>
            <Suspense>
              <Topology view={view} />
            </Suspense>
          </div>
          {view.others !== '' && (
            <p className={classes.more}>
              <Link to="/targets">{view.others}</Link>
            </p>
          )}
        </>
      )}
    </Panel>
  );
}
