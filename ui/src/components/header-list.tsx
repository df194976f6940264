import classes from './header-list.module.css';

interface HeaderListProps {
  headers: readonly (readonly [string, string])[];
  /** The header with the verified signature. */
  signatureHeader?: string | null;
}

/** HTTP headers in the order received. */
export function HeaderList({ headers, signatureHeader }: HeaderListProps) {
  return (
    <dl className={classes.list}>
      {headers.map(([name, value], index) => {
        const isSignature = name.toLowerCase() === signatureHeader?.toLowerCase();
        return (
          // Names may repeat, and the order is fixed, so the index is part of the key.
          <div key={`${index} ${name}`} className={classes.header}>
            <dt>{name}</dt>
            <dd>
              {value}
              {isSignature && <span className={classes.verified}>signature verified</span>}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
