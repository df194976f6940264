import { Button } from '@mantine/core';
import { IconEqual } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { changedEntitiesQuery, type Difference, type EntitySearch } from '../../api/entities';
import { EmptyNote } from '../../components/empty-note';
import { PagedList } from '../../components/paged-list';
import { StateBadge } from '../../components/state-badge';
import { Changes } from '../../features/entity-history/changes';
import { ENTITY_CHANGES } from '../../labels/entity-labels';
import { pathText } from '../../payload/json';
import classes from './changed-list.module.css';

/** The entities that differ between two times, each with what is different; the latest change first. */
export function ChangedList({ search }: { search: EntitySearch }) {
  const query = useInfiniteQuery(changedEntitiesQuery(search));
  return (
    <PagedList
      query={query}
      skeletonRows={10}
      empty={
        <EmptyNote title="Nothing has changed" icon={<IconEqual size={22} stroke={1.6} />}>
          <p>No entity differs between the two times.</p>
          <Button renderRoot={(props) => <Link to="/entities" search={{}} {...props} />}>
            Clear all filters
          </Button>
        </EmptyNote>
      }
    >
      {(found) => (
        <ol aria-label="Changed entities" aria-busy={query.isPlaceholderData || undefined}>
          {found.map((one) => (
            <ChangedRow key={one.entity} changed={one} columns={search.column} />
          ))}
        </ol>
      )}
    </PagedList>
  );
}

interface ChangedRowProps {
  changed: Difference;
  /** Only these paths are shown; by default all that was different before. */
  columns: readonly string[] | undefined;
}

function ChangedRow({ changed: { entity, name, change, changes }, columns }: ChangedRowProps) {
  // All of a record that was not known before would be new, also if it was deleted since.
  const isNew = change !== 'changed' && changes.every(({ kind }) => kind === 'added');
  const shown = changes.filter(({ path }) => columns?.includes(`data.${pathText(path)}`) ?? !isNew);
  return (
    <li className={classes.row}>
      <div className={classes.head}>
        <StateBadge state={ENTITY_CHANGES[change]} />
        <Link
          to="/entities/$entity"
          params={{ entity }}
          state={{ cameFrom: '/entities' }}
          className={classes.entity}
          data-row
        >
          {entity}
        </Link>
        <bdi className={classes.name}>{name}</bdi>
      </div>
      {(columns !== undefined || !isNew) && <Changes data={shown} outsideData={[]} />}
    </li>
  );
}
