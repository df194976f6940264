import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { entityCountQuery, type EntitySearch } from '../../api/entities';
import tabs from '../../components/tabs.module.css';
import { formatCount } from '../../format/number';
import { ENTITY_KINDS } from '../../labels/entity-labels';
import { entitiesSearch } from '../../search/entities-search';
import classes from './kind-tabs.module.css';

/** A tab for each kind, with the number of entities that match; kinds without any are left out. */
export function KindTabs({ search }: { search: EntitySearch }) {
  const { kind: chosen, column: _column, from, ...filter } = search;
  const kinds = [undefined, ...new Set([...ENTITY_KINDS, ...(chosen === undefined ? [] : [chosen])])];
  const counts = useQueries({
    queries: kinds.map((kind) => ({
      ...entityCountQuery({ ...filter, ...(kind !== undefined && { kind }) }),
      // How many differ is not counted.
      enabled: from === undefined,
    })),
  });
  return (
    <nav aria-label="Entities by kind" className={`${tabs.tabs} ${classes.tabs}`}>
      {kinds.map((kind, at) => {
        const { data } = counts[at]!;
        const isLeftOut = kind !== undefined && kind !== chosen && data?.count === 0;
        if (isLeftOut) return null;
        return (
          <Link
            key={kind ?? 'all'}
            to="/entities"
            search={entitiesSearch({ ...search, kind })}
            replace
            resetScroll={false}
            activeOptions={{ exact: true, includeSearch: true }}
            className={`${tabs.tab} ${classes.tab}`}
          >
            {kind === undefined ? 'All' : `${kind.charAt(0).toUpperCase()}${kind.slice(1)}s`}{' '}
            {from === undefined && data !== undefined && (
              <span className={classes.count}>
                {data.estimated && '≈ '}
                {formatCount(data.count)}
              </span>
            )}
          </Link>
        );
      })}
    </nav>
  );
}
