import classes from './header-list.module.css';

interface HeaderListProps {
  headers: readonly (readonly [string, string])[];
  /** The header that proved the sender. */
  marked?: string | null;
}

/** Headers in the order in which they came. */
export function HeaderList({ headers, marked }: HeaderListProps) {
  return (
    <dl className={classes.list}>
      {headers.map(([name, value], place) => {
        const proof = name.toLowerCase() === marked?.toLowerCase();
        return (
          // Names may repeat and never move, so the index is the key.
          <div key={`${place} ${name}`} className={classes.header}>
            <dt>{name}</dt>
            <dd>
              {value}
              {proof && <span className={classes.proof}>signature verified</span>}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
