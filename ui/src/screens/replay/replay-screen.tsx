import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef } from 'react';
import type { ReplayDetail } from '@contract/replay';
import { replayQuery } from '../../api/replays';
import { BackLink } from '../../components/back-link';
import { Columns } from '../../components/columns';
import { Panel } from '../../components/panel';
import { PendingData } from '../../components/pending-data';
import { ReplayActions } from '../../features/replays/replay-actions';
import { ReplayProgress } from '../../features/replays/replay-progress';
import { Screen } from '../../components/screen';
import { useTargetNames } from '../../features/targets/use-target-names';
import { REPLAY_LABELS, replayName } from '../../labels/replay-labels';
import { ReplayFacts } from './replay-facts';
import { ReplayReport } from './replay-report';
import screen from '../../components/screen.module.css';

const route = getRouteApi('/signed-in/replays/$id');
const above = <BackLink to="/replays">Replays</BackLink>;

/** A replay with its progress and its results by target. */
export function ReplayScreen() {
  const { id } = route.useParams();
  const query = useQuery(replayQuery(id));
  const { data: replay } = query;
  if (replay !== undefined) return <ReplayDetails replay={replay} />;
  return (
    <Screen title="Replay" above={above}>
      <PendingData query={query} />
    </Screen>
  );
}

function ReplayDetails({ replay }: { replay: ReplayDetail }) {
  const nameOf = useTargetNames();
  const progressRef = useRef<HTMLDivElement>(null);
  const name = replayName(replay, nameOf);
  return (
    <Screen
      title={`Replay: ${name}`}
      above={above}
      heading={<h1>{name}</h1>}
      state={REPLAY_LABELS[replay.state]}
      actions={<ReplayActions replay={replay} name={name} onCancelled={() => progressRef.current?.focus()} />}
    >
      <div ref={progressRef} tabIndex={-1} className={screen.focusTarget}>
        <Panel title="Progress">
          <ReplayProgress replay={replay} />
        </Panel>
      </div>
      <Columns shares={[7, 5]}>
        <ReplayReport replay={replay} />
        <Panel title="Plan">
          <ReplayFacts replay={replay} />
        </Panel>
      </Columns>
    </Screen>
  );
}
