import { useInfiniteQuery } from '@tanstack/react-query';
import { outagesQuery } from '../../api/outages';
import { PagedList } from '../../components/paged-list';
import { Panel, PanelText } from '../../components/panel';
import { StateBadge } from '../../components/state-badge';
import { RepairButton } from '../../features/repairs/repair-button';
import { OutageRow } from './outage-row';

const NONE_KNOWN = { tone: 'ok', label: 'No known outages', description: 'None was recorded' } as const;

/** Periods in which events may have been missed. */
export function OutagesPanel() {
  return (
    <Panel
      title="Events that may have been missed"
      id="outages"
      flush
      aside={<RepairButton input={{ purpose: 'repair' }} />}
    >
      <PanelText>
        Co&#8209;Pilot retries each notification for about 30 seconds, then drops it. Periods in which
        Switchboard was unreachable for longer, or received unusually few events, are listed here. A repair
        finds out which deals have changed meanwhile; look for the rest in Co&#8209;Pilot.
      </PanelText>
      <PagedList
        query={useInfiniteQuery(outagesQuery)}
        skeletonRows={2}
        empty={
          <PanelText>
            <StateBadge state={NONE_KNOWN} />
          </PanelText>
        }
      >
        {(outages) => (
          <ul>
            {outages.map((outage) => (
              <OutageRow key={outage.id} outage={outage} />
            ))}
          </ul>
        )}
      </PagedList>
    </Panel>
  );
}
