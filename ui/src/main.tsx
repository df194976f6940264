// Imported first, so that the styles of components override these.
import './theme/font.css';
import './theme/mantine.css';
import './theme/tokens.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, StrictMode, Suspense, type ComponentType } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/create-query-client';
import { sessionExpiry } from './api/session-expiry';
import { buildRouter } from './router';
import { ensureSafeLocale } from './format/safe-locale';
import { applyDensity } from './format/density';
import { applyScheme, schemeStore } from './theme/scheme';
import { cssVariablesResolver, theme } from './theme/theme';

/** Nothing is reported while the first screen is loaded. Without the file, as when the daemon stops meanwhile, nothing is. */
const NotificationList = lazy<ComponentType>(async () => {
  try {
    return { default: (await import('./components/notification-list')).NotificationList };
  } catch {
    return { default: () => null };
  }
});

ensureSafeLocale();
applyScheme();
applyDensity();

const cache = createQueryClient(() => {
  const { pathname, href } = router.state.location;
  if (pathname === '/sign-in' || sessionExpiry.report()) return;
  cache.clear();
  void router.navigate({ to: '/sign-in', search: { next: href }, replace: true });
});
const router = buildRouter(cache);

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no #root element.');
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      colorSchemeManager={schemeStore}
      defaultColorScheme="auto"
    >
      <QueryClientProvider client={cache}>
        <RouterProvider router={router} />
      </QueryClientProvider>
      <Suspense>
        <NotificationList />
      </Suspense>
    </MantineProvider>
  </StrictMode>,
);
