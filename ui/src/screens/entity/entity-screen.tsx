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
import { useNewerEvents } from './use-newer-events';

const route = getRouteApi('/inside/entities/$entity');

/** One entity's events, newest first, each with what it changed. */
export function EntityScreen() {
  const { entity } = route.useParams();
  const history = useInfiniteQuery(entityHistoryQuery(entity));
  const events = history.data && itemsOf(history.data);
  const newer = useNewerEvents(entity, events?.[0]?.seq ?? 0);
  // The last one read is compared only once the one before it is there.
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
                An entity is named by its type and id, such as <code>deal:42</code>. Events past the retention
                period are gone.
              </p>
            </EmptyNote>
          }
        >
          {(read) => (
            <ol aria-label="Events">
              {shown?.map((event, place) => (
                <HistoryRow key={event.id} event={event} previous={read[place + 1] ?? null} />
              ))}
            </ol>
          )}
        </PagedList>
      </Panel>
    </Screen>
  );
}
