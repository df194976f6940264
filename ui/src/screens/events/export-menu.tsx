import { Button, Popover } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { EventSummary, ExportFormat } from '@contract/event';
import { eventHistogramQuery, type EventSearch } from '../../api/events';
import { formatBytes, formatNoun } from '../../format/number';
import { FormPopover } from '../../components/form-popover';
import classes from './export-menu.module.css';

/** The size of an event without its payload, and how much the payload grows. */
const FORMATS: Readonly<
  Record<ExportFormat, { name: string; description: string; bytes: number; factor: number }>
> = {
  csv: { name: 'CSV', description: 'for spreadsheets', bytes: 160, factor: 1.2 },
  ndjson: { name: 'NDJSON', description: 'one event a line', bytes: 340, factor: 1 },
  json: { name: 'JSON', description: 'one list', bytes: 340, factor: 1 },
};

interface ExportMenuProps {
  filter: EventSearch;
  label: string;
  compact?: boolean;
  queriedAt: number;
  /** Some of the events, to estimate the size of all. */
  rows: readonly EventSummary[];
  disabled: boolean;
  start: (format: ExportFormat) => void;
}

/** The formats of an export, with the number of events and about how large each file will be. */
export function ExportMenu({
  filter,
  label,
  compact = false,
  queriedAt,
  rows,
  disabled,
  start,
}: ExportMenuProps) {
  const [opened, { toggle, close }] = useDisclosure(false);
  const { data } = useQuery({ ...eventHistogramQuery(filter, queriedAt), enabled: opened });
  const average = rows.reduce((sum, { size_bytes: size }) => sum + size, 0) / Math.max(1, rows.length);
  return (
    <FormPopover opened={opened} onChange={close} position="bottom-end" width={320}>
      <Popover.Target>
        <Button
          {...(compact && { size: 'compact-sm' })}
          leftSection={<IconDownload size={14} aria-hidden />}
          aria-disabled={disabled || undefined}
          onClick={() => {
            if (!disabled) toggle();
          }}
        >
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Export" className={classes.dropdown}>
        <p className={classes.count}>
          {data === undefined
            ? 'Counting…'
            : `${data.estimated ? 'About ' : ''}${formatNoun(data.count, 'event')} with payloads, as`}
        </p>
        {Object.entries(FORMATS).map(([format, { name, description, bytes, factor }]) => (
          <Button
            key={format}
            variant="subtle"
            fullWidth
            justify="space-between"
            className={classes.format}
            rightSection={
              data !== undefined && (
                <span className={classes.size}>
                  about {formatBytes(Math.round(data.count * (average * factor + bytes)))}
                </span>
              )
            }
            onClick={() => {
              close();
              start(format as ExportFormat);
            }}
          >
            <span>
              <strong>{name}</strong> <span className={classes.size}>{description}</span>
            </span>
          </Button>
        ))}
      </Popover.Dropdown>
    </FormPopover>
  );
}
