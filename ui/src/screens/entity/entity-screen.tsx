import { Button, VisuallyHidden } from '@mantine/core';
import { IconBroadcast, IconHistoryOff } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { entityHistoryQuery } from '../../api/entity-history';
import { BackLink } from '../../components/back-link';
import { EmptyNote } from '../../components/empty-note';
import { HistoryRow } from '../../features/entity-history/history-row';
import { Mono } from '../../components/mono';
import { itemsOf, PagedList } from '../../components/paged-list';
import { Panel } from '../../components/panel';
import { Screen } from '../../components/screen';
import { formatNoun } from '../../format/number';
import classes from './entity-screen.module.css';
import { useEffect, useState } from 'react';
import { RecordAtTime } from './record-at-time';
import { useLive } from '../../live/live-context';

const route = getRouteApi('/signed-in/entities/$entity');

/** The events of an entity, newest first, with what each changed. */
export function EntityScreen() {
  const { entity } = route.useParams();
  const history = useInfiniteQuery(entityHistoryQuery(entity));
  const events = history.data && itemsOf(history.data);
  const newer = useNewerCount(entity, events?.[0]?.seq ?? 0);
  // An event is compared with the one before it, so the oldest loaded one is shown once that is loaded too.
  const shown = history.hasNextPage ? events?.slice(0, -1) : events;
  const name = events?.find((event) => event.name !== null)?.name;
  return (
    <Screen
      title={entity}
      above={<BackLink to="/events">Events</BackLink>}
      heading={
        <h1>
          <Mono>{entity}</Mono>
        </h1>
      }
      lead={
        <>
          {name !== undefined && <bdi className={classes.name}>{name}</bdi>}
          {name !== undefined && ' · '}
          What each event changed, newest first.
        </>
      }
      actions={
        <Button
          leftSection={<IconBroadcast size={14} aria-hidden />}
          renderRoot={(props) => <Link to="/live" search={{ entity }} {...props} />}
        >
          Watch live
        </Button>
      }
    >
      <RecordAtTime key={entity} entity={entity} />
      <Panel
        title="Events"
        flush
        aside={
          <span aria-live="polite">
            {newer > 0 && (
              <Button variant="subtle" onClick={() => void history.refetch()}>
                Show {formatNoun(newer, 'newer event')}
              </Button>
            )}
          </span>
        }
      >
        <VisuallyHidden aria-live="polite">
          {shown !== undefined && `${formatNoun(shown.length, 'event')} shown`}
        </VisuallyHidden>
        <PagedList
          query={history}
          skeletonRows={6}
          empty={
            <EmptyNote
              title={`No stored events for ${entity}`}
              icon={<IconHistoryOff size={22} stroke={1.6} />}
            >
              <p>
                An entity is named by its kind and id, such as <code>deal:42</code>. Retention may have
                removed its events.
              </p>
            </EmptyNote>
          }
        >
          {(loaded) => (
            <ol aria-label="Events">
              {shown?.map((event, index) => (
                <HistoryRow key={event.id} event={event} previous={loaded[index + 1] ?? null} />
              ))}
            </ol>
          )}
        </PagedList>
      </Panel>
    </Screen>
  );
}

const MAX_COUNTED = 1_000;

/** How many events of the entity have arrived since the newest shown; at most 1,000. */
function useNewerCount(entity: string, newestSeq: number): number {
  const live = useLive();
  const [seqs, setSeqs] = useState<readonly number[]>([]);
  useEffect(
    () =>
      live.on('events', (stored) => {
        const more = stored.filter((event) => event.entity === entity).map(({ seq }) => seq);
        if (more.length > 0) setSeqs((before) => [...before, ...more].slice(-MAX_COUNTED));
      }),
    [live, entity],
  );
  return seqs.filter((seq) => seq > newestSeq).length;
}
