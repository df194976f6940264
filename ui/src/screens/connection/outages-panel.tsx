import { IconClockCheck } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { outagesQuery } from '../../api/outages';
import { EmptyNote } from '../../components/empty-note';
import { PagedList } from '../../components/paged-list';
import { Panel, PanelText } from '../../components/panel';
import { RepairButton } from '../../features/repairs/repair-button';
import { OutageRow } from './outage-row';

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
          <EmptyNote title="No known outages" icon={<IconClockCheck size={22} stroke={1.6} />}>
            <p>Switchboard was reachable whenever Co&#8209;Pilot could have sent events.</p>
          </EmptyNote>
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
