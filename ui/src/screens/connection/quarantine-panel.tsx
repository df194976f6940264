import { Button } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { rejectionsQuery } from '../../api/rejections';
import { EmptyNote } from '../../components/empty-note';
import { ErrorNote } from '../../components/error-note';
import { LoadingRows } from '../../components/loading-rows';
import { Panel } from '../../components/panel';
import classes from './quarantine-panel.module.css';
import { RejectionRow } from './rejection-row';

/** Notifications that came to the right address, but that no signature proved. */
export function QuarantinePanel() {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery(rejectionsQuery);
  const rejections = data?.pages.flatMap((page) => page.data);
  return (
    <Panel title="Quarantine" flush>
      <p className={classes.lead}>
        Notifications whose signature did not fit. They were refused, reach no target, and are kept here
        within bounds so that you can see why.
      </p>
      {rejections === undefined && error === null && <LoadingRows count={3} />}
      {rejections === undefined && error !== null && (
        <div className={classes.error}>
          <ErrorNote error={error} retry={() => void refetch()} />
        </div>
      )}
      {rejections?.length === 0 && (
        <EmptyNote title="Nothing in quarantine" icon={<IconShieldCheck size={22} stroke={1.6} />}>
          <p>Every notification so far was signed with our secret.</p>
        </EmptyNote>
      )}
      <ul>
        {rejections?.map((rejection) => (
          <RejectionRow key={rejection.id} rejection={rejection} />
        ))}
      </ul>
      {hasNextPage && (
        <div className={classes.more}>
          <Button loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show older
          </Button>
        </div>
      )}
    </Panel>
  );
}
