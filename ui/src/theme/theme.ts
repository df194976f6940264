import {
  createTheme,
  defaultVariantColorsResolver,
  type CSSVariablesResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from '@mantine/core';

const accent: MantineColorsTuple = [
  '#f0f1ff',
  '#e0e2ff',
  '#c3c7fb',
  '#a5abff',
  '#888eee',
  '#6f75e4',
  '#5358cf',
  '#4448b5',
  '#373b95',
  '#2b2e75',
];
const dark: MantineColorsTuple = [
  '#e8eaef',
  '#b9bfca',
  '#9ba2af',
  '#6f7887',
  '#38404d',
  '#272c36',
  '#1b1f27',
  '#15181e',
  '#0f1115',
  '#0a0c0f',
];

/** Buttons use the text colour; red ones are destructive. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const isDestructive = input.color === 'red';
  const foreground = isDestructive ? 'var(--sb-bad)' : 'var(--sb-ink)';
  if (input.variant === 'filled') {
    const hover = isDestructive ? 'var(--sb-bad)' : 'var(--sb-ink-hover)';
    return { background: foreground, hover, color: 'var(--sb-surface)', border: '1px solid transparent' };
  }
  if (input.variant === 'default') {
    return {
      background: 'var(--sb-surface)',
      hover: 'var(--sb-hover)',
      color: foreground,
      border: '1px solid var(--sb-edge)',
    };
  }
  if (input.variant === 'subtle') {
    const color = isDestructive ? 'var(--sb-bad)' : 'var(--sb-muted)';
    return { background: 'transparent', hover: 'var(--sb-hover)', color, border: '1px solid transparent' };
  }
  return defaultVariantColorsResolver(input);
};

/** Maps Mantine's variables to the design tokens, so that there is one set of colours. */
export const cssVariablesResolver: CSSVariablesResolver = () => {
  const tokens = {
    '--mantine-color-body': 'var(--sb-surface)',
    '--mantine-color-text': 'var(--sb-ink)',
    '--mantine-color-bright': 'var(--sb-ink)',
    '--mantine-color-dimmed': 'var(--sb-muted)',
    '--mantine-color-placeholder': 'var(--sb-muted)',
    '--mantine-color-anchor': 'var(--sb-accent)',
    '--mantine-color-error': 'var(--sb-bad)',
    '--mantine-color-default-border': 'var(--sb-field)',
    '--mantine-primary-color-filled': 'var(--sb-accent)',
  };
  return { variables: {}, light: tokens, dark: tokens };
};

export const theme = createTheme({
  colors: { accent, dark },
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 3 },
  autoContrast: true,
  luminanceThreshold: 0.35,
  variantColorResolver,
  respectReducedMotion: true,
  defaultRadius: 6,
  focusRing: 'auto',
  fontFamily:
    "'Inter Variable', 'Inter Fallback', -apple-system, BlinkMacSystemFont, 'Segoe UI', Arial, sans-serif",
  fontFamilyMonospace: 'var(--sb-mono)',
  fontSizes: { xs: '12px', sm: '13px', md: '13px', lg: '15px', xl: '20px' },
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  components: {
    Button: { defaultProps: { size: 'xs', variant: 'default', fw: 500 } },
    ActionIcon: { defaultProps: { variant: 'subtle', size: 32 } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Dismiss' } } },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: false, fz: 12 } },
    Checkbox: { defaultProps: { iconColor: 'var(--sb-surface)' } },
    Radio: { defaultProps: { iconColor: 'var(--sb-surface)' } },
    TextInput: { defaultProps: { size: 'sm' } },
    PasswordInput: { defaultProps: { size: 'sm' } },
    Textarea: { defaultProps: { size: 'sm' } },
    NativeSelect: { defaultProps: { size: 'sm', rightSectionProps: { 'aria-hidden': true } } },
    TagsInput: { defaultProps: { size: 'sm' } },
  },
});
