import { Button } from '@mantine/core';
import { IconPlus, IconTargetArrow } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { targetsQuery } from '../../api/targets';
import { EmptyNote } from '../../components/empty-note';
import { ErrorNote } from '../../components/error-note';
import { LoadingRows } from '../../components/loading-rows';
import { Screen } from '../../components/screen';
import { TargetRow } from './target-row';
import classes from './targets-screen.module.css';
import { useRowKeys } from '../../components/use-row-keys';

/** Where events go. */
export function TargetsScreen() {
  const { data: targets, error, refetch } = useQuery(targetsQuery);
  const list = useRowKeys();
  const add = (
    <Button
      variant="filled"
      leftSection={<IconPlus size={14} aria-hidden />}
      renderRoot={(props) => <Link to="/targets/new" {...props} />}
    >
      Add a target
    </Button>
  );
  return (
    <Screen
      title="Targets"
      lead="Each event goes to every target that takes its type, with retries until it is there."
      actions={targets !== undefined && targets.length > 0 ? add : undefined}
    >
      <div className={classes.list}>
        {targets === undefined && error === null && <LoadingRows count={4} height={40} />}
        {targets === undefined && error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
        {targets?.length === 0 && (
          <EmptyNote title="No target yet" icon={<IconTargetArrow size={22} stroke={1.6} />}>
            <p>
              A target is an HTTP address of yours that takes events as signed POST requests: a service, a
              function, or a small program on this machine such as <code>http://localhost:3000/hook</code>.
            </p>
            <p>Until there is one, events are stored and can be replayed to it later.</p>
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
