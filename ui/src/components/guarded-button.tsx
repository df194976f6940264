import { Button, Tooltip, type ButtonProps } from '@mantine/core';
import type { ComponentPropsWithRef } from 'react';
import { useDenial, type NeededScope } from './use-denial';

export interface GuardedButtonProps
  extends ButtonProps, Omit<ComponentPropsWithRef<'button'>, keyof ButtonProps> {
  /** The scope of what the button does or leads to; `operate` by default. */
  needs?: NeededScope;
  /** Why it cannot be used at present. */
  because?: string | false | undefined;
  /** Makes it a link. */
  href?: string;
  renderRoot?: (props: Record<string, unknown>) => React.ReactNode;
}

/**
 * A button or link that is disabled, with the reason, if the user’s role or the state of the screen does not permit what
 * it does. It can still get the focus, so that the reason is also announced.
 */
export function GuardedButton({
  needs = 'operate',
  because,
  href,
  renderRoot,
  ...props
}: GuardedButtonProps) {
  const denial = useDenial(needs) ?? because;
  if (typeof denial !== 'string') {
    if (href !== undefined) return <Button component="a" href={href} {...(props as object)} />;
    return <Button {...props} {...(renderRoot !== undefined && { renderRoot })} />;
  }
  return (
    <Tooltip label={denial} events={{ hover: true, focus: true, touch: true }}>
      <Button {...props} type="button" aria-disabled data-disabled onClick={undefined} />
    </Tooltip>
  );
}
