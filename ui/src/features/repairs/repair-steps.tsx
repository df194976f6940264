import { Button, Checkbox, Group } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Repair } from '@contract/repair';
import { entityCounts, entityLists } from '../../api/entities';
import { dismissOutage, outagesQuery } from '../../api/outages';
import {
  applyRepair,
  cancelRepair,
  isOpen,
  lastImportQuery,
  newestRepairQuery,
  startRepair,
  type RepairInput,
} from '../../api/repairs';
import { ActionButton } from '../../components/action-button';
import { ErrorNote } from '../../components/error-note';
import { itemsOf } from '../../components/paged-list';
import { PendingData } from '../../components/pending-data';
import stack from '../../components/stack.module.css';
import { formatNoun } from '../../format/number';
import { RepairResult } from './repair-result';

interface RepairStepsProps {
  input: RepairInput;
  close: () => void;
}

/** Starts a repair, shows how far it is, and applies or cancels it. One that is under way is shown instead of a new one. */
export function RepairSteps({ input, close }: RepairStepsProps) {
  const cache = useQueryClient();
  const query = useQuery(newestRepairQuery);
  const [started, setStarted] = useState<string | null>(null);
  const [withAbsent, setWithAbsent] = useState(false);
  const keep = (repair: Repair) => {
    setStarted(repair.id);
    cache.setQueryData(newestRepairQuery.queryKey, repair);
  };
  const start = useMutation({ mutationFn: () => startRepair(input), onSuccess: keep });
  const apply = useMutation({
    mutationFn: (id: string) =>
      applyRepair(id, ['changed', 'missing', ...(withAbsent ? (['absent'] as const) : [])]),
    onSuccess: keep,
  });
  const cancel = useMutation({ mutationFn: cancelRepair, onSuccess: keep });
  const newest = query.data ?? null;
  const shown = newest !== null && (isOpen(newest) || newest.id === started) ? newest : null;
  const isDone = shown?.state === 'done';
  useEffect(() => {
    // An import makes no events, which would announce what is known now.
    if (!isDone) return;
    for (const queryKey of [entityLists, entityCounts, lastImportQuery.queryKey, outagesQuery.queryKey])
      void cache.invalidateQueries({ queryKey });
  }, [isDone, cache]);
  const { data: outages } = useInfiniteQuery({ ...outagesQuery, enabled: isDone });
  const dismissed = outages && itemsOf(outages).filter(({ dismissed_at: at }) => at !== null);
  const repaired = (isDone ? shown.outage_ids : []).filter((id) => !dismissed?.some((one) => one.id === id));
  const dismiss = useMutation({
    mutationFn: () => Promise.all(repaired.map(dismissOutage)),
    onSuccess: close,
    onSettled: () => cache.invalidateQueries({ queryKey: outagesQuery.queryKey }),
  });
  const error = start.error ?? apply.error ?? cancel.error ?? dismiss.error;
  if (query.data === undefined) return <PendingData query={query} rows={4} />;
  const { changed = 0, missing = 0, absent = 0 } = shown?.counts ?? {};
  const sent = changed + missing + (withAbsent ? absent : 0);
  const isPreview = shown?.state === 'previewed';
  return (
    <>
      <div className={stack.small}>
        {shown === null ? <Introduction purpose={input.purpose} /> : <RepairResult repair={shown} />}
        {isPreview && absent > 0 && (
          <Checkbox
            label={`Also send deal.deleted for ${formatNoun(absent, 'deal')} that ${absent === 1 ? 'does' : 'do'} not exist any more`}
            checked={withAbsent}
            onChange={({ currentTarget }) => setWithAbsent(currentTarget.checked)}
          />
        )}
        {error !== null && <ErrorNote error={error} />}
      </div>
      <Group justify="flex-end" mt="lg">
        {shown !== null && isOpen(shown) && (
          <ActionButton pending={cancel.isPending} action={() => cancel.mutate(shown.id)}>
            Cancel {shown.purpose === 'baseline' ? 'import' : 'repair'}
          </ActionButton>
        )}
        <Button key={shown?.state} ref={focus} data-autofocus onClick={close}>
          Close
        </Button>
        {shown === null && (
          <ActionButton variant="filled" pending={start.isPending} action={() => start.mutate()}>
            Read all deals
          </ActionButton>
        )}
        {isPreview && sent > 0 && (
          <ActionButton variant="filled" pending={apply.isPending} action={() => apply.mutate(shown.id)}>
            Apply to {formatNoun(sent, 'deal')}
          </ActionButton>
        )}
        {repaired.length > 0 && (
          <ActionButton
            pending={dismiss.isPending}
            title="Marks what was repaired as reviewed"
            action={() => dismiss.mutate()}
          >
            Dismiss {repaired.length === 1 ? 'the outage' : formatNoun(repaired.length, 'outage')}
          </ActionButton>
        )}
      </Group>
    </>
  );
}

/** With another state, the button that had the focus may be gone. */
const focus = (element: HTMLElement | null) => element?.focus();

const Introduction = ({ purpose }: Pick<RepairInput, 'purpose'>) =>
  purpose === 'baseline' ? (
    <p>
      Reads all deals from Co&#8209;Pilot, and stores the state of those of which nothing is known. Nothing is
      sent, and no events are made.
    </p>
  ) : (
    <p>
      Reads all deals from Co&#8209;Pilot as they are now, one request a second, and compares them with what
      is known of them. It then shows what differs; nothing is sent before you apply it. Contacts, tasks,
      scenarios and agents cannot be repaired.
    </p>
  );
