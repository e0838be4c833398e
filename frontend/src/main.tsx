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
import { cssVariables, theme } from "./theme";

// Styles made at run time need the nonce of this page's content security policy:
// Mantine's own, and those that lock scrolling behind a dialog.
const nonce = document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";
setNonce(nonce);

const root = document.getElementById("root");
if (root) {
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
            <App />
          </QueryClientProvider>
        </MantineProvider>
      </DirectionProvider>
    </StrictMode>,
  );
}
