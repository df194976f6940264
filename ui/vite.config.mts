import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressAssets } from './compress-assets.mjs';

const daemon = process.env['SWITCHBOARD_URL'] ?? 'http://localhost:4000';

/** The daemon takes a session only from a page of its own address. */
const asItself = { target: daemon, changeOrigin: true, headers: { origin: daemon } };

/** `vite ui` serves the screens with hot reload and hands everything else to a running daemon. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), compressAssets(join(import.meta.dirname, '../dist/ui'))],
  build: {
    outDir: '../dist/ui',
    emptyOutDir: true,
    target: 'es2022',
    // Nothing may be inlined: the page is served under a strict content security policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      // One file for all that the first screen needs: what is loaded when wanted can be told apart by name, and measured.
      output: { codeSplitting: { groups: [{ name: 'first-route', tags: ['$initial'] }] } },
    },
  },
  server: {
    proxy: {
      '/api': asItself,
      '/oauth': asItself,
      '/login': asItself,
      '/socket.io': { ...asItself, ws: true },
    },
  },
});
