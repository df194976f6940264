import { Popover } from '@mantine/core';

/** A popover with controls. It belongs to the main landmark, and keeps the focus until it is closed. */
export const FormPopover = Popover.withProps({
  trapFocus: true,
  returnFocus: true,
  shadow: 'md',
  portalProps: { target: '#main' },
});
