/** Paths relative to the service's base URL (document, 4). */
export const ENDPOINTS = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  deals: '/v1/deals',
  webhooks: '/v1/webhooks',
} as const;
