import { Button, VisuallyHidden } from '@mantine/core';
import { IconBroadcast, IconHistoryOff } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { entityQuery } from '../../api/entities';
import { entityHistoryQuery } from '../../api/entity-history';
import { outagesQuery } from '../../api/outages';
import { BackLink } from '../../components/back-link';
import { EmptyNote } from '../../components/empty-note';
import { EraseButton } from '../../features/erasures/erase-button';
import { HistoryRow } from '../../features/entity-history/history-row';
import { Mono } from '../../components/mono';
import { itemsOf, PagedList } from '../../components/paged-list';
import { Panel } from '../../components/panel';
import { Screen } from '../../components/screen';
import { formatNoun } from '../../format/number';
import classes from './entity-screen.module.css';
import { Fragment, useEffect, useState } from 'react';
import { GapRow } from './gap-row';
import { RecordAtTime } from './record-at-time';
import { StateNow } from './state-now';
import { useLive } from '../../live/live-context';

const route = getRouteApi('/signed-in/entities/$entity');

/** What is known of an entity, and its events, newest first, with what each changed. */
export function EntityScreen() {
  const { entity } = route.useParams();
  const history = useInfiniteQuery(entityHistoryQuery(entity));
  const events = history.data && itemsOf(history.data);
  const newer = useNewerCount(entity, events?.[0]?.seq ?? 0);
  const { data: outages } = useInfiniteQuery(outagesQuery);
  const { data: state } = useQuery(entityQuery(entity));
  const name = state?.name ?? events?.find((event) => event.name !== null)?.name;
  return (
    <Screen
      title={entity}
      above={<BackLink to="/entities">Entities</BackLink>}
      heading={
        <h1>
          <Mono>{entity}</Mono>
        </h1>
      }
      lead={
        <>
          {name !== undefined && <bdi className={classes.name}>{name}</bdi>}
          {name !== undefined && ' · '}
          What is known about it, and what each event changed.
        </>
      }
      actions={
        <>
          <Button
            leftSection={<IconBroadcast size={14} aria-hidden />}
            renderRoot={(props) => <Link to="/live" search={{ entity }} {...props} />}
          >
            Watch live
          </Button>
          <EraseButton key={entity} subject={{ entity }} />
        </>
      }
    >
      <StateNow key={`now ${entity}`} entity={entity} />
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
          {events !== undefined && `${formatNoun(events.length, 'event')} shown`}
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
              {loaded.map((event, index) => (
                <Fragment key={event.id}>
                  {/* Behind the newest event, the state now may be an old one. */}
                  <GapRow
                    outages={outages === undefined ? [] : itemsOf(outages)}
                    after={event.seq}
                    before={loaded[index - 1]?.seq ?? Infinity}
                  />
                  <HistoryRow event={event} />
                </Fragment>
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
