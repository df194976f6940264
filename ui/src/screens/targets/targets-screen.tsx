import { IconPlus, IconTargetArrow } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { targetsQuery } from '../../api/targets';
import { GuardedButton } from '../../components/guarded-button';
import { EmptyNote } from '../../components/empty-note';
import { PendingData } from '../../components/pending-data';
import { Screen } from '../../components/screen';
import { useRowKeys } from '../../components/use-row-keys';
import panel from '../../components/panel.module.css';
import { TargetRow } from './target-row';

/** All targets. */
export function TargetsScreen() {
  const query = useQuery(targetsQuery);
  const { data: targets } = query;
  const list = useRef<HTMLUListElement>(null);
  useRowKeys(list);
  const add = (
    <GuardedButton
      variant="filled"
      leftSection={<IconPlus size={14} aria-hidden />}
      renderRoot={(props) => <Link to="/targets/new" {...props} />}
    >
      Add a target
    </GuardedButton>
  );
  return (
    <Screen
      title="Targets"
      lead="Each event is delivered to every matching target. Failed deliveries are retried."
      actions={targets !== undefined && targets.length > 0 ? add : undefined}
    >
      <div className={panel.panel}>
        <PendingData query={query} rows={4} height={40} flush />
        {targets?.length === 0 && (
          <EmptyNote title="No targets yet" icon={<IconTargetArrow size={22} stroke={1.6} />}>
            <p>
              A target is an HTTP endpoint that receives events as signed POST requests: a service, a
              function, or a local program such as <code>http://localhost:3000/hook</code>.
            </p>
            <p>Until you add one, events are stored and can be replayed later.</p>
            {add}
          </EmptyNote>
        )}
        {targets !== undefined && targets.length > 0 && (
          <ul ref={list}>
            {targets.map((target) => (
              <TargetRow key={target.id} target={target} />
            ))}
          </ul>
        )}
      </div>
    </Screen>
  );
}
