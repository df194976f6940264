import { Button } from '@mantine/core';
import { IconArrowLeft, IconArrowRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { replayPreviewQuery } from '../../api/replays';
import { BackLink } from '../../components/back-link';
import { Columns } from '../../components/columns';
import { Panel } from '../../components/panel';
import { Screen } from '../../components/screen';
import {
  isValidPlan,
  replaySearch,
  toReplayInput,
  type ReplaySearch,
  type ReplayStep,
} from '../../search/replay-search';
import { ChooseEvents } from './choose-events';
import { ChooseDestination } from './choose-destination';
import classes from './new-replay-screen.module.css';
import { PreviewPanel } from './preview-panel';
import { StartReplay } from './start-replay';
import { StepList, STEPS } from './step-list';

const route = getRouteApi('/inside/replays/new');
const above = <BackLink to="/replays">Replays</BackLink>;

/** Plans a replay in three steps; the plan stands in the address, and beside it what it would send. */
export function NewReplayScreen() {
  const plan = route.useSearch();
  const navigate = useNavigate({ from: '/replays/new' });
  const { step = 'events' } = plan;
  // Chosen, though no target is yet.
  const [choosing, setChoosing] = useState(plan.to !== undefined);
  const error = planError(plan, choosing);
  const preview = useQuery({ ...replayPreviewQuery(toReplayInput(plan)), enabled: error === undefined });
  // While another plan is being counted, the count before it says nothing about what would be started.
  const counted = preview.isPlaceholderData ? undefined : preview.data;
  const change = (part: ReplaySearch) =>
    void navigate({ search: (before) => replaySearch({ ...before, ...part }), replace: true });
  const go = (to: ReplayStep) => void navigate({ search: (before) => replaySearch({ ...before, step: to }) });
  const at = STEPS.findIndex(({ id }) => id === step);
  const [back, next] = [STEPS[at - 1], STEPS[at + 1]];
  const place = useFocusOnChange(step);
  return (
    <Screen
      title="New replay"
      above={above}
      lead="Stored events are sent again as new deliveries. Nothing is sent until you start the replay."
    >
      <StepList step={step} plan={plan} />
      <Columns shares={[7, 5]}>
        <Panel title={STEPS[at]?.title ?? ''}>
          <div ref={place} tabIndex={-1} className={classes.step}>
            {step === 'events' && <ChooseEvents plan={plan} change={change} />}
            {step === 'way' && (
              <ChooseDestination plan={plan} change={change} choosing={choosing} setChoosing={setChoosing} />
            )}
            {step === 'start' && <StartReplay plan={plan} preview={counted} planError={error} />}
            <div className={classes.ways}>
              {back !== undefined && (
                <Button leftSection={<IconArrowLeft size={14} aria-hidden />} onClick={() => go(back.id)}>
                  {back.title}
                </Button>
              )}
              {next !== undefined && (
                <Button
                  variant="filled"
                  className={classes.next}
                  rightSection={<IconArrowRight size={14} aria-hidden />}
                  onClick={() => go(next.id)}
                >
                  {next.title}
                </Button>
              )}
            </div>
          </div>
        </Panel>
        <PreviewPanel preview={preview} planError={error} />
      </Columns>
    </Screen>
  );
}

/** Why the plan cannot be counted as it stands. */
function planError(plan: ReplaySearch, choosing: boolean): string | undefined {
  if (choosing && plan.to === undefined) return 'Select at least one target first.';
  return isValidPlan(plan) ? undefined : 'Fix the speed first.';
}

/** What was pressed goes with its step; the next one begins at its beginning. */
function useFocusOnChange(step: ReplayStep) {
  const place = useRef<HTMLDivElement>(null);
  const before = useRef(step);
  useEffect(() => {
    if (before.current !== step) place.current?.focus();
    before.current = step;
  }, [step]);
  return place;
}
