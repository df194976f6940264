import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { listFolders } from '../licenses/list-folders.mjs';
import { compressAssets } from './compress-assets.mjs';
import { listFiles } from './list-files.mjs';

const DIST = join(import.meta.dirname, '../dist/ui');

const daemon = process.env['SWITCHBOARD_URL'] ?? 'http://localhost:4000';

/** The daemon accepts sessions only from pages of its own origin. */
const sameOrigin = { target: daemon, changeOrigin: true, headers: { origin: daemon } };

/** `vite ui` serves the dashboard with hot reload and proxies other requests to a running daemon. */
export default defineConfig({
  root: import.meta.dirname,
  resolve: {
    alias: [
      { find: '@contract', replacement: join(import.meta.dirname, '../src/contract') },
      // For older versions of React.
      { find: /^use-sync-external-store\/shim(\/index\.js)?$/, replacement: 'react' },
    ],
  },
  plugins: [react(), compressAssets(DIST), listFiles(DIST), listFolders('ui')],
  build: {
    outDir: '../dist/ui',
    emptyOutDir: true,
    target: 'es2022',
    // The content security policy forbids inlined assets.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      // One chunk for the first route, so that its size can be checked separately from lazy chunks.
      output: {
        codeSplitting: { groups: [{ name: 'first-route', tags: ['$initial'] }] },
        // The pages of the daemon itself know the font by its name.
        assetFileNames: ({ names }) =>
          names.includes('inter-latin-wght-normal.woff2')
            ? 'assets/inter.woff2'
            : 'assets/[name]-[hash][extname]',
      },
    },
  },
  server: {
    proxy: {
      '/api': sameOrigin,
      '/oauth': sameOrigin,
      '/login': sameOrigin,
      '/socket.io': { ...sameOrigin, ws: true },
    },
  },
});
