import { useQuery } from '@tanstack/react-query';
import { rejectionBodyPath, rejectionBodyQuery } from '../../api/rejections';
import { DownloadLink } from '../../components/download-link';
import { ErrorNote } from '../../components/error-note';
import classes from './rejection-body.module.css';

const SHOWN_BYTES = 4_000;

/** The bytes as text, as far as they are text; nobody vouches for them, so they are shown and never parsed. */
export function RejectionBody({ id }: { id: string }) {
  const { data: bytes, error, refetch } = useQuery(rejectionBodyQuery(id));
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  return (
    <>
      <pre className={classes.body} aria-busy={bytes === undefined}>
        {bytes === undefined ? 'Loading…' : new TextDecoder().decode(bytes.subarray(0, SHOWN_BYTES))}
      </pre>
      {bytes !== undefined && bytes.length > SHOWN_BYTES && (
        <p className={classes.more}>
          Truncated.{' '}
          <DownloadLink path={rejectionBodyPath(id)} name={`${id}.body`}>
            Download full body
          </DownloadLink>
        </p>
      )}
    </>
  );
}
