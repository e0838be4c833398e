import "./styles/mantine";
import "./styles/tokens.css";
import "./styles/base.css";
import { DirectionProvider, MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { setNonce } from "get-nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "./api/query";
import { App } from "./app";
import { speak } from "./languages/catalogues";
import { LanguageProvider } from "./languages/LanguageProvider";
import { LANGUAGES, ownLanguage } from "./languages/languages";
import { cssVariables, theme } from "./theme";

// Styles created at run time need the nonce of this page's content security policy:
// Mantine's own, and those that lock scrolling behind a dialog.
const nonce = document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";
setNonce(nonce);

// From now on the network is free. Requested any sooner, the fonts would delay this script, and with it the text
// (tests/benchmarks/pages.py); requested when the first text is rendered, they would come too late for it.
void document.fonts?.load('1em "Source Sans 3"');

async function start(root: HTMLElement) {
  // In this person's language from the first word on; in English if theirs cannot be fetched.
  if (!(await speak(ownLanguage()))) await speak(LANGUAGES[0]);
  createRoot(root).render(
    <StrictMode>
      <DirectionProvider detectDirection>
        <MantineProvider
          theme={theme}
          cssVariablesResolver={cssVariables}
          defaultColorScheme="auto"
          getStyleNonce={() => nonce}
        >
          <QueryClientProvider client={queryClient}>
            <LanguageProvider>
              <App />
            </LanguageProvider>
          </QueryClientProvider>
        </MantineProvider>
      </DirectionProvider>
    </StrictMode>,
  );
}

const root = document.getElementById("root");
if (root) void start(root);
