import { linguiTransformerBabelPreset } from "@lingui/vite-plugin";
import babel from "@rolldown/plugin-babel";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { cataloguePlugin, wordsOf } from "./languages/cataloguePlugin.ts";

/** The server that `npm run dev` talks to. */
const SERVER = "http://127.0.0.1:8000";

export default defineConfig(({ command }) => ({
  plugins: [react(), cataloguePlugin(), babel({ presets: [linguiTransformerBabelPreset()] })],
  resolve: { tsconfigPaths: true },
  base: command === "build" ? "/static/" : "/",
  // Django serves dist/index.html as a template and fills in the nonce of each answer.
  html: { cspNonce: "{{ request.csp_nonce }}" },
  build: {
    target: "es2023",
    // A data: URL would need a hole in the content security policy.
    assetsInlineLimit: 0,
    // The charts' chunk is large and loaded only where a chart is shown.
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      output: {
        chunkFileNames: ({ facadeModuleId: id }) =>
          `assets/${(id && wordsOf(id)) ?? "[name]"}-[hash].js`,
        // What every page needs comes as one file: cut into the thirty that pages share it takes more room, compressed.
        codeSplitting: { groups: [{ name: "first", tags: ["$initial"] }] },
      },
    },
  },
  // Django compares the origin of a write with its own address.
  server: {
    // The catalogues stand beside this folder.
    fs: { allow: [".", "../locale"] },
    proxy: { "/api": { target: SERVER, changeOrigin: true, headers: { origin: SERVER } } },
  },
  test: {
    include: ["{src,languages}/**/*.test.{ts,tsx}"],
    // A document takes longer to make than most tests to run: a file that needs one says `@vitest-environment jsdom`.
    environment: "node",
    setupFiles: ["src/languages/testing.ts"],
  },
}));
