import { Button } from '@mantine/core';
import { IconId } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { CSSProperties } from 'react';
import { entitiesQuery, type EntitySearch, type ListedEntity } from '../../api/entities';
import { lastImportQuery } from '../../api/repairs';
import { EmptyNote } from '../../components/empty-note';
import line from '../../components/line.module.css';
import { PagedList } from '../../components/paged-list';
import { StateBadge } from '../../components/state-badge';
import { TimeAgo } from '../../components/time-ago';
import { RepairButton } from '../../features/repairs/repair-button';
import { localizeTimes } from '../../format/exact';
import { ENTITY_STATES, originOf } from '../../labels/entity-labels';
import classes from './entity-list.module.css';

/** The entities that match in their state at a point in time, the latest change first. */
export function EntityList({ search }: { search: EntitySearch }) {
  const query = useInfiniteQuery(entitiesQuery(search));
  const { column: columns = [], ...filter } = search;
  const coverage = query.data?.pages[0]?.coverage;
  const { data: imported = null } = useQuery(lastImportQuery);
  const hasDeals = (search.kind ?? 'deal') === 'deal';
  return (
    <>
      {coverage !== undefined && !coverage.complete && coverage.since !== null && (
        <div className={classes.coverage}>
          <p>
            {localizeTimes(coverage.sentence)}
            {hasDeals && imported !== null && (
              <>
                {' '}
                All deals were imported <TimeAgo at={imported.created_at} />.
              </>
            )}
          </p>
          {hasDeals && <RepairButton input={{ purpose: 'baseline' }} />}
        </div>
      )}
      <PagedList
        query={query}
        skeletonRows={10}
        empty={<NothingFound isFiltered={Object.keys(filter).length > 0} />}
      >
        {(entities) => (
          <div
            className={classes.table}
            style={{ '--fields': columns.length } as CSSProperties}
            data-fields={columns.length > 0 || undefined}
            aria-busy={query.isPlaceholderData || undefined}
          >
            <div className={`${classes.row} ${classes.head}`} aria-hidden>
              <span>Name</span>
              <span>Entity</span>
              {columns.map((path) => (
                <span key={path} className={classes.field} title={path}>
                  {path.replace(/^data\./, '')}
                </span>
              ))}
              <span>State</span>
              <span className={classes.time}>Changed</span>
            </div>
            <ol aria-label="Entities">
              {entities.map((entity) => (
                <EntityRow key={entity.entity} entity={entity} columns={columns} />
              ))}
            </ol>
          </div>
        )}
      </PagedList>
    </>
  );
}

function EntityRow({ entity, columns }: { entity: ListedEntity; columns: readonly string[] }) {
  const origin = originOf(entity);
  return (
    <li>
      <Link
        to="/entities/$entity"
        params={{ entity: entity.entity }}
        state={{ cameFrom: '/entities' }}
        className={`${line.line} ${classes.row}`}
        preload={false}
        data-row
      >
        <bdi className={classes.name}>{entity.name ?? '–'}</bdi>
        <span className={`${line.mono} ${classes.entity}`}>{entity.entity}</span>
        {columns.map((path) => (
          <bdi key={path} className={`${line.mono} ${classes.field}`}>
            {String(entity.fields?.[path] ?? '–')}
          </bdi>
        ))}
        <span className={classes.state}>
          <StateBadge state={ENTITY_STATES[entity.state]} />
          {origin !== null && <span className={classes.origin}> {origin}</span>}
        </span>
        <TimeAgo at={entity.received_at} className={`${line.time} ${classes.time}`} />
      </Link>
    </li>
  );
}

function NothingFound({ isFiltered }: { isFiltered: boolean }) {
  return (
    <EmptyNote
      title={isFiltered ? 'No entity matches' : 'No entities yet'}
      icon={<IconId size={22} stroke={1.6} />}
    >
      {isFiltered ? (
        <Button renderRoot={(props) => <Link to="/entities" search={{}} {...props} />}>
          Clear all filters
        </Button>
      ) : (
        <p>As soon as Co-Pilot sends an event about a deal, contact or task, its record is shown here.</p>
      )}
    </EmptyNote>
  );
}
