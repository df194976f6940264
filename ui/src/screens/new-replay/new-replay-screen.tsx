import { Button } from '@mantine/core';
import { IconArrowLeft, IconArrowRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { replayPreviewQuery } from '../../api/replays';
import { GuardedPart } from '../../components/guarded-part';
import { BackLink } from '../../components/back-link';
import { Columns } from '../../components/columns';
import { LeaveGuard } from '../../components/leave-guard';
import { Panel } from '../../components/panel';
import { Screen } from '../../components/screen';
import { TroubleNotes } from '../../features/targets/trouble-notes';
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

const route = getRouteApi('/signed-in/replays/new');
const above = <BackLink to="/replays">Replays</BackLink>;

/** Plans a replay in three steps, with a preview. The plan is part of the URL. */
export function NewReplayScreen() {
  const plan = route.useSearch();
  const navigate = useNavigate({ from: '/replays/new' });
  const { step = 'events' } = plan;
  // May be true before a target is selected.
  const [selecting, setSelecting] = useState(plan.to !== undefined);
  const error = planError(plan, selecting);
  // The preview and the replay are of the same time.
  const [openedAt] = useState(() => Date.now());
  const input = toReplayInput(plan, openedAt);
  const preview = useQuery({ ...replayPreviewQuery(input), enabled: error === undefined });
  // Placeholder data belongs to a previous plan, which must not be started.
  const currentPreview = preview.isPlaceholderData ? undefined : preview.data;
  const change = (part: ReplaySearch) =>
    void navigate({ search: (before) => replaySearch({ ...before, ...part }), replace: true });
  const go = (to: ReplayStep) => void navigate({ search: (before) => replaySearch({ ...before, step: to }) });
  const [opened] = useState(() => JSON.stringify(input));
  const index = STEPS.findIndex(({ id }) => id === step);
  const [back, next] = [STEPS[index - 1], STEPS[index + 1]];
  const stepRef = useFocusOnChange(step);
  return (
    <Screen
      title="New replay"
      above={above}
      lead="Stored events are sent again as new deliveries. Nothing is sent until you start the replay."
    >
      <GuardedPart needs="operate">
        <LeaveGuard when={JSON.stringify(input) !== opened} title="Leave without starting?" isInAddress>
          Nothing was sent yet.
        </LeaveGuard>
        <StepList step={step} plan={plan} />
        {(step !== 'events' || plan.to !== undefined) && (
          <TroubleNotes targets={currentPreview?.by_target.map(({ target_id: id }) => id) ?? []} />
        )}
        <Columns shares={[7, 5]}>
          <Panel title={STEPS[index]?.title ?? ''}>
            <div ref={stepRef} tabIndex={-1} className={classes.step}>
              {step === 'events' && <ChooseEvents plan={plan} change={change} />}
              {step === 'destination' && (
                <ChooseDestination
                  plan={plan}
                  change={change}
                  selecting={selecting}
                  setSelecting={setSelecting}
                />
              )}
              {step === 'start' && <StartReplay input={input} preview={currentPreview} planError={error} />}
              <div className={classes.buttons}>
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
          <PreviewPanel
            preview={preview}
            planError={error}
            toOriginals={plan.to === undefined}
            isFiltered={Object.values(input.filter).some((condition) => condition !== undefined)}
          />
        </Columns>
      </GuardedPart>
    </Screen>
  );
}

/** Why the plan cannot be previewed. */
function planError(plan: ReplaySearch, selecting: boolean): string | undefined {
  if (selecting && plan.to === undefined) return 'Select at least one target first.';
  return isValidPlan(plan) ? undefined : 'Fix the speed first.';
}

/** Focuses the new step, since the pressed button is gone. */
function useFocusOnChange(step: ReplayStep) {
  const stepRef = useRef<HTMLDivElement>(null);
  const previous = useRef(step);
  useEffect(() => {
    if (previous.current !== step) stepRef.current?.focus();
    previous.current = step;
  }, [step]);
  return stepRef;
}
