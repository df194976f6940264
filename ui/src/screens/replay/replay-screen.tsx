import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef } from 'react';
import type { ReplayDetail } from '../../../../src/contract/replay';
import { replayQuery } from '../../api/replays';
import { BackLink } from '../../components/back-link';
import { ErrorNote } from '../../components/error-note';
import { LoadingRows } from '../../components/loading-rows';
import { Panel } from '../../components/panel';
import { ReplayActs } from '../../components/replay-acts';
import { ReplayProgress } from '../../components/replay-progress';
import { Screen } from '../../components/screen';
import { StateWord } from '../../components/state-word';
import { useTargetNames } from '../../components/use-target-names';
import { replayName } from '../../text/replay-name';
import { REPLAY_WORDS } from '../../text/replay-words';
import { ReplayFacts } from './replay-facts';
import { ReplayReport } from './replay-report';
import classes from './replay-screen.module.css';

const route = getRouteApi('/inside/replays/$id');
const above = <BackLink to="/replays">Replays</BackLink>;

/** One replay: how far it has come, and what came of it at each target. */
export function ReplayScreen() {
  const { id } = route.useParams();
  const { data: replay, error, refetch } = useQuery(replayQuery(id));
  if (replay !== undefined) return <Known replay={replay} />;
  return (
    <Screen title="Replay" above={above}>
      {error === null ? (
        <LoadingRows count={5} height={32} />
      ) : (
        <ErrorNote error={error} retry={() => void refetch()} />
      )}
    </Screen>
  );
}

function Known({ replay }: { replay: ReplayDetail }) {
  const nameOf = useTargetNames();
  const place = useRef<HTMLDivElement>(null);
  const name = replayName(replay, nameOf);
  const heading = (
    <div className={classes.heading}>
      <h1>Replay</h1>
      <StateWord words={REPLAY_WORDS[replay.state]} strong />
    </div>
  );
  return (
    <Screen
      title={`Replay: ${name}`}
      above={above}
      heading={heading}
      lead={name}
      actions={<ReplayActs replay={replay} name={name} cancelled={() => place.current?.focus()} />}
    >
      <div ref={place} tabIndex={-1} className={classes.place}>
        <Panel title="Progress">
          <ReplayProgress replay={replay} />
        </Panel>
      </div>
      <div className={classes.columns}>
        <ReplayReport replay={replay} />
        <Panel title="Plan">
          <ReplayFacts replay={replay} />
        </Panel>
      </div>
    </Screen>
  );
}
