import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { entityQuery } from '../../api/entities';
import { Fact, Facts } from '../../components/facts';
import { Panel } from '../../components/panel';
import stack from '../../components/stack.module.css';
import { StateBadge } from '../../components/state-badge';
import { ExactTime } from '../../components/time-ago';
import { PayloadTree } from '../../features/payload-tree/payload-tree';
import { ENTITY_STATES, originOf } from '../../labels/entity-labels';
import { useRefresh } from '../../live/use-refresh';
import classes from './record-at-time.module.css';

const EVERY_MS = 1_000;

/** What is known of an entity at present. Without a state, the list of its events says why. */
export function StateNow({ entity }: { entity: string }) {
  const query = entityQuery(entity);
  const { data: state } = useQuery(query);
  useRefresh(query.queryKey, { everyMs: EVERY_MS, isAbout: (event) => event.entity === entity });
  if (state === undefined) return null;
  const { event_id: id, event_type: type, updated_at: updatedAt, record } = state;
  const origin = originOf(state);
  return (
    <Panel title="State now" aside={<StateBadge state={ENTITY_STATES[state.state]} />}>
      <div className={stack.medium}>
        <Facts>
          <Fact name="Updated at Co-Pilot" none="unknown">
            {updatedAt === null ? null : <ExactTime at={updatedAt} />}
          </Fact>
          <Fact name="Known from">
            {id === null ? (
              `${type}, ${origin ?? 'not stored'}`
            ) : (
              <>
                <Link to="/events/$id" params={{ id }}>
                  {type}
                </Link>
                {origin !== null && `, ${origin}`}
              </>
            )}
          </Fact>
        </Facts>
        {record !== undefined && (
          <div className={`${classes.record} ${classes.fitted}`}>
            <PayloadTree key={state.seq} json={record} />
          </div>
        )}
      </div>
    </Panel>
  );
}
