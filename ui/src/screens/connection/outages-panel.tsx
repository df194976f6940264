import { IconClockCheck } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { outagesQuery } from '../../api/outages';
import { EmptyNote } from '../../components/empty-note';
import { PagedList } from '../../components/paged-list';
import { Panel } from '../../components/panel';
import { OutageRow } from './outage-row';
import classes from './outages-panel.module.css';

/** When events may have been missed, so that somebody can look in Co-Pilot what happened then. */
export function OutagesPanel() {
  return (
    <Panel title="Events that may have been missed" flush>
      <p className={classes.lead}>
        Co-Pilot tries each notification for half a minute and then forgets it. Times in which nothing could
        be received for longer, or in which unusually little came, are kept here: look in Co-Pilot what
        happened then.
      </p>
      <PagedList
        query={useInfiniteQuery(outagesQuery)}
        places={2}
        empty={
          <EmptyNote title="Nothing that we know of" icon={<IconClockCheck size={22} stroke={1.6} />}>
            <p>Switchboard was there whenever Co-Pilot could have sent something.</p>
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
